package sandbox

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	socketHost   = "applink-sandbox"
	writeTimeout = 5 * time.Second
	outBuffer    = 256
)

// socketConn is one Socket Mode connection. One goroutine writes and one reads; others hand frames to the writer.
type socketConn struct {
	sandbox *Sandbox
	ws      *websocket.Conn
	out     chan []byte
	done    chan struct{}
	once    sync.Once
	leaving bool // a disconnect message was sent; the sandbox's lock guards it
}

func newSocketConn(s *Sandbox, ws *websocket.Conn) *socketConn {
	ws.SetReadLimit(1 << 20)
	return &socketConn{sandbox: s, ws: ws, out: make(chan []byte, outBuffer), done: make(chan struct{})}
}

// close ends the connection after what is already queued. It may be called more than once.
func (c *socketConn) close() { c.once.Do(func() { close(c.done) }) }

// send queues a frame. A client that does not read loses the connection.
func (c *socketConn) send(frame []byte) {
	select {
	case c.out <- frame:
	default:
		c.close()
	}
}

func (c *socketConn) sendJSON(v any) {
	raw, err := encodeJSON(v)
	if err != nil {
		panic(err) // our own values
	}
	c.send(raw)
}

// disconnect tells the client why the connection ends, and ends it after the grace.
func (c *socketConn) disconnect(reason DisconnectReason, grace time.Duration) {
	c.sendJSON(map[string]any{"type": "disconnect", "reason": reason, "debug_info": map[string]any{"host": socketHost}})
	if grace == 0 {
		c.close()
		return
	}
	c.wait(grace, c.close)
}

// disconnectAfter does so later, unless the connection has ended by then.
func (c *socketConn) disconnectAfter(d time.Duration, reason DisconnectReason) {
	c.wait(d, func() {
		s := c.sandbox
		s.mu.Lock()
		defer s.mu.Unlock()
		c.leaving = true
		c.disconnect(reason, s.graceOf(reason))
	})
}

// wait runs f in d, unless the connection or the sandbox ends before.
func (c *socketConn) wait(d time.Duration, f func()) { c.sandbox.after(d, c.done, f) }

func (c *socketConn) write() {
	ping := time.NewTicker(c.sandbox.opt.Timing.Ping)
	defer ping.Stop()
	defer func() { _ = c.ws.Close() }()
	for {
		select {
		case frame := <-c.out:
			if !c.writeFrame(websocket.TextMessage, frame) {
				return
			}
		case <-ping.C:
			if !c.writeFrame(websocket.PingMessage, []byte("Ping from "+socketHost)) {
				return
			}
		case <-c.done:
			c.flush()
			return
		}
	}
}

// flush writes what is still queued and says goodbye.
func (c *socketConn) flush() {
	for {
		select {
		case frame := <-c.out:
			if !c.writeFrame(websocket.TextMessage, frame) {
				return
			}
		default:
			c.writeFrame(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
			return
		}
	}
}

func (c *socketConn) writeFrame(kind int, data []byte) bool {
	_ = c.ws.SetWriteDeadline(time.Now().Add(writeTimeout)) // a broken connection shows in the write
	if err := c.ws.WriteMessage(kind, data); err != nil {
		c.close()
		return false
	}
	return true
}

// read takes acknowledgements until the connection ends.
func (c *socketConn) read() {
	defer c.close()
	for {
		kind, raw, err := c.ws.ReadMessage()
		if err != nil {
			return
		}
		if kind == websocket.TextMessage && len(raw) < maxAck {
			c.sandbox.acknowledge(raw)
		}
	}
}

// acknowledge takes a client's answer to an envelope. What is no such answer is passed over, as Slack does.
func (s *Sandbox) acknowledge(raw []byte) {
	var ack struct {
		EnvelopeID string          `json:"envelope_id"`
		Payload    json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(raw, &ack) != nil {
		return
	}
	if done := s.settle(ack.EnvelopeID); done != nil {
		done(ack.Payload, nil)
	}
}
