package sandbox

import (
	"context"
	"slices"
)

// ChangeType says what happened in the workspace.
type ChangeType string

// The changes that a page follows.
const (
	ChangeMessage        ChangeType = "message"         // a new message; Only is set when it is ephemeral
	ChangeMessageChanged ChangeType = "message_changed" // edited, reacted to, replied to
	ChangeMessageDeleted ChangeType = "message_deleted"
	ChangeMembers        ChangeType = "members"  // someone joined or left, or the channel was archived
	ChangeUser           ChangeType = "user"     // a user was changed
	ChangePresence       ChangeType = "presence" // the app opened or lost a connection
	ChangeNotice         ChangeType = "notice"   // something Slack tells one person beside the messages
	ChangeReset          ChangeType = "reset"    // the page missed too much and loads again
)

// Change is one thing that happened. Seq counts them from 1.
type Change struct {
	Seq      uint64     `json:"seq"`
	Type     ChangeType `json:"type"`
	Channel  string     `json:"channel,omitempty"`
	User     string     `json:"user,omitempty"`
	Only     string     `json:"only,omitempty"` // for this person alone
	TS       string     `json:"ts,omitempty"`
	ThreadTS string     `json:"thread_ts,omitempty"`
	Message  *Message   `json:"message,omitempty"`
	Text     string     `json:"text,omitempty"`
	Online   int        `json:"online,omitempty"` // open connections of the app
}

// changeLog keeps the latest changes. Readers remember the last sequence number they saw, so a slow one costs nothing.
type changeLog struct {
	limit int
	last  uint64
	kept  []Change
	more  chan struct{} // closed at the next change
}

func newChangeLog(limit int) *changeLog { return &changeLog{limit: limit, more: make(chan struct{})} }

// publish records a change and wakes everyone who waits. The caller holds the lock.
func (s *Sandbox) publish(c Change) {
	l := s.changes
	l.last++
	c.Seq = l.last
	l.kept = append(l.kept, c)
	if over := len(l.kept) - l.limit; over > 0 {
		l.kept = slices.Delete(l.kept, 0, over)
	}
	close(l.more)
	l.more = make(chan struct{})
}

// since returns the changes after seq, and a channel that is closed when there are more. missed is true when some of
// them are no longer kept.
func (l *changeLog) since(seq uint64) (changes []Change, missed bool, more <-chan struct{}) {
	if seq > l.last { // from another life of the sandbox
		return nil, true, l.more
	}
	first := l.last - uint64(len(l.kept)) // the seq before the oldest kept
	if seq < first {
		return nil, true, l.more
	}
	return slices.Clone(l.kept[seq-first:]), false, l.more
}

// Await waits until cond is true: it asks now and after every change. It returns the context's error otherwise. cond
// runs without the sandbox's lock and may call its methods.
func (s *Sandbox) Await(ctx context.Context, cond func() bool) error {
	for {
		s.mu.Lock()
		more := s.changes.more
		s.mu.Unlock()
		if cond() {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
}

// Messages returns what stands in a channel, oldest first, replies included, as people see it.
func (s *Sandbox) Messages(channel string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.room(channel); ok {
		return slices.Clone(r.messages)
	}
	return nil
}

// Ephemerals returns the messages in a channel that only this person sees, oldest first.
func (s *Sandbox) Ephemerals(channel, user string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	if r, ok := s.room(channel); ok {
		for _, e := range r.ephemerals {
			if e.user == user {
				out = append(out, e.Message)
			}
		}
	}
	return out
}

// Notices returns what Slack told this person beside the messages, oldest first, as far as it is kept.
func (s *Sandbox) Notices(user string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, c := range s.changes.kept {
		if c.Type == ChangeNotice && c.Only == user {
			out = append(out, c.Text)
		}
	}
	return out
}
