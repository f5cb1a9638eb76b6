package sandbox

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"
)

const slackbotID = "USLACKBOT"

// errClosed ends everything that waits when the sandbox is closed.
var errClosed = errors.New("sandbox: closed")

// Sandbox is a local Slack workspace. Its methods may be called from any goroutine.
type Sandbox struct {
	opt     Options
	team    Team
	started time.Time
	blocks  *blockRules
	limiter *limiter
	faults  *Faults
	page    *page

	ctx    context.Context
	cancel context.CancelCauseFunc
	work   group

	mu       sync.Mutex // guards everything below
	users    []User
	groups   []Group
	rooms    []*room
	changes  *changeLog
	lastTS   int64
	baseURL  string
	hooks    *hooks
	triggers *triggers
	sockets  *sockets
	streams  int // pages that follow
}

// New returns a sandbox that is ready to serve. The caller closes it.
func New(opt Options) (*Sandbox, error) {
	opt = opt.withDefaults()
	if err := opt.validate(); err != nil {
		return nil, err
	}
	now := opt.Now()
	s := &Sandbox{
		opt: opt, team: opt.Workspace.Team, started: now, baseURL: opt.BaseURL,
		blocks: newBlockRules(), limiter: newLimiter(opt.Rates, opt.Now), faults: newFaults(),
		changes: newChangeLog(opt.Limits.Changes), hooks: newHooks(opt.Limits.Hooks), triggers: newTriggers(opt.Limits.Hooks),
		sockets: newSockets(),
	}
	s.faults.disconnect = s.disconnect
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	for _, u := range opt.Workspace.Users {
		s.users = append(s.users, u.withProfile())
	}
	s.users = append(s.users, botUser(opt.App, s.team.ID, now))
	for _, g := range opt.Workspace.Groups {
		g.Users = slices.Clone(g.Users)
		s.groups = append(s.groups, g)
	}
	for _, c := range opt.Workspace.Channels {
		c.Members = slices.Clone(c.Members)
		s.rooms = append(s.rooms, &room{Channel: c, created: now})
	}
	page, err := newPage(s)
	if err != nil {
		return nil, err
	}
	s.page = page
	for _, f := range opt.Faults {
		if err := s.faults.Inject(f); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Handler serves the Web API under /api/, Socket Mode, response URLs and the page.
func (s *Sandbox) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/api/", s.newWebAPI())
	mux.HandleFunc("GET /link/", s.serveSocket)
	mux.HandleFunc("POST /hooks/", s.serveHook)
	if s.opt.Control {
		mux.Handle("/control/", s.newControl())
	}
	mux.Handle("/", s.page.handler())
	return mux
}

// Close ends all connections and waits for what is under way.
func (s *Sandbox) Close() error {
	s.cancel(errClosed)
	s.mu.Lock()
	for _, c := range s.sockets.open {
		c.close()
	}
	s.mu.Unlock()
	s.work.wait()
	return nil
}

// AppToken returns the app-level token, for apps.connections.open.
func (s *Sandbox) AppToken() string { return s.opt.AppToken }

// BotToken returns the bot token, for everything else.
func (s *Sandbox) BotToken() string { return s.opt.BotToken }

// Faults switches faults.
func (s *Sandbox) Faults() *Faults { return s.faults }

// Connections returns how many Socket Mode connections the app holds.
func (s *Sandbox) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets.open)
}

// after runs f in d, unless the sandbox is closed before or stop is. stop may be nil.
func (s *Sandbox) after(d time.Duration, stop <-chan struct{}, f func()) {
	s.work.start(func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			f()
		case <-stop:
		case <-s.ctx.Done():
		}
	})
}

// learnBase notes where clients reach the sandbox, unless that was given. Only who has shown a token may teach it:
// response URLs begin with it.
func (s *Sandbox) learnBase(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opt.BaseURL == "" {
		s.baseURL = "http://" + r.Host
	}
}
