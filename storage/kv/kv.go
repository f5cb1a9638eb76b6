// Package kv is the small ordered key-value interface that the repositories of package storage are written against.
// boltkv implements it on bbolt, memkv in memory for tests; kvtest proves an implementation.
package kv

import "errors"

var (
	// ErrReadOnly is returned by Put and Delete inside View, and by Update of a store that was opened read-only.
	ErrReadOnly = errors.New("kv: write in a read-only transaction")
	// ErrEmptyKey is returned by Put for an empty key.
	ErrEmptyKey = errors.New("kv: empty key")
	// ErrInScan is returned by Put and Delete inside the fn of a Scan: a cursor does not survive writes.
	ErrInScan = errors.New("kv: write inside a scan")
	// ErrTxDone is returned by a Tx that is used after its closure returned.
	ErrTxDone = errors.New("kv: transaction is over")
	// ErrClosed is returned by a store that was closed.
	ErrClosed = errors.New("kv: store is closed")
	// ErrUncertain is wrapped by an error of Update after which it is open whether the writes were kept: they may be
	// visible, and may be gone after a restart. After any other error of Update nothing was kept.
	ErrUncertain = errors.New("kv: outcome of the transaction is not known")
)

// Store runs closures as transactions. A closure must be free of side effects outside its Tx, since an implementation may
// run it more than once. An error of the closure rolls the transaction back and is returned as it is; a panic rolls it
// back and goes on. Transactions do not nest: a closure uses the Tx it was given and starts no other, or may wait for
// itself for ever. Stores are safe for concurrent use, a Tx is not.
type Store interface {
	// View runs fn on a consistent snapshot. Readers and the writer do not wait for each other.
	View(fn func(Tx) error) error
	// Update runs fn alone among writers and makes all of its writes durable, or none.
	Update(fn func(Tx) error) error
}

// Tx reads and writes inside one transaction and sees its own writes. Keys are ordered bytewise; keys of up to 1 KiB are
// possible everywhere. Slices handed in and out belong to the caller.
type Tx interface {
	// Get returns the value of key, and whether it exists. An empty value exists and is not nil.
	Get(key string) ([]byte, bool, error)
	Put(key string, value []byte) error
	// Delete removes key; removing what is not there is no error.
	Delete(key string) error
	// Scan calls fn for the keys that begin with prefix, in ascending order, or descending when o.Reverse is set, until fn
	// returns false or an error, which Scan returns as it is. fn may read and scan, but not write.
	Scan(prefix string, o ScanOptions, fn func(key string, value []byte) (bool, error)) error
}

// ScanOptions bounds a Scan.
type ScanOptions struct {
	// After skips keys up to and including this one in the direction of the scan; empty starts at the beginning. It need
	// not exist, nor begin with the prefix.
	After   string
	Reverse bool
	// KeysOnly hands nil to fn instead of the value, which is then not read.
	KeysOnly bool
}
