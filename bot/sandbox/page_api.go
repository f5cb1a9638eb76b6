package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
)

// api serves the page's own API under /page/. Every request names the person it acts as in "user".
func (p *page) api() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page/state", p.get(p.state))
	mux.HandleFunc("GET /page/messages", p.get(p.messages))
	mux.HandleFunc("GET /page/thread", p.get(p.thread))
	mux.HandleFunc("GET /page/events", p.serveEvents)
	mux.HandleFunc("POST /page/send", p.post(p.send))
	mux.HandleFunc("POST /page/click", p.post(func(s *Sandbox, in pageInput) error {
		return s.As(in.User).Click(in.Channel, in.TS, in.BlockID, in.ActionID)
	}))
	mux.HandleFunc("POST /page/react", p.post(func(s *Sandbox, in pageInput) error {
		return s.As(in.User).React(in.Channel, in.TS, in.Name)
	}))
	mux.HandleFunc("POST /page/join", p.post(func(s *Sandbox, in pageInput) error { return s.As(in.User).Join(in.Channel) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.ours(r) {
			http.Error(w, "This address is for the sandbox's own page.", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// maxNonces is how many requests of the page are remembered.
const maxNonces = 200

// pageInput is what the page sends.
type pageInput struct {
	User     string `json:"user"`
	Channel  string `json:"channel"`
	ThreadTS string `json:"thread_ts"`
	TS       string `json:"ts"`
	Text     string `json:"text"`
	BlockID  string `json:"block_id"`
	ActionID string `json:"action_id"`
	Name     string `json:"name"`
	Nonce    string `json:"nonce"` // the same in a request that the browser sends again
}

func (p *page) post(do func(*Sandbox, pageInput) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in pageInput
		if err := json.NewDecoder(io.LimitReader(r.Body, p.sandbox.opt.Limits.Body)).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p.sandbox.learnBase(r)
		if !p.first(in.Nonce) {
			writeOutcome(w, reply{}, nil)
			return
		}
		writeOutcome(w, reply{}, do(p.sandbox, in))
	}
}

// first reports whether a request is seen for the first time. Without a sensible nonce it always is.
func (p *page) first(nonce string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if nonce == "" || len(nonce) > 64 {
		return true
	}
	if slices.Contains(p.nonces, nonce) {
		return false
	}
	p.nonces = append(p.nonces, nonce)
	p.nonces = p.nonces[max(0, len(p.nonces)-maxNonces):]
	return true
}

// get serves a question that is answered under the lock.
func (p *page) get(ask func(s *Sandbox, u User, r *http.Request) (reply, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s := p.sandbox
		s.mu.Lock()
		u, ok := s.user(r.URL.Query().Get("user"))
		if !ok {
			u, ok = s.user(s.opt.Workspace.Users[0].ID)
		}
		var body reply
		err := error(refuse("user_not_found"))
		if ok {
			body, err = ask(s, u, r)
		}
		s.mu.Unlock()
		writeOutcome(w, body, err)
	}
}

func writeOutcome(w http.ResponseWriter, body reply, err error) {
	ans := answer{body: body}
	if err != nil {
		ans = ans.refuse(err)
	}
	ans.write(w)
}

// send takes what was typed into the composer. In a thread Slack takes no slash commands.
func (p *page) send(s *Sandbox, in pageInput) error {
	if !strings.HasPrefix(in.Text, "/") {
		_, err := s.As(in.User).Say(in.Channel, in.ThreadTS, in.Text)
		return err
	}
	if in.ThreadTS == "" {
		return s.As(in.User).Slash(in.Channel, in.Text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	u, r, err := s.As(in.User).in(in.Channel)
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(in.Text, " ")
	s.tell(r, u.ID, escape(name)+" is not supported in threads. Sorry!", in.ThreadTS)
	return nil
}

// state is all that the page shows beside messages.
func (p *page) state(s *Sandbox, u User, _ *http.Request) (reply, error) {
	channels := []map[string]any{}
	for _, r := range s.rooms {
		if r.visibleTo(u) {
			channels = append(channels, pageChannel(r, u))
		}
	}
	groups := []map[string]any{}
	for _, g := range s.groups {
		groups = append(groups, map[string]any{"id": g.ID, "handle": g.Handle, "name": g.Name, "users": s.activeOf(g)})
	}
	commands := s.opt.Commands
	if commands == nil {
		commands = []Command{}
	}
	return reply{
		"team": s.team, "me": u, "users": s.users, "groups": groups, "channels": channels, "commands": commands,
		"app":    map[string]any{"name": s.opt.App.Name, "user": s.opt.App.BotUserID},
		"online": len(s.sockets.open), "seq": s.changes.last, "now": s.opt.Now().Unix(),
	}, nil
}

func pageChannel(r *room, u User) map[string]any {
	latest := ""
	for _, m := range r.messages {
		if m.inChannel() {
			latest = m.TS
		}
	}
	for _, e := range r.ephemerals {
		if e.user == u.ID && e.ThreadTS == "" {
			latest = max(latest, e.TS)
		}
	}
	return map[string]any{
		"id": r.ID, "name": r.Name, "topic": r.Topic, "is_private": r.IsPrivate, "is_archived": r.IsArchived,
		"is_ext_shared": r.IsExtShared, "is_member": r.has(u.ID), "members": slices.Clone(r.Members), "latest": latest,
	}
}

// messages are a channel's messages for one person, their ephemeral ones included, oldest first.
func (p *page) messages(s *Sandbox, u User, r *http.Request) (reply, error) {
	room, err := s.visibleRoom(u, r)
	if err != nil {
		return nil, err
	}
	return reply{"messages": room.seenBy(u.ID, func(m Message) bool {
		return m.inChannel() && (!m.IsEphemeral || m.ThreadTS == "")
	}), "seq": s.changes.last}, nil
}

// thread is a thread for one person, the parent first.
func (p *page) thread(s *Sandbox, u User, r *http.Request) (reply, error) {
	room, err := s.visibleRoom(u, r)
	if err != nil {
		return nil, err
	}
	ts := r.URL.Query().Get("ts")
	if room.find(ts) < 0 {
		return nil, refuse("thread_not_found")
	}
	return reply{"messages": room.seenBy(u.ID, func(m Message) bool { return m.TS == ts || m.ThreadTS == ts })}, nil
}

func (s *Sandbox) visibleRoom(u User, r *http.Request) (*room, error) {
	room, ok := s.room(r.URL.Query().Get("channel"))
	if !ok || !room.visibleTo(u) {
		return nil, refuse("channel_not_found")
	}
	return room, nil
}

func (r *room) seenBy(user string, want func(Message) bool) []Message {
	out := []Message{}
	for _, m := range r.messages {
		if want(m) {
			out = append(out, m.withoutMetadata())
		}
	}
	for _, e := range r.ephemerals {
		if e.user == user && want(e.Message) {
			out = append(out, e.Message)
		}
	}
	slices.SortStableFunc(out, func(a, b Message) int { return strings.Compare(a.TS, b.TS) })
	return out
}
