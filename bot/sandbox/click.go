package sandbox

import (
	"encoding/json"
)

// noticeTimeout is what Slack shows beside a button whose click the app did not acknowledge.
const noticeTimeout = "Operation timed out. Apps need to respond within 3 seconds."

// noticeOffline is what the sandbox shows when the app has no connection at all.
const noticeOffline = "The app is not connected. Nothing was sent."

// Click presses a button of a message, also of an ephemeral one. The block may be empty when the action_id says enough.
// It does not ask for confirmation: that is the page's part. Errors: those of Say, message_not_found, action_not_found.
func (p *Person) Click(channel, ts, blockID, actionID string) error {
	s := p.sandbox
	s.mu.Lock()
	defer s.mu.Unlock()
	u, r, err := p.in(channel)
	if err != nil {
		return err
	}
	m, err := p.clickable(r, ts)
	if err != nil {
		return err
	}
	action := findAction(m, blockID, actionID)
	if action == nil {
		return refuse("action_not_found")
	}
	action["action_ts"] = s.nextTS()
	e := envelope{Type: envelopeInteractive, Payload: s.blockActions(u, r, m, action)}
	delivered := s.deliver(e, func(_ json.RawMessage, err error) {
		if err != nil {
			s.notice(u.ID, r.ID, ts, noticeTimeout)
		}
	})
	if !delivered {
		s.publish(Change{Type: ChangeNotice, Only: u.ID, Channel: r.ID, TS: ts, Text: noticeOffline})
	}
	return nil
}

// clickable returns the message that the person sees under this ts.
func (p *Person) clickable(r *room, ts string) (Message, error) {
	if i := r.findEphemeral(ts); i >= 0 && r.ephemerals[i].user == p.id {
		return r.ephemerals[i].Message, nil
	}
	if i := r.find(ts); i >= 0 {
		return r.messages[i], nil
	}
	return Message{}, refuse("message_not_found")
}

// blockActions is the payload of a click. For an ephemeral message Slack leaves the message out.
func (s *Sandbox) blockActions(u User, r *room, m Message, action object) map[string]any {
	container := map[string]any{
		"type": "message", "message_ts": m.TS, "channel_id": r.ID, "is_ephemeral": m.IsEphemeral,
	}
	if m.ThreadTS != "" {
		container["thread_ts"] = m.ThreadTS
	}
	payload := map[string]any{
		"type": "block_actions", "api_app_id": s.opt.App.ID, "token": "sandbox",
		"user":       map[string]any{"id": u.ID, "username": u.Name, "name": u.Name, "team_id": u.TeamID},
		"team":       map[string]any{"id": s.team.ID, "domain": s.team.Domain},
		"channel":    map[string]any{"id": r.ID, "name": r.Name},
		"enterprise": nil, "is_enterprise_install": false,
		"container": container, "state": map[string]any{"values": map[string]any{}}, "actions": []any{action},
		"trigger_id": s.triggers.issue(s.opt.Now().Add(s.opt.Timing.Trigger)),
		"response_url": s.responseURL("actions", origin{
			channel: r.ID, user: u.ID, ts: m.TS, thread: threadOf(m),
		}),
	}
	if !m.IsEphemeral {
		payload["message"] = m.withoutMetadata()
	}
	return payload
}

// threadOf is the thread an answer to a click belongs to: the message's own, if it is a reply.
func threadOf(m Message) string {
	if m.isReply() {
		return m.ThreadTS
	}
	return ""
}

// findAction returns the element as it goes into the actions of a payload, or nil. It looks into attachments, too.
func findAction(m Message, blockID, actionID string) object {
	var attachments []struct {
		Blocks []object `json:"blocks"`
	}
	_ = json.Unmarshal(m.Attachments, &attachments) // validated when it was stored
	var blocks []object
	_ = json.Unmarshal(m.Blocks, &blocks)
	for _, a := range attachments {
		blocks = append(blocks, a.Blocks...)
	}
	for _, b := range blocks {
		if blockID != "" && b["block_id"] != blockID {
			continue
		}
		elements, _ := b["elements"].([]any)
		for _, e := range append(elements, b["accessory"]) {
			el, ok := e.(object)
			if ok && el["type"] == "button" && el["action_id"] == actionID {
				return actionOf(el, b["block_id"])
			}
		}
	}
	return nil
}

func actionOf(el object, blockID any) object {
	action := object{"block_id": blockID}
	for _, name := range []string{"type", "action_id", "text", "value", "style", "url"} {
		if v, ok := el[name]; ok {
			action[name] = v
		}
	}
	return action
}

// notice tells one person something about a message.
func (s *Sandbox) notice(user, channel, ts, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.publish(Change{Type: ChangeNotice, Only: user, Channel: channel, TS: ts, Text: text})
}
