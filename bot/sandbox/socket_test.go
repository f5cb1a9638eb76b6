package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"stuckbot/bot/sandbox"
)

// raw is a Socket Mode connection without a client library, to see and send exact frames.
type raw struct {
	t  *testing.T
	ws *websocket.Conn
}

func (w *workspace) dial() *raw {
	w.t.Helper()
	_, url, err := w.api.StartSocketModeContext(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	ws, resp, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	resp.Body.Close()
	w.t.Cleanup(func() { ws.Close() })
	return &raw{t: w.t, ws: ws}
}

func (r *raw) read() map[string]any {
	r.t.Helper()
	r.ws.SetReadDeadline(time.Now().Add(10 * time.Second))
	var m map[string]any
	if err := r.ws.ReadJSON(&m); err != nil {
		r.t.Fatal(err)
	}
	return m
}

// hello reads the greeting.
func (r *raw) hello() map[string]any {
	r.t.Helper()
	m := r.read()
	if m["type"] != "hello" {
		r.t.Fatalf("%v, want hello", m)
	}
	return m
}

func (r *raw) ended() bool {
	r.ws.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, _, err := r.ws.ReadMessage()
	return err != nil
}

func (r *raw) ack(envelope map[string]any, payload any) {
	r.t.Helper()
	m := map[string]any{"envelope_id": envelope["envelope_id"]}
	if payload != nil {
		m["payload"] = payload
	}
	if err := r.ws.WriteJSON(m); err != nil {
		r.t.Fatal(err)
	}
}

func TestHello(t *testing.T) {
	w := start(t, nil)
	first, second := w.dial().hello(), w.dial().hello()
	if first["num_connections"] != 1.0 || second["num_connections"] != 2.0 {
		t.Errorf("%v, %v", first, second)
	}
	if info := first["connection_info"].(map[string]any); info["app_id"] != "A0STUCKBOT" {
		t.Errorf("%v", info)
	}
	if debug := first["debug_info"].(map[string]any); debug["approximate_connection_time"] != 18060.0 || debug["host"] == "" {
		t.Errorf("%v", debug)
	}
}

func TestATicketServesOnce(t *testing.T) {
	w := start(t, nil)
	_, url, err := w.api.StartSocketModeContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ws, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for _, u := range []string{url, strings.Split(url, "?")[0]} {
		_, resp, err := websocket.DefaultDialer.Dial(u, nil)
		if err == nil || resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %v", u, err)
		}
	}
}

func TestAnEnvelopeGoesToOneOfTheConnections(t *testing.T) {
	w := start(t, nil)
	a, b := w.dial(), w.dial()
	a.hello()
	b.hello()
	for range 2 {
		w.As(alice).Slash(releases, "/stuck")
	}
	a.ack(a.read(), nil)
	b.ack(b.read(), nil)
}

func TestDisconnectReasons(t *testing.T) {
	for _, reason := range []sandbox.DisconnectReason{"warning", "refresh_requested", "link_disabled", "too_many_websockets"} {
		t.Run(string(reason), func(t *testing.T) {
			w := start(t, func(o *sandbox.Options) { o.Timing.Warning = 20 * time.Millisecond })
			r := w.dial()
			r.hello()
			if n, err := w.Faults().Disconnect(reason); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			m := r.read()
			if m["type"] != "disconnect" || m["reason"] != string(reason) || m["debug_info"] == nil {
				t.Errorf("%v", m)
			}
			if !r.ended() {
				t.Error("the connection goes on")
			}
			w.await(func() bool { return w.Connections() == 0 })
		})
	}
}

func TestTheEleventhConnectionIsTurnedAway(t *testing.T) {
	w := start(t, nil)
	for range 10 {
		w.dial().hello()
	}
	r := w.dial()
	if m := r.read(); m["type"] != "disconnect" || m["reason"] != "too_many_websockets" {
		t.Errorf("%v", m)
	}
	if !r.ended() || w.Connections() != 10 {
		t.Error("it stays")
	}
}

func TestConnectionsEndOfThemselves(t *testing.T) {
	w := start(t, func(o *sandbox.Options) {
		o.Timing.ConnectionTime, o.Timing.Warning = 60*time.Millisecond, 20*time.Millisecond
	})
	r := w.dial()
	r.hello()
	if m := r.read(); m["reason"] != "warning" {
		t.Errorf("%v", m)
	}
	if !r.ended() {
		t.Error("the connection goes on")
	}
}

func TestThePingsKeepSlackGoConnected(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Timing.Ping = 10 * time.Millisecond })
	r := w.dial()
	r.hello()
	pinged := make(chan string, 1)
	r.ws.SetPingHandler(func(data string) error {
		select {
		case pinged <- data:
		default:
		}
		return nil
	})
	go r.ws.ReadMessage()
	select {
	case <-pinged:
	case <-time.After(10 * time.Second):
		t.Fatal("no ping")
	}
}

func TestGarbageOnTheSocketIsPassedOver(t *testing.T) {
	w := start(t, nil)
	r := w.dial()
	r.hello()
	for _, frame := range []string{"{", "null", `{"envelope_id":"nobody"}`, `{"envelope_id":5}`} {
		r.ws.WriteMessage(websocket.TextMessage, json.RawMessage(frame))
	}
	w.As(alice).Slash(releases, "/stuck")
	r.ack(r.read(), map[string]any{"text": "fine"})
	w.await(func() bool { return len(w.Ephemerals(releases, alice)) == 1 })
}
