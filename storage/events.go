package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stuckbot/bot"
	"stuckbot/storage/kv"
)

const (
	eventPrefix     = "event/"
	eventOpenPrefix = "event-open/"
	eventDonePrefix = "event-done/"
)

const eventForm = 1

// storedEvent is an event and what became of it.
type storedEvent struct {
	V        int       `json:"v"`
	Event    bot.Event `json:"event"`
	Attempts int       `json:"attempts"`
	Done     time.Time `json:"done,omitzero"`
}

// Events keeps the chat's events: open until they are done, and afterwards long enough to know them again. It implements
// bot.EventStore.
type Events struct {
	store kv.Store
}

var _ bot.EventStore = (*Events)(nil)

// NewEvents returns the repository of the events in a store.
func NewEvents(store kv.Store) *Events { return &Events{store} }

// Receive implements bot.EventStore. e.Received must be set.
func (s *Events) Receive(e bot.Event) (bool, error) {
	at, err := formatTimeKey(e.Received)
	if err != nil {
		return false, fmt.Errorf("receive event: %w", err)
	}
	fresh := false
	err = s.store.Update(func(tx kv.Tx) error {
		_, known, err := tx.Get(eventKey(e.Key))
		fresh = err == nil && !known
		if err != nil || known {
			return err
		}
		if err := tx.Put(eventOpenPrefix+at+"/"+shortKey(e.Key), nil); err != nil {
			return err
		}
		return putJSON(tx, eventKey(e.Key), storedEvent{V: eventForm, Event: e})
	})
	if err != nil {
		return false, fmt.Errorf("receive event: %w", err)
	}
	return fresh, nil
}

// Open implements bot.EventStore.
func (s *Events) Open() ([]bot.Event, error) {
	var open []bot.Event
	err := s.store.View(func(tx kv.Tx) error {
		open = nil
		return tx.Scan(eventOpenPrefix, kv.ScanOptions{KeysOnly: true}, func(key string, _ []byte) (bool, error) {
			stored, err := getEvent(tx, eventPrefix+afterTime(eventOpenPrefix, key))
			if err != nil {
				return false, err
			}
			open = append(open, stored.Event)
			return true, nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("open events: %w", err)
	}
	return open, nil
}

// Event returns an event by its key, and whether it is known.
func (s *Events) Event(key string) (bot.Event, bool, error) {
	var stored storedEvent
	err := s.store.View(func(tx kv.Tx) (err error) {
		stored, err = getEvent(tx, eventKey(key))
		return err
	})
	if errors.Is(err, errMissing) {
		return bot.Event{}, false, nil
	}
	if err != nil {
		return bot.Event{}, false, fmt.Errorf("event: %w", err)
	}
	return stored.Event, true, nil
}

// Begin implements bot.EventStore.
func (s *Events) Begin(key string) (int, error) {
	attempt := 0
	err := s.store.Update(func(tx kv.Tx) error {
		stored, err := getEvent(tx, eventKey(key))
		if err != nil {
			return err
		}
		stored.Attempts++
		attempt = stored.Attempts
		return putJSON(tx, eventKey(key), stored)
	})
	if err != nil {
		return 0, fmt.Errorf("begin event: %w", err)
	}
	return attempt, nil
}

// Done implements bot.EventStore. An event that is done already stays as it is, and nothing is queued again.
func (s *Events) Done(key string, at time.Time, out []bot.Outgoing) error {
	done, err := formatTimeKey(at)
	if err != nil {
		return fmt.Errorf("event done: %w", err)
	}
	err = s.store.Update(func(tx kv.Tx) error {
		stored, err := getEvent(tx, eventKey(key))
		if err != nil || !stored.Done.IsZero() {
			return err
		}
		received, err := formatTimeKey(stored.Event.Received)
		if err != nil {
			return err
		}
		stored.Done = at.UTC()
		for _, o := range out {
			if err := queueMessage(tx, o); err != nil {
				return err
			}
		}
		if err := tx.Delete(eventOpenPrefix + received + "/" + shortKey(key)); err != nil {
			return err
		}
		if err := tx.Put(eventDonePrefix+done+"/"+shortKey(key), nil); err != nil {
			return err
		}
		return putJSON(tx, eventKey(key), stored)
	})
	if err != nil {
		return fmt.Errorf("event done: %w", err)
	}
	return nil
}

// Prune removes the oldest events that were done before a time, at most limit of them, and returns how many. An event that
// is delivered again after that would be worked again.
func (s *Events) Prune(before time.Time, limit int) (int, error) {
	n, err := pruneIndex(s.store, eventDonePrefix, before, limit, func(tx kv.Tx, rest string) error {
		return tx.Delete(eventPrefix + rest)
	})
	if err != nil {
		return 0, fmt.Errorf("prune events: %w", err)
	}
	return n, nil
}

func eventKey(key string) string { return eventPrefix + shortKey(key) }

func getEvent(tx kv.Tx, key string) (storedEvent, error) {
	value, ok, err := tx.Get(key)
	if err != nil {
		return storedEvent{}, err
	}
	if !ok {
		return storedEvent{}, &ValueError{Key: key, Err: errMissing}
	}
	stored, err := decodeEvent(value)
	if err != nil {
		return storedEvent{}, &ValueError{Key: key, Err: err}
	}
	return stored, nil
}

func decodeEvent(value []byte) (storedEvent, error) {
	var stored storedEvent
	err := decodeJSON(value, eventForm, &stored)
	return stored, err
}

func putJSON(tx kv.Tx, key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s: %w", key, err)
	}
	return tx.Put(key, data)
}
