package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"stuckbot/bot"
)

const (
	// findSlack is how much earlier than asked the search begins: our clock and Slack's differ.
	findSlack = time.Minute
	// findPage and findPages bound the search: 4,000 messages.
	findPage  = 200
	findPages = 20
)

// history is what Find reads of conversations.history and conversations.replies.
type history struct {
	Messages []struct {
		TS       string `json:"ts"`
		Bot      string `json:"bot_id"`
		Metadata struct {
			Type    string          `json:"event_type"`
			Payload json.RawMessage `json:"event_payload"`
		} `json:"metadata"`
	} `json:"messages"`
	Response struct {
		Cursor string `json:"next_cursor"`
	} `json:"response_metadata"`
}

// Find implements bot.Transport. Without the scope to read the channel it finds nothing, and says so once: posting is then
// at least once. Of several messages with the key it returns the oldest.
func (t *Transport) Find(ctx context.Context, in bot.Place, key string, since time.Time) (string, error) {
	method := "conversations.history"
	args := url.Values{
		"channel": {in.Channel}, "limit": {strconv.Itoa(findPage)}, "include_all_metadata": {"true"},
		"oldest": {fmt.Sprintf("%d.000000", max(since.Add(-findSlack).Unix(), 0))}, "inclusive": {"true"},
	}
	if in.Thread != "" {
		method = "conversations.replies"
		args.Set("ts", in.Thread)
	}
	who, err := t.whoami(ctx)
	if err != nil {
		return "", err
	}
	found := ""
	for range findPages {
		var page history
		err := t.outcome(t.call(ctx, method, args, &page), true)
		if missing := new(scopeError); errors.As(err, &missing) {
			t.cannotFind(missing)
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", method, withoutDoubt(err))
		}
		if id := page.ours(who.bot, key); id != "" && (found == "" || id < found) {
			found = id
		}
		if page.Response.Cursor == "" {
			return found, nil
		}
		args.Set("cursor", page.Response.Cursor)
	}
	if found == "" {
		t.o.Log.Warn().Str("channel", in.Channel).Str("key", key).Msg("slack: the channel has too many messages since then; one of ours may be posted twice")
	}
	return found, nil
}

// ours returns the oldest message of this bot with the key.
func (h *history) ours(me, key string) string {
	found := ""
	for _, m := range h.Messages {
		var payload map[string]any
		if m.Bot != me || me == "" || m.Metadata.Type != metadataType || json.Unmarshal(m.Metadata.Payload, &payload) != nil {
			continue
		}
		if payload[metadataKey] == key && (found == "" || m.TS < found) {
			found = m.TS
		}
	}
	return found
}

func (t *Transport) cannotFind(missing *scopeError) {
	t.mu.Lock()
	said := t.blindly
	t.blindly = true
	t.mu.Unlock()
	if !said {
		t.o.Log.Warn().Str("scope", missing.needed).Msg("slack: without this scope a message whose outcome is unknown is posted again")
	}
}
