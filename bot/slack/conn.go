package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"stuckbot/bot"
)

// conn is one Socket Mode connection. One goroutine reads it, serve; acknowledgements are written by whoever stored the
// event.
type conn struct {
	s     *socket
	ws    *websocket.Conn
	since time.Time

	// replace is closed when another connection is needed; reason and err are set before.
	replace chan struct{}
	once    sync.Once
	reason  string // Slack's; empty when the connection broke
	err     error

	leaving time.Time // until when to read on after a disconnect message; the reader's own
	writing sync.Mutex
	storing sync.WaitGroup
}

// serve reads the connection to its end, or until ctx ends. It returns when every event that was read is stored and
// acknowledged.
func (c *conn) serve(ctx context.Context) {
	stop := context.AfterFunc(ctx, c.interrupt)
	defer stop()
	c.ws.SetPingHandler(func(data string) error {
		c.heard(ctx)
		// Slack closes what does not answer.
		_ = c.ws.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(ackTimeout))
		return nil
	})
	// The answer to Slack's goodbye is our own, below: after it nothing more can be acknowledged.
	c.ws.SetCloseHandler(func(int, string) error { return nil })
	err := c.read(ctx)
	c.s.alive.gone(c, "disconnected: "+err.Error())
	c.leave("", err)
	c.storing.Wait()
	goodbye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = c.ws.WriteControl(websocket.CloseMessage, goodbye, time.Now().Add(time.Second)) // the other side may be gone
	_ = c.ws.Close()
}

func (c *conn) read(ctx context.Context) error {
	c.deadline(ctx, min(helloTimeout, c.s.silence))
	for {
		kind, raw, err := c.ws.ReadMessage()
		if err != nil {
			return c.endOf(err)
		}
		c.heard(ctx)
		if kind == websocket.TextMessage {
			c.frame(ctx, raw)
		}
	}
}

func (c *conn) endOf(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return errors.New("nothing was heard from Slack")
	}
	return err
}

// heard notes a sign of life, and gives Slack time for the next one.
func (c *conn) heard(ctx context.Context) {
	c.s.alive.sign(c)
	c.deadline(ctx, c.s.silence)
}

// deadline sets how long to wait for the next frame.
func (c *conn) deadline(ctx context.Context, d time.Duration) {
	end := time.Now().Add(d)
	if !c.leaving.IsZero() && c.leaving.Before(end) {
		end = c.leaving
	}
	_ = c.ws.SetReadDeadline(end) // a connection that takes none fails at the next read
	if ctx.Err() != nil {         // it may have ended while the deadline was set
		c.interrupt()
	}
}

// interrupt ends the reading.
func (c *conn) interrupt() { _ = c.ws.SetReadDeadline(time.Now()) }

// leave says that another connection is needed. The first reason counts.
func (c *conn) leave(reason string, err error) {
	c.once.Do(func() {
		c.reason, c.err = reason, err
		close(c.replace)
	})
}

// frame takes one frame in. Events are stored beside the reading, which must go on answering pings.
func (c *conn) frame(ctx context.Context, raw []byte) {
	f := safeDecode(raw, c.s.self)
	switch f.kind {
	case frameHello:
		c.s.alive.hello(c)
		c.s.log.Info().Msg("slack: connected")
	case frameDisconnect:
		c.leaving = time.Now().Add(drainTime)
		c.deadline(ctx, c.s.silence)
		c.leave(f.reason, nil)
	case frameEnvelope:
		select {
		case c.s.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		c.storing.Go(func() {
			defer func() { <-c.s.slots }()
			c.take(f)
		})
	default:
		c.s.log.Warn().Str("problem", f.problem).Msg("slack: a frame was passed over")
	}
}

// take stores an envelope's events and acknowledges it. An envelope whose event could not be stored is not acknowledged:
// the person sees that, and Slack sends events of a channel again.
func (c *conn) take(f frame) {
	log := c.s.log.With().Str("envelope", f.id).Str("type", f.envelope).Logger()
	switch {
	case f.problem != "":
		log.Warn().Str("problem", f.problem).Msg("slack: an envelope was acknowledged and not used")
	case f.ignored != "":
		log.Debug().Str("why", f.ignored).Msg("slack: an envelope is not for the bot")
	}
	for _, e := range f.events {
		if err := c.receive(e); err != nil {
			log.Error().Err(err).Str("event", e.Key).Msg("slack: an event could not be stored and was not acknowledged")
			return
		}
	}
	if err := c.acknowledge(f.id); err != nil {
		log.Warn().Err(err).Int("events", len(f.events)).Msg("slack: the acknowledgement failed; what it was for is stored")
		_ = c.ws.Close() // after a failed write nothing can be written any more
	}
}

func (c *conn) receive(e bot.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.s.receive(e)
}

// acknowledge answers an envelope. It never carries an answer to the person: Slack drops those of 20 KB and more.
func (c *conn) acknowledge(id string) error {
	raw, err := json.Marshal(struct {
		ID string `json:"envelope_id"`
	}{id})
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.ws.SetWriteDeadline(time.Now().Add(ackTimeout)); err != nil {
		return err
	}
	return c.ws.WriteMessage(websocket.TextMessage, raw)
}
