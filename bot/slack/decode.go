package slack

import (
	"encoding/json"
	"fmt"

	"stuckbot/bot"
)

// frameKind says what a Socket Mode frame is.
type frameKind string

const (
	frameHello      frameKind = "hello"
	frameDisconnect frameKind = "disconnect"
	// frameEnvelope is something to acknowledge.
	frameEnvelope frameKind = "envelope"
	// frameUnknown is neither, and cannot be acknowledged.
	frameUnknown frameKind = "unknown"
)

// frame is a Socket Mode frame as it was understood.
type frame struct {
	kind     frameKind
	id       string // of the envelope
	envelope string // its type
	reason   string // of a disconnect
	events   []bot.Event
	// problem says why an envelope could not be used; ignored says why it is not for the bot. They quote nothing.
	problem, ignored string
}

// What of a frame Slack documents: https://docs.slack.dev/apis/events-api/using-socket-mode
type rawFrame struct {
	Type     string          `json:"type"`
	Envelope string          `json:"envelope_id"`
	Reason   string          `json:"reason"`
	Payload  json.RawMessage `json:"payload"`
}

// safeDecode is decode for a frame that may be anything: a panic becomes a problem.
func safeDecode(raw []byte, self string) (f frame) {
	defer func() {
		if p := recover(); p != nil {
			f = broken(raw, fmt.Sprintf("panic: %v", p))
		}
	}()
	return decode(raw, self)
}

// decode understands a frame. self is the bot's user id.
func decode(raw []byte, self string) frame {
	var in rawFrame
	if err := json.Unmarshal(raw, &in); err != nil {
		return broken(raw, "it is no JSON object of a known shape")
	}
	switch in.Type {
	case "hello":
		return frame{kind: frameHello}
	case "disconnect":
		return frame{kind: frameDisconnect, reason: in.Reason}
	}
	if in.Envelope == "" {
		return frame{kind: frameUnknown, problem: "it is neither an envelope nor of a known type"}
	}
	f := frame{kind: frameEnvelope, id: in.Envelope}
	switch in.Type {
	case "slash_commands":
		f.envelope = in.Type
		f.slash(in.Payload)
	case "interactive":
		f.envelope = in.Type
		f.interaction(in.Payload)
	case "events_api":
		f.envelope = in.Type
		f.event(in.Payload, self)
	default:
		f.envelope, f.problem = "unknown", "its type is not known"
	}
	return f
}

// broken acknowledges, if at all possible, what could not be understood, so that it does not come again.
func broken(raw []byte, problem string) frame {
	var in struct {
		Envelope json.RawMessage `json:"envelope_id"`
	}
	var id string
	if json.Unmarshal(raw, &in) != nil || json.Unmarshal(in.Envelope, &id) != nil || id == "" {
		return frame{kind: frameUnknown, problem: problem}
	}
	return frame{kind: frameEnvelope, id: id, envelope: "unknown", problem: problem}
}

// fail notes why an envelope cannot be used.
func (f *frame) fail(problem string) { f.events, f.problem = nil, problem }

// maxField bounds what becomes part of a key. Slack's ids and timestamps are far shorter.
const maxField = 128

// fields reports whether all fields are there and look like Slack's ids and timestamps, so that a key can be made of them.
func fields(values ...string) bool {
	for _, v := range values {
		if v == "" || len(v) > maxField {
			return false
		}
		for i := range len(v) {
			c := v[i]
			letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
			if !letter && c != '.' && c != '_' && c != '-' && c != ':' {
				return false
			}
		}
	}
	return true
}
