package slack

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"stuckbot/bot"
)

// What of an interaction the bot reads: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
type clickPayload struct {
	Type string `json:"type"`
	User struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Team string `json:"team_id"`
	} `json:"user"`
	Team struct {
		ID string `json:"id"`
	} `json:"team"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Container struct {
		Message string `json:"message_ts"`
		Channel string `json:"channel_id"`
		Thread  string `json:"thread_ts"`
	} `json:"container"`
	Message struct {
		TS     string `json:"ts"`
		Thread string `json:"thread_ts"`
	} `json:"message"`
	Actions     []clickAction `json:"actions"`
	ResponseURL string        `json:"response_url"`
}

type clickAction struct {
	Type   string `json:"type"`
	Block  string `json:"block_id"`
	Action string `json:"action_id"`
	Value  string `json:"value"`
	TS     string `json:"action_ts"`
}

// interaction reads a click. The message that Slack sends along is not looked at: what a button may do is in the store.
func (f *frame) interaction(payload json.RawMessage) {
	var p clickPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		f.fail("the interaction is not of a known shape")
		return
	}
	if p.Type != "block_actions" || len(p.Actions) == 0 {
		f.fail("an interaction of this kind is not known")
		return
	}
	at := p.place()
	message := either(p.Container.Message, p.Message.TS)
	for _, a := range p.Actions {
		if a.Type != "button" || !fields(at.Channel, p.User.ID, message, a.TS, a.Action) {
			f.fail("the interaction is no click on a button of a message")
			return
		}
		id, verb, digest, err := decodeButton(a.Action, a.Value)
		if err != nil {
			f.fail(err.Error())
			return
		}
		f.events = append(f.events, bot.Event{
			Key:   clickKey(p.User.ID, at.Channel, message, a),
			Place: at,
			User:  bot.User{ID: p.User.ID, Name: p.User.Name, Team: p.User.Team},
			Click: &bot.Click{ID: id, Verb: verb, Digest: digest, Message: message},
			Reply: p.ResponseURL,
		})
	}
}

// place is where the clicked message stands. The first message of a thread stands in its channel.
func (p *clickPayload) place() bot.Place {
	thread := either(p.Container.Thread, p.Message.Thread)
	if thread == either(p.Container.Message, p.Message.TS) {
		thread = ""
	}
	return bot.Place{Platform: Platform, Team: p.Team.ID, Channel: either(p.Container.Channel, p.Channel.ID), Thread: thread}
}

// clickKey identifies a click: who pressed which button of which message, and when. A second press is another click.
func clickKey(user, channel, message string, a clickAction) string {
	what := sha256.Sum256([]byte(a.Block + "\x00" + a.Value))
	return strings.Join([]string{"click", user, channel, message, a.Action, hex.EncodeToString(what[:8]), a.TS}, ":")
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
