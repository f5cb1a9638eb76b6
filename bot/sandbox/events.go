package sandbox

import (
	"encoding/json"
	"slices"
	"strings"
)

// Bot events by their manifest names.
const (
	eventAppMention      = "app_mention"
	eventMessageChannels = "message.channels"
	eventMessageGroups   = "message.groups"
	eventMemberJoined    = "member_joined_channel"
)

// messageEvent is a message as the Events API shows it.
type messageEvent struct {
	Message
	Channel     string `json:"channel"`
	ChannelType string `json:"channel_type,omitempty"`
	EventTS     string `json:"event_ts"`
}

// messageEvents tells the app of a new message, and of being mentioned in it. The caller holds the lock.
func (s *Sandbox) messageEvents(r *room, m Message) {
	e := messageEvent{Message: m.withoutMetadata(), Channel: r.ID, ChannelType: r.eventType(), EventTS: m.TS}
	if s.subscribed(r.messageEvent(), r.historyScope()) {
		s.event(r, "message", e)
	}
	mentioned := strings.Contains(m.Text, "<@"+s.opt.App.BotUserID+">") && m.User != s.opt.App.BotUserID
	if mentioned && m.Subtype == "" && s.subscribed(eventAppMention, "app_mentions:read") {
		e.Type, e.ChannelType = eventAppMention, ""
		s.event(r, eventAppMention, e)
	}
}

// changedEvent tells the app that a message was edited.
func (s *Sandbox) changedEvent(r *room, now, before Message) {
	s.hiddenEvent(r, "message_changed", map[string]any{
		"message": now.withoutMetadata(), "previous_message": before.withoutMetadata(),
	})
}

// deletedEvent tells the app that a message was deleted.
func (s *Sandbox) deletedEvent(r *room, m Message) {
	s.hiddenEvent(r, "message_deleted", map[string]any{"deleted_ts": m.TS, "previous_message": m.withoutMetadata()})
}

func (s *Sandbox) hiddenEvent(r *room, subtype string, fields map[string]any) {
	if !s.subscribed(r.messageEvent(), r.historyScope()) {
		return
	}
	ts := s.nextTS()
	e := map[string]any{
		"type": "message", "subtype": subtype, "hidden": true, "channel": r.ID, "channel_type": r.eventType(),
		"ts": ts, "event_ts": ts,
	}
	for k, v := range fields {
		e[k] = v
	}
	s.event(r, "message", e)
}

// memberJoined tells the app that someone joined a channel it is in, itself included.
func (s *Sandbox) memberJoined(r *room, user, inviter string) {
	if !s.subscribed(eventMemberJoined, r.readScope()) {
		return
	}
	kind := "C"
	if r.IsPrivate {
		kind = "G"
	}
	e := map[string]any{
		"type": eventMemberJoined, "user": user, "channel": r.ID, "channel_type": kind, "team": s.team.ID, "event_ts": s.nextTS(),
	}
	if inviter != "" {
		e["inviter"] = inviter
	}
	s.event(r, eventMemberJoined, e)
}

func (s *Sandbox) subscribed(event, scope string) bool {
	return slices.Contains(s.opt.Events, event) && slices.Contains(s.opt.Scopes, scope)
}

// event delivers an event of a channel that the bot is in, and again later while it is not acknowledged.
func (s *Sandbox) event(r *room, kind string, event any) {
	if !r.has(s.opt.App.BotUserID) {
		return
	}
	s.deliverEvent(map[string]any{
		"token": "sandbox", "team_id": s.team.ID, "context_team_id": s.team.ID, "api_app_id": s.opt.App.ID,
		"event": event, "type": "event_callback", "event_id": "Ev" + randomID(10), "event_time": s.opt.Now().Unix(),
		"authorizations": []any{map[string]any{
			"enterprise_id": nil, "team_id": s.team.ID, "user_id": s.opt.App.BotUserID, "is_bot": true, "is_enterprise_install": false,
		}},
		"is_ext_shared_channel": r.IsExtShared, "event_context": "4-" + kind + "-" + s.team.ID + "-" + r.ID,
	}, 0)
}

// deliverEvent sends an event for the attempt-th time, counted from 0. A retry is a new envelope with the same event_id.
func (s *Sandbox) deliverEvent(payload any, attempt int) {
	reason := ""
	if attempt > 0 {
		reason = "timeout"
	}
	e := envelope{Type: envelopeEvent, Payload: payload, RetryAttempt: &attempt, RetryReason: &reason}
	again := func() {
		if attempt < len(s.opt.Timing.EventRetries) {
			s.after(s.opt.Timing.EventRetries[attempt], nil, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.deliverEvent(payload, attempt+1)
			})
		}
	}
	delivered := s.deliver(e, func(_ json.RawMessage, err error) {
		if err != nil {
			again()
		}
	})
	if !delivered { // nobody to take it counts as not acknowledged
		s.after(s.opt.Timing.Ack, nil, again)
	}
}

// eventType is the channel_type of message events.
func (r *room) eventType() string {
	if r.IsPrivate {
		return "group"
	}
	return "channel"
}

func (r *room) messageEvent() string {
	if r.IsPrivate {
		return eventMessageGroups
	}
	return eventMessageChannels
}
