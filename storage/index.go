package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"stuckbot/storage/kv"
)

var errMissing = errors.New("the value is missing")

// longKey is the length from which a key that comes from outside is replaced by its hash: stores need not take long keys.
const longKey = 200

// shortKey returns the key, or its hash where it is long.
func shortKey(key string) string {
	if len(key) < longKey {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// afterTime returns what follows the time in the key of an index.
func afterTime(prefix, key string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(key, prefix), "/")
	return rest
}

// pruneIndex removes the oldest entries of an index by time, at most limit of them that are from before a time, and what
// they stand for.
func pruneIndex(store kv.Store, prefix string, before time.Time, limit int, remove func(tx kv.Tx, rest string) error) (int, error) {
	text, err := formatTimeKey(before)
	if err != nil {
		return 0, err
	}
	var keys []string
	err = store.Update(func(tx kv.Tx) error {
		keys = nil
		err := tx.Scan(prefix, kv.ScanOptions{KeysOnly: true}, func(key string, _ []byte) (bool, error) {
			if len(keys) >= limit || key >= prefix+text {
				return false, nil
			}
			keys = append(keys, key)
			return true, nil
		})
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := remove(tx, afterTime(prefix, key)); err != nil {
				return err
			}
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
	return len(keys), err
}
