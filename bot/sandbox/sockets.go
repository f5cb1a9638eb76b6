package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

// maxSockets is how many Socket Mode connections an app may hold.
const maxSockets = 10

// maxAck is the size in bytes from which on Slack drops an acknowledgement in silence.
const maxAck = 20 << 10

// DisconnectReason is why Slack ends a connection.
type DisconnectReason string

// The reasons in a disconnect message.
const (
	DisconnectWarning           DisconnectReason = "warning"           // the connection ends in about 10 s
	DisconnectRefreshRequested  DisconnectReason = "refresh_requested" // likewise; open another
	DisconnectLinkDisabled      DisconnectReason = "link_disabled"     // Socket Mode was switched off; it ends now
	DisconnectTooManyWebsockets DisconnectReason = "too_many_websockets"
)

func (d DisconnectReason) valid() bool {
	return slices.Contains([]DisconnectReason{
		DisconnectWarning, DisconnectRefreshRequested, DisconnectLinkDisabled, DisconnectTooManyWebsockets}, d)
}

// sockets are the app's connections and what is under way on them. The sandbox's lock guards it.
type sockets struct {
	tickets map[string]time.Time // when each ends
	open    []*socketConn
	turn    int
	pending map[string]func(payload json.RawMessage, err error) // by envelope id
}

func newSockets() *sockets {
	return &sockets{tickets: map[string]time.Time{}, pending: map[string]func(json.RawMessage, error){}}
}

// pick returns the connection whose turn it is, rather one that is not about to end; nil when there is none.
func (k *sockets) pick() *socketConn {
	candidates := slices.DeleteFunc(slices.Clone(k.open), func(c *socketConn) bool { return c.leaving })
	if len(candidates) == 0 {
		candidates = k.open
	}
	if len(candidates) == 0 {
		return nil
	}
	k.turn++
	return candidates[k.turn%len(candidates)]
}

// appsConnectionsOpen is apps.connections.open: it hands out a URL with a ticket that serves once.
func appsConnectionsOpen(s *Sandbox, _ *call) (reply, error) {
	now := s.opt.Now()
	for t, end := range s.sockets.tickets {
		if now.After(end) {
			delete(s.sockets.tickets, t)
		}
	}
	if len(s.sockets.tickets) >= 1000 {
		return nil, refuse("internal_error", "too many unused tickets")
	}
	ticket := randomText(32)
	s.sockets.tickets[ticket] = now.Add(s.opt.Timing.Ticket)
	base := "ws" + s.baseURL[len("http"):]
	return reply{"url": base + "/link/?ticket=" + ticket + "&app_id=" + s.opt.App.ID}, nil
}

// serveSocket turns a request with a ticket into a connection.
func (s *Sandbox) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !s.useTicket(r.URL.Query().Get("ticket")) {
		http.Error(w, "invalid or used ticket", http.StatusUnauthorized)
		return
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }} // the ticket is what counts
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	c := newSocketConn(s, ws)
	if !s.work.start(c.write) {
		_ = ws.Close() // the sandbox is closing
		return
	}
	if !s.admit(c, r.URL.Query().Get("debug_reconnects") == "true") {
		c.disconnect(DisconnectTooManyWebsockets, 0)
	}
	c.read()
	s.dismiss(c)
}

func (s *Sandbox) useTicket(ticket string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	end, ok := s.sockets.tickets[ticket]
	delete(s.sockets.tickets, ticket)
	return ok && !s.opt.Now().After(end)
}

// admit takes a connection in and greets it, unless there are too many.
func (s *Sandbox) admit(c *socketConn, debugReconnects bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		c.close()
		return true
	}
	if len(s.sockets.open) >= maxSockets {
		return false
	}
	life := s.opt.Timing.ConnectionTime
	if debugReconnects { // a documented switch of Slack's: connections live six minutes
		life = min(life, 360*time.Second)
	}
	s.sockets.open = append(s.sockets.open, c)
	c.sendJSON(map[string]any{
		"type": "hello", "num_connections": len(s.sockets.open),
		"connection_info": map[string]any{"app_id": s.opt.App.ID},
		"debug_info": map[string]any{
			"host": socketHost, "started": s.started.UTC().Format("2006-01-02 15:04:05.000"), "build_number": 0,
			"approximate_connection_time": int(life / time.Second),
		},
	})
	c.disconnectAfter(max(0, life-s.opt.Timing.Warning), DisconnectWarning)
	if storm, ok := s.faults.storm(); ok {
		c.disconnectAfter(storm.Delay, storm.reason())
	}
	s.publish(Change{Type: ChangePresence, Online: len(s.sockets.open)})
	return true
}

func (s *Sandbox) dismiss(c *socketConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.sockets.open)
	s.sockets.open = slices.DeleteFunc(s.sockets.open, func(o *socketConn) bool { return o == c })
	if len(s.sockets.open) != before {
		s.publish(Change{Type: ChangePresence, Online: len(s.sockets.open)})
	}
}

// disconnect ends every connection for a reason and returns how many there were.
func (s *Sandbox) disconnect(reason DisconnectReason) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.sockets.open {
		c.leaving = true
		c.disconnect(reason, s.graceOf(reason))
	}
	return len(s.sockets.open)
}

func (s *Sandbox) graceOf(reason DisconnectReason) time.Duration {
	if reason == DisconnectWarning || reason == DisconnectRefreshRequested {
		return s.opt.Timing.Warning
	}
	return 0
}
