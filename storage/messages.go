package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"stuckbot/bot"
	"stuckbot/storage/kv"
)

const (
	messagePrefix       = "message/"
	messageUnsentPrefix = "message-unsent/"
	messageAtPrefix     = "message-at/"
	messageIDPrefix     = "message-id/"
)

const messageForm = 1

type storedMessage struct {
	V       int          `json:"v"`
	Message bot.Outgoing `json:"message"`
}

// Messages keeps what the bot says, on its way and after it arrived. It implements bot.MessageStore.
type Messages struct {
	store kv.Store
}

var _ bot.MessageStore = (*Messages)(nil)

// NewMessages returns the repository of the messages in a store.
func NewMessages(store kv.Store) *Messages { return &Messages{store} }

// Queue implements bot.MessageStore. o.Created must be set.
func (s *Messages) Queue(o bot.Outgoing) error {
	if err := s.store.Update(func(tx kv.Tx) error { return queueMessage(tx, o) }); err != nil {
		return fmt.Errorf("queue message: %w", err)
	}
	return nil
}

// queueMessage stores a new message, or the new content of a known one. The same content again changes nothing, and a dead
// message stays dead.
func queueMessage(tx kv.Tx, o bot.Outgoing) error {
	known, found, err := getMessage(tx, o.Key)
	if err != nil {
		return err
	}
	if found {
		same, err := sameContent(known.Message, o.Message)
		if err != nil || same || known.Dead != "" {
			return err
		}
		known.Message = o.Message
		known.Version++
		o = known
	} else {
		o.Version, o.Sent, o.ID, o.Dead = 1, 0, "", ""
		at, err := formatTimeKey(o.Created)
		if err != nil {
			return err
		}
		if err := tx.Put(messageAtPrefix+at+"/"+shortKey(o.Key), nil); err != nil {
			return err
		}
	}
	return putMessage(tx, o)
}

func sameContent(a, b bot.Message) (bool, error) {
	first, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	second, err := json.Marshal(b)
	return bytes.Equal(first, second), err
}

// putMessage stores the message and keeps the index of unsent ones true.
func putMessage(tx kv.Tx, o bot.Outgoing) error {
	at, err := formatTimeKey(o.Created)
	if err != nil {
		return err
	}
	index := messageUnsentPrefix + at + "/" + shortKey(o.Key)
	if o.Dead == "" && o.Sent < o.Version {
		err = tx.Put(index, nil)
	} else {
		err = tx.Delete(index)
	}
	if err != nil {
		return err
	}
	return putJSON(tx, messageKey(o.Key), storedMessage{V: messageForm, Message: o})
}

// Unsent implements bot.MessageStore.
func (s *Messages) Unsent() ([]bot.Outgoing, error) {
	var unsent []bot.Outgoing
	err := s.store.View(func(tx kv.Tx) error {
		unsent = nil
		return tx.Scan(messageUnsentPrefix, kv.ScanOptions{KeysOnly: true}, func(key string, _ []byte) (bool, error) {
			o, found, err := getMessage(tx, afterTime(messageUnsentPrefix, key))
			if err == nil && !found {
				err = &ValueError{Key: key, Err: errMissing}
			}
			unsent = append(unsent, o)
			return err == nil, err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("unsent messages: %w", err)
	}
	return unsent, nil
}

// Message implements bot.MessageStore.
func (s *Messages) Message(key string) (bot.Outgoing, bool, error) {
	var o bot.Outgoing
	var found bool
	err := s.store.View(func(tx kv.Tx) (err error) {
		o, found, err = getMessage(tx, key)
		return err
	})
	if err != nil {
		return bot.Outgoing{}, false, fmt.Errorf("message: %w", err)
	}
	return o, found, nil
}

// Settle implements bot.MessageStore.
func (s *Messages) Settle(key, id string, sent int, dead string) error {
	err := s.store.Update(func(tx kv.Tx) error {
		o, found, err := getMessage(tx, key)
		if err == nil && !found {
			err = &ValueError{Key: messageKey(key), Err: errMissing}
		}
		if err != nil {
			return err
		}
		o.ID, o.Sent, o.Dead = id, max(o.Sent, sent), dead
		if id != "" {
			if err := tx.Put(idKey(o.Place, id), []byte(key)); err != nil {
				return err
			}
		}
		return putMessage(tx, o)
	})
	if err != nil {
		return fmt.Errorf("settle message: %w", err)
	}
	return nil
}

// Prune removes the oldest messages that were queued first before a time, at most limit of them, and returns how many.
// Whether they were sent does not matter: a message that could not be sent for so long would only confuse.
func (s *Messages) Prune(before time.Time, limit int) (int, error) {
	n, err := pruneIndex(s.store, messageAtPrefix, before, limit, func(tx kv.Tx, rest string) error {
		o, found, err := getMessage(tx, rest)
		if err != nil || !found {
			return err
		}
		at, err := formatTimeKey(o.Created)
		if err != nil {
			return err
		}
		for _, key := range []string{messageUnsentPrefix + at + "/" + rest, messagePrefix + rest, conversationPrefix + rest} {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		if o.ID == "" {
			return nil
		}
		return tx.Delete(idKey(o.Place, o.ID))
	})
	if err != nil {
		return 0, fmt.Errorf("prune messages: %w", err)
	}
	return n, nil
}

func messageKey(key string) string { return messagePrefix + shortKey(key) }

func idKey(p bot.Place, id string) string {
	return messageIDPrefix + shortKey(p.Platform+"/"+p.Team+"/"+p.Channel+"/"+id)
}

func getMessage(tx kv.Tx, key string) (bot.Outgoing, bool, error) {
	value, ok, err := tx.Get(messageKey(key))
	if err != nil || !ok {
		return bot.Outgoing{}, false, err
	}
	stored, err := decodeMessage(value)
	if err != nil {
		return bot.Outgoing{}, false, &ValueError{Key: messageKey(key), Err: err}
	}
	return stored.Message, true, nil
}

func decodeMessage(value []byte) (storedMessage, error) {
	var stored storedMessage
	err := decodeJSON(value, messageForm, &stored)
	return stored, err
}
