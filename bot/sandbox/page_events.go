package sandbox

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	maxStreams     = 64               // pages that follow at once
	streamAlive    = 15 * time.Second // between two comments on a silent stream
	streamDeadline = 10 * time.Second // for one write
)

// serveEvents streams the changes that a person may see, as server-sent events whose ids are sequence numbers. A page
// that lost the stream asks for what came after the last one it saw.
func (p *page) serveEvents(w http.ResponseWriter, r *http.Request) {
	s := p.sandbox
	after, err := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
	if err != nil {
		http.Error(w, "after must be a sequence number", http.StatusBadRequest)
		return
	}
	if !s.enterStream() {
		http.Error(w, "too many pages are open", http.StatusTooManyRequests)
		return
	}
	defer s.leaveStream()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	st := &stream{sandbox: s, user: r.URL.Query().Get("user"), after: after, out: w, ctl: http.NewResponseController(w)}
	alive := time.NewTicker(streamAlive)
	defer alive.Stop()
	if !st.write(": hello\n\n") {
		return
	}
	for {
		more, ok := st.catchUp()
		if !ok {
			return
		}
		select {
		case <-more:
		case <-alive.C:
			if !st.write(": alive\n\n") {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// stream is one page that follows.
type stream struct {
	sandbox *Sandbox
	user    string
	after   uint64
	out     http.ResponseWriter
	ctl     *http.ResponseController
}

// catchUp writes what is new. It returns a channel that is closed when there is more.
func (st *stream) catchUp() (more <-chan struct{}, ok bool) {
	s := st.sandbox
	s.mu.Lock()
	u, known := s.user(st.user)
	changes, missed, more := s.changes.since(st.after)
	last := s.changes.last
	var seen []Change
	for _, c := range changes {
		if known && s.visible(c, u) {
			seen = append(seen, c)
		}
	}
	s.mu.Unlock()
	if missed {
		seen = []Change{{Seq: last, Type: ChangeReset}}
	}
	st.after = last
	for _, c := range seen {
		raw, err := encodeJSON(c)
		if err != nil || !st.write(fmt.Sprintf("id: %d\ndata: %s\n\n", c.Seq, raw)) {
			return nil, false
		}
	}
	return more, true
}

func (st *stream) write(text string) bool {
	_ = st.ctl.SetWriteDeadline(time.Now().Add(streamDeadline)) // not every writer has one
	if _, err := st.out.Write([]byte(text)); err != nil {
		return false
	}
	return st.ctl.Flush() == nil
}

// visible reports whether a change is for this person's eyes. The caller holds the lock.
func (s *Sandbox) visible(c Change, u User) bool {
	if c.Only != "" && c.Only != u.ID {
		return false
	}
	if c.Channel == "" {
		return true
	}
	r, ok := s.room(c.Channel)
	return ok && (r.visibleTo(u) || c.Type == ChangeMembers && c.User == u.ID)
}

func (s *Sandbox) enterStream() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams >= maxStreams {
		return false
	}
	s.streams++
	return true
}

func (s *Sandbox) leaveStream() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams--
}
