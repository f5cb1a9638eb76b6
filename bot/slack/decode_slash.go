package slack

import (
	"encoding/json"

	"stuckbot/bot"
)

// What of a slash command the bot reads: https://docs.slack.dev/interactivity/implementing-slash-commands
type slashPayload struct {
	Command     string `json:"command"`
	Text        string `json:"text"`
	Team        string `json:"team_id"`
	Channel     string `json:"channel_id"`
	User        string `json:"user_id"`
	UserName    string `json:"user_name"`
	ResponseURL string `json:"response_url"`
	Trigger     string `json:"trigger_id"`
}

// slash reads a slash command. Each has a trigger of its own, which is the same when the command is delivered twice.
func (f *frame) slash(payload json.RawMessage) {
	var p slashPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		f.fail("the slash command is not of a known shape")
		return
	}
	key := p.Trigger
	if key == "" {
		key = f.id
	}
	if !fields(key, p.Channel, p.User) {
		f.fail("the slash command lacks its channel, user or trigger")
		return
	}
	f.events = []bot.Event{{
		Key:     "slash:" + key,
		Place:   bot.Place{Platform: Platform, Team: p.Team, Channel: p.Channel},
		User:    bot.User{ID: p.User, Name: p.UserName},
		Command: &bot.Command{Text: p.Text},
		Reply:   p.ResponseURL,
	}}
}
