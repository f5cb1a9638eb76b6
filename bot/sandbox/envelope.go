package sandbox

import (
	"encoding/json"
	"errors"
)

// errNoAck says that an envelope was not acknowledged in time.
var errNoAck = errors.New("not acknowledged in time")

// Envelope types.
const (
	envelopeSlash       = "slash_commands"
	envelopeInteractive = "interactive"
	envelopeEvent       = "events_api"
)

// envelope is what goes over a Socket Mode connection. Only events carry the retry fields.
type envelope struct {
	EnvelopeID             string  `json:"envelope_id"`
	Payload                any     `json:"payload"`
	Type                   string  `json:"type"`
	AcceptsResponsePayload bool    `json:"accepts_response_payload"`
	RetryAttempt           *int    `json:"retry_attempt,omitempty"`
	RetryReason            *string `json:"retry_reason,omitempty"`
}

// deliver sends an envelope over one of the connections. done is called once, without the lock: with the
// acknowledgement's payload, or with errNoAck. It returns false, and does nothing, when the app has no connection.
// The caller holds the lock.
func (s *Sandbox) deliver(e envelope, done func(payload json.RawMessage, err error)) bool {
	c := s.sockets.pick()
	if c == nil {
		return false
	}
	e.EnvelopeID = envelopeID()
	frame, err := encodeJSON(e)
	if err != nil {
		panic(err) // our own values
	}
	s.sockets.pending[e.EnvelopeID] = done
	s.after(s.opt.Timing.Ack, nil, func() {
		if done := s.settle(e.EnvelopeID); done != nil {
			done(nil, errNoAck)
		}
	})
	plan := s.faults.envelope(e.Type)
	for range plan.copies {
		if plan.delay > 0 {
			c.wait(plan.delay, func() { c.send(frame) })
		} else {
			c.send(frame)
		}
	}
	return true
}

// settle takes an envelope off the pending ones. It returns nil when it is settled already.
func (s *Sandbox) settle(id string) func(json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := s.sockets.pending[id]
	delete(s.sockets.pending, id)
	return done
}
