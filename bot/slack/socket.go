package slack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/rs/zerolog"

	"stuckbot/bot"
)

const (
	// maxSilence is how long Slack may be silent before a connection counts as dead. It pings about every ten seconds.
	maxSilence = 30 * time.Second
	// helloTimeout is how long Slack may take to greet.
	helloTimeout = 15 * time.Second
	// drainTime is how long a connection that Slack is about to close is read on; Slack says about ten seconds.
	drainTime = 20 * time.Second
	// ackTimeout bounds the writing of an acknowledgement.
	ackTimeout = 5 * time.Second
	// maxEnvelope bounds an envelope. The largest carry a message with all its blocks.
	maxEnvelope = 4 << 20
	// receivers bounds the envelopes that are stored at the same time, so that a slow disk delays acknowledgements and
	// takes no more memory.
	receivers = 16
)

// Reasons of a disconnect message that mean more than "open another connection".
const (
	disconnectLinkDisabled = "link_disabled"
	disconnectTooMany      = "too_many_websockets"
)

// socket keeps Socket Mode connected: one connection at a time, and beside it those that Slack is about to close, which
// still deliver. The fields up to the lock are set once.
type socket struct {
	open    func(context.Context) (address string, err error)
	receive func(bot.Event) error
	dialer  *websocket.Dialer
	log     zerolog.Logger
	now     func() time.Time
	silence time.Duration
	alive   *alive
	slots   chan struct{}
	self    string // the bot's user id
}

func newSocket(now func() time.Time) *socket {
	return &socket{now: now, silence: maxSilence, alive: newAlive(maxSilence, now), slots: make(chan struct{}, receivers)}
}

// run connects until ctx ends, and then returns nil after the last event was stored and acknowledged. It returns an error
// that no waiting cures.
func (s *socket) run(ctx context.Context, self string) error {
	s.self = self
	ctx, cancel := context.WithCancel(ctx)
	var conns sync.WaitGroup
	defer conns.Wait()
	defer cancel()
	for p := (pace{}); sleep(ctx, p.wait()); {
		c, err := s.connect(ctx)
		if ctx.Err() != nil {
			if c != nil {
				_ = c.ws.Close()
			}
			return nil
		}
		if err != nil {
			if f := new(FatalError); errors.As(err, &f) {
				return err
			}
			s.alive.note("no connection: " + err.Error())
			s.log.Warn().Err(err).Int("attempt", p.bad+1).Msg("slack: connecting failed")
			p.failed(err)
			continue
		}
		conns.Go(func() { c.serve(ctx) })
		select {
		case <-c.replace:
		case <-ctx.Done():
			return nil
		}
		if c.reason == disconnectLinkDisabled {
			return &FatalError{Code: c.reason, Token: "app", Advice: fatalAdvice()[c.reason]}
		}
		lived := s.now().Sub(c.since)
		s.note(c, lived)
		p.lost(lived, c.reason != "" && c.reason != disconnectTooMany)
	}
	return nil
}

// note tells the operator why a connection is replaced. Slack refreshes healthy ones every few hours.
func (s *socket) note(c *conn, lived time.Duration) {
	e := s.log.Info()
	if lived < goodLife || c.reason == "" {
		e = s.log.Warn()
	}
	e = e.Str("reason", c.reason).Dur("lived", lived)
	if c.err != nil {
		e = e.Err(c.err)
	}
	if c.reason == disconnectTooMany {
		e.Msg("slack: the app has too many connections: do other instances of the bot run?")
		return
	}
	e.Msg("slack: connection is replaced")
}

func (s *socket) connect(ctx context.Context) (*conn, error) {
	address, err := s.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("apps.connections.open: %w", err)
	}
	ws, resp, err := s.dialer.DialContext(ctx, address, nil)
	if err != nil {
		if resp != nil {
			return nil, fmt.Errorf("connecting to Socket Mode: status %d: %w", resp.StatusCode, withoutURL(err))
		}
		return nil, fmt.Errorf("connecting to Socket Mode: %w", withoutURL(err))
	}
	ws.SetReadLimit(maxEnvelope)
	return &conn{s: s, ws: ws, since: s.now(), replace: make(chan struct{})}, nil
}
