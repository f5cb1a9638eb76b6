package storage

import (
	"fmt"

	"stuckbot/storage/kv"
)

const sandboxKey = "mark/sandbox"

// MarkSandbox notes that the database has seen a chat server that is not the platform's own, where anyone may have acted as
// anyone. The mark cannot be taken away.
func (db *DB) MarkSandbox(server string) error {
	err := db.bolt.Update(func(tx kv.Tx) error {
		if _, marked, err := tx.Get(sandboxKey); err != nil || marked {
			return err
		}
		return tx.Put(sandboxKey, []byte(server))
	})
	if err != nil {
		return fmt.Errorf("mark the database: %w", err)
	}
	return nil
}

// Sandbox returns the server that the database was marked for, or "" for a database that only knows the real platform.
func (db *DB) Sandbox() (string, error) {
	var server []byte
	err := db.bolt.View(func(tx kv.Tx) (err error) {
		server, _, err = tx.Get(sandboxKey)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the database's mark: %w", err)
	}
	return string(server), nil
}

// Events returns the repository of the chat's events.
func (db *DB) Events() *Events { return NewEvents(db.bolt) }

// Messages returns the repository of what the bot says.
func (db *DB) Messages() *Messages { return NewMessages(db.bolt) }

// Conversations returns the repository of what threads are about.
func (db *DB) Conversations() *Conversations { return NewConversations(db.bolt) }
