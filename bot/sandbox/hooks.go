package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// maxHookUses is how often a response_url serves.
const maxHookUses = 5

// origin is the interaction that something answers: a slash command, or a click on a message.
type origin struct {
	channel string
	user    string
	ts      string // of the clicked message; empty for a slash command
	thread  string // the clicked message's thread
}

// hook is a response_url.
type hook struct {
	origin
	ends time.Time
	uses int
}

// hooks are the response URLs that were handed out, the oldest forgotten first.
type hooks struct {
	limit  int
	order  []string
	byPath map[string]*hook
}

func newHooks(limit int) *hooks { return &hooks{limit: limit, byPath: map[string]*hook{}} }

// responseURL hands out a response_url. kind is commands or actions. The caller holds the lock.
func (s *Sandbox) responseURL(kind string, o origin) string {
	h := s.hooks
	path := fmt.Sprintf("/hooks/%s/%s/%d/%s", kind, s.team.ID, s.opt.Now().UnixMilli(), randomText(24))
	h.byPath[path] = &hook{origin: o, ends: s.opt.Now().Add(s.opt.Timing.ResponseURL)}
	h.order = append(h.order, path)
	for over := len(h.order) - h.limit; over > 0; over-- {
		delete(h.byPath, h.order[0])
		h.order = slices.Delete(h.order, 0, 1)
	}
	return s.baseURL + path
}

// serveHook takes a message sent to a response_url. A URL that is used up or too old answers 404 with used_url or
// expired_url; a message that cannot be shown answers 400 with the error's code, and does not count.
func (s *Sandbox) serveHook(w http.ResponseWriter, r *http.Request) {
	if s.faults.before(w, r, faultResponseURL) {
		return
	}
	a, err := parseArgs(r, s.opt.Limits.Body)
	if payload := a.raw("payload"); err == nil && len(payload) > 0 {
		err = a.addJSON(payload)
	}
	status := http.StatusBadRequest
	if err == nil {
		status, err = s.useHook(r.URL.Path, a)
	}
	s.faults.after(r, faultResponseURL)
	var refused *Error
	if errors.As(err, &refused) {
		answer{err: refused}.writeWith(w, status)
		return
	}
	fmt.Fprint(w, "ok")
}

func (s *Sandbox) useHook(path string, a args) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.hooks.byPath[path]
	switch {
	case !ok:
		return http.StatusNotFound, refuse("no_service")
	case s.opt.Now().After(h.ends):
		return http.StatusNotFound, refuse("expired_url")
	case h.uses >= maxHookUses:
		return http.StatusNotFound, refuse("used_url")
	}
	if err := s.respond(h.origin, a); err != nil {
		return http.StatusBadRequest, err
	}
	h.uses++
	return http.StatusOK, nil
}

// respond shows an answer to an interaction: by default to the person alone, or in the channel, or in place of the
// message that was clicked. The caller holds the lock.
func (s *Sandbox) respond(o origin, a args) error {
	r, ok := s.room(o.channel)
	if !ok {
		return refuse("channel_not_found")
	}
	if a.flag("delete_original") && o.ts != "" {
		return s.deleteOriginal(r, o)
	}
	body, _, err := s.readContent(a)
	if err != nil {
		return err
	}
	if body.empty() {
		return refuse("no_text")
	}
	if a.flag("replace_original") && o.ts != "" {
		return s.replaceOriginal(r, o, a, body)
	}
	thread := a.text("thread_ts")
	switch a.text("response_type") {
	case "in_channel":
		if r.IsArchived {
			return refuse("is_archived")
		}
		s.post(r, s.fromBot(body), thread, a.flag("reply_broadcast"))
	case "", "ephemeral":
		if thread == "" {
			thread = o.thread
		}
		s.postEphemeral(r, o.user, s.fromBot(body), thread)
	default:
		return refuse("invalid_response_type")
	}
	return nil
}

func (s *Sandbox) replaceOriginal(r *room, o origin, a args, body content) error {
	if i := r.findEphemeral(o.ts); i >= 0 {
		e := r.ephemerals[i]
		e.Message = edit(e.Message, a, body)
		r.ephemerals[i] = e
		s.publish(Change{Type: ChangeMessageChanged, Channel: r.ID, Only: e.user, Message: &e.Message})
		return nil
	}
	i := r.find(o.ts)
	if i < 0 {
		return refuse("message_not_found")
	}
	before := r.messages[i]
	s.replace(r, i, edit(before, a, body))
	s.changedEvent(r, r.messages[i], before)
	return nil
}

func (s *Sandbox) deleteOriginal(r *room, o origin) error {
	if i := r.findEphemeral(o.ts); i >= 0 {
		e := r.ephemerals[i]
		r.ephemerals = slices.Delete(slices.Clone(r.ephemerals), i, i+1)
		s.publish(Change{Type: ChangeMessageDeleted, Channel: r.ID, Only: e.user, TS: e.TS, ThreadTS: e.ThreadTS})
		return nil
	}
	i := r.find(o.ts)
	if i < 0 {
		return refuse("message_not_found")
	}
	s.remove(r, i)
	return nil
}
