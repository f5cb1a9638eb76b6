package slack

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/rs/zerolog"

	"stuckbot/bot"
)

// wire is a Slack that sends exact frames over its first connection and collects what comes back.
type wire struct {
	*Transport
	log  *logs
	acks chan string
	send chan string
}

func startWire(t *testing.T, receive func(bot.Event) error) *wire {
	w := &wire{log: &logs{}, acks: make(chan string, 100), send: make(chan string)}
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	done := make(chan struct{})
	t.Cleanup(func() { close(done); srv.CloseClientConnections(); srv.Close() })
	mux.HandleFunc("/auth.test", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `{"ok":true,"user_id":"U0STUCKBOT","bot_id":"B1","team_id":"T1"}`)
	})
	mux.HandleFunc("/apps.connections.open", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(rw, `{"ok":true,"url":"ws%s/socket?ticket=s3cr3t"}`, strings.TrimPrefix(srv.URL, "http"))
	})
	mux.HandleFunc("/socket", func(rw http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(rw, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		go func() {
			for {
				_, raw, err := ws.ReadMessage()
				if err != nil {
					return
				}
				w.acks <- string(raw)
			}
		}()
		ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"hello"}`))
		for {
			select {
			case frame := <-w.send:
				ws.WriteMessage(websocket.TextMessage, []byte(frame))
			case <-done:
				return
			}
		}
	})
	tr, err := New(Options{AppToken: "xapp-1", BotToken: "xoxb-1", APIURL: srv.URL, Log: zerolog.New(w.log), Receive: receive})
	if err != nil {
		t.Fatal(err)
	}
	w.Transport = tr
	stopped := make(chan error, 1)
	go func() { stopped <- tr.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *wire) ack(t *testing.T) string {
	t.Helper()
	select {
	case a := <-w.acks:
		return a
	case <-time.After(patience):
		t.Fatalf("no acknowledgement; log:\n%s", w.log)
		return ""
	}
}

// Whatever comes over the wire, the connection lives on, envelopes are acknowledged, and the operator is told.
func TestStrangeFrames(t *testing.T) {
	events := make(chan bot.Event, 10)
	w := startWire(t, func(e bot.Event) error { events <- e; return nil })
	for _, frame := range []string{"", "{", "null", "[]", `{"type":"hologram"}`, `{"type":"ping","num":5}`, `{"envelope_id":{}}`} {
		w.send <- frame
	}
	for i, frame := range []string{
		`{"envelope_id":"e0","type":"hologram","payload":{}}`,
		`{"envelope_id":"e1","type":7}`,
		`{"envelope_id":"e2","type":"slash_commands","payload":"text"}`,
		`{"envelope_id":"e3","type":"interactive","payload":{"type":"view_submission"}}`,
		`{"envelope_id":"e4","type":"events_api","payload":{"type":"event_callback","event_id":"Ev1","event":{"type":"message"}}}`,
	} {
		w.send <- frame
		if got, want := w.ack(t), fmt.Sprintf(`{"envelope_id":"e%d"}`, i); got != want {
			t.Errorf("%s was answered with %s", frame, got)
		}
	}
	w.send <- string(envelopeOf("slash_commands", slashFields(fieldsOf{"channel_id": "C1"})))
	if got := w.ack(t); got != `{"envelope_id":"env-1"}` {
		t.Errorf("%s", got)
	}
	if e := <-events; e.Key != "slash:13.37.abc" {
		t.Errorf("%+v", e)
	}
	log := w.log.String()
	if strings.Count(log, "a frame was passed over") != 7 || strings.Count(log, "was acknowledged and not used") != 4 {
		t.Errorf("%s", log)
	}
	if strings.Contains(log, "s3cr3t") || strings.Contains(log, "hooks.slack.com") {
		t.Errorf("a secret is in the log: %s", log)
	}
	if ok, why := w.Ready(); !ok {
		t.Errorf("not ready: %s", why)
	}
}

// The address for Socket Mode must be an encrypted one when the API is.
func TestClearSocketAddressIsRefused(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `{"ok":true,"url":"ws://127.0.0.1:1/?ticket=s3cr3t"}`)
	}))
	defer srv.Close()
	tr, err := New(Options{AppToken: "xapp-1", BotToken: "xoxb-1", APIURL: srv.URL, HTTPClient: srv.Client(), Receive: func(bot.Event) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.openConnection(t.Context()); err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("%v", err)
	}
}

// The TLS settings of the given client count for web sockets, too.
func TestWebSocketsOverTLS(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if ws, err := (&websocket.Upgrader{}).Upgrade(rw, r, nil); err == nil {
			ws.Close()
		}
	}))
	defer srv.Close()
	tr, err := New(Options{AppToken: "xapp-1", BotToken: "xoxb-1", APIURL: srv.URL, HTTPClient: srv.Client(), Receive: func(bot.Event) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	ws, resp, err := tr.socket.dialer.DialContext(t.Context(), "wss"+strings.TrimPrefix(srv.URL, "https"), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	ws.Close()
}
