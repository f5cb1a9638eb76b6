package storage

import (
	"fmt"
	"time"

	"stuckbot/bot"
	"stuckbot/storage/kv"
)

const conversationPrefix = "conversation/"

const conversationForm = 1

// Conversation is what a message of the bot, and the thread below it, is about.
type Conversation struct {
	// Message is the key of the message.
	Message string `json:"message"`
	// Order is the command that the message answers, as it was typed.
	Order string `json:"order"`
	// By is the person who gave the order.
	By    string    `json:"by"`
	Began time.Time `json:"began"`
}

type storedConversation struct {
	V            int          `json:"v"`
	Conversation Conversation `json:"conversation"`
}

// Conversations keeps what threads are about. An entry goes when its message is pruned.
type Conversations struct {
	store kv.Store
}

// NewConversations returns the repository of the conversations in a store.
func NewConversations(store kv.Store) *Conversations { return &Conversations{store} }

// Save stores c in place of what was known of its message.
func (s *Conversations) Save(c Conversation) error {
	err := s.store.Update(func(tx kv.Tx) error {
		return putJSON(tx, conversationPrefix+shortKey(c.Message), storedConversation{conversationForm, c})
	})
	if err != nil {
		return fmt.Errorf("save conversation: %w", err)
	}
	return nil
}

// InThread returns the conversation of a thread, whose first message the bot must have sent.
func (s *Conversations) InThread(p bot.Place) (Conversation, bool, error) {
	var stored storedConversation
	var found bool
	err := s.store.View(func(tx kv.Tx) error {
		found = false
		message, known, err := tx.Get(idKey(p, p.Thread))
		if err != nil || !known {
			return err
		}
		key := conversationPrefix + shortKey(string(message))
		value, known, err := tx.Get(key)
		if err != nil || !known {
			return err
		}
		found = true
		if stored, err = decodeConversation(value); err != nil {
			return &ValueError{Key: key, Err: err}
		}
		return nil
	})
	if err != nil {
		return Conversation{}, false, fmt.Errorf("conversation: %w", err)
	}
	return stored.Conversation, found, nil
}

func decodeConversation(value []byte) (storedConversation, error) {
	var stored storedConversation
	err := decodeJSON(value, conversationForm, &stored)
	return stored, err
}
