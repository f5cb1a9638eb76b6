package storage

import (
	"io"
	"time"

	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
)

// Options says how to open the database. The zero value is ready to use.
type Options struct {
	// Timeout is how long to wait while another process has the database open; 0 does not wait.
	Timeout time.Duration
	// ReadOnly opens a database that exists, and changes nothing, not even its schema.
	ReadOnly bool
	// Program is the name that others are told while the database is open; empty for the name the process was started by.
	Program string
}

// DB is the open database. It is safe for concurrent use.
type DB struct {
	bolt *boltkv.Store
}

// Open opens the database at path, creates it if there is none, and migrates it to the present schema. An error is a
// *boltkv.Error (who holds it, what is damaged, which directory is missing …) or a *SchemaError. A database that is refused
// is left as it was.
func Open(path string, o Options) (*DB, error) { return open(path, o, migrations()) }

func open(path string, o Options, all []migration) (*DB, error) {
	bolt, err := boltkv.Open(path, boltkv.Options{
		Timeout:  o.Timeout,
		ReadOnly: o.ReadOnly,
		Program:  o.Program,
		Accept:   func(tx kv.Tx) error { return accept(tx, path, o.ReadOnly, all) },
	})
	if err != nil {
		return nil, err
	}
	if !o.ReadOnly {
		if err := migrate(bolt, path, all); err != nil {
			_ = bolt.Close()
			return nil, err
		}
	}
	return &DB{bolt}, nil
}

// Sweeps returns the repository of sweeps.
func (db *DB) Sweeps() *Sweeps { return NewSweeps(db.bolt) }

// Backup writes a consistent copy of the database to w, while it is in use, and returns how many bytes that is. Open takes
// the copy.
func (db *DB) Backup(w io.Writer) (int64, error) { return db.bolt.Backup(w) }

// Close waits for running transactions and releases the database. It may be called again.
func (db *DB) Close() error { return db.bolt.Close() }
