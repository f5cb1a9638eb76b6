package slack

import (
	"encoding/json"
	"strings"

	"stuckbot/bot"
)

// What of an event the bot reads: https://docs.slack.dev/reference/events/app_mention
type eventPayload struct {
	Type  string `json:"type"`
	ID    string `json:"event_id"`
	Team  string `json:"team_id"`
	Event struct {
		Type    string          `json:"type"`
		Subtype string          `json:"subtype"`
		User    string          `json:"user"`
		Bot     string          `json:"bot_id"`
		Text    string          `json:"text"`
		TS      string          `json:"ts"`
		Thread  string          `json:"thread_ts"`
		Channel string          `json:"channel"`
		Team    string          `json:"user_team"`
		Team2   string          `json:"team"`
		Edited  json.RawMessage `json:"edited"`
	} `json:"event"`
}

// event reads an event of the Events API, of which the bot takes mentions by people.
func (f *frame) event(payload json.RawMessage, self string) {
	var p eventPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		f.fail("the event is not of a known shape")
		return
	}
	e := p.Event
	switch {
	case p.Type != "event_callback" || e.Type == "":
		f.fail("the event is not of a known kind")
		return
	case e.Type != "app_mention":
		f.ignored = "no mention"
		return
	case e.Bot != "" || e.Subtype != "" || e.User == self && self != "":
		f.ignored = "written by a bot"
		return
	case len(e.Edited) > 0 && string(e.Edited) != "null":
		f.ignored = "edited afterwards" // what was written and read once is not an order again
		return
	case !fields(p.ID, e.Channel, e.User, e.TS):
		f.fail("the mention lacks its id, channel, user or time")
		return
	}
	thread := e.Thread
	if thread == e.TS {
		thread = ""
	}
	f.events = []bot.Event{{
		Key:     "event:" + p.ID,
		Place:   bot.Place{Platform: Platform, Team: p.Team, Channel: e.Channel, Thread: thread},
		User:    bot.User{ID: e.User, Team: either(e.Team, e.Team2)},
		Command: &bot.Command{Text: mentionText(e.Text, self), Mention: true},
	}}
}

// mentionText returns what was written after the mention of the bot, as it was typed as far as that can be told: Slack's
// markup for links and names is undone.
func mentionText(text, self string) string {
	var b strings.Builder
	mentioned := false
	for text != "" {
		open := strings.IndexByte(text, '<')
		end := strings.IndexByte(text[max(open, 0):], '>')
		if open < 0 || end < 0 {
			b.WriteString(unescape(text))
			break
		}
		b.WriteString(unescape(text[:open]))
		inside := text[open+1 : open+end]
		text = text[open+end+1:]
		if target, _, _ := strings.Cut(inside, "|"); !mentioned && target == "@"+self && self != "" {
			mentioned = true
			b.Reset()
			continue
		}
		b.WriteString(typed(inside))
	}
	return strings.TrimSpace(b.String())
}

// typed is what a person most likely typed for a piece of Slack's markup. A mention of someone keeps its id, which says
// whom it means.
func typed(markup string) string {
	target, label, labelled := strings.Cut(markup, "|")
	target, label = unescape(target), unescape(label)
	switch {
	case strings.HasPrefix(target, "@"):
		return "<" + target + ">"
	case strings.HasPrefix(target, "#") && labelled:
		return "#" + label
	case strings.HasPrefix(target, "!subteam^") && labelled, strings.HasPrefix(target, "!date^") && labelled:
		return label
	case strings.HasPrefix(target, "!"):
		return "@" + strings.TrimPrefix(target, "!")
	case labelled && label != "":
		return label
	}
	return strings.TrimPrefix(target, "mailto:")
}
