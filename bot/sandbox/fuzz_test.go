package sandbox

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// FuzzArgs: no body breaks the decoder of calls, and what it takes can be read in every way.
func FuzzArgs(f *testing.F) {
	for _, seed := range [][2]string{
		{"application/json", `{"channel":"C1","limit":5,"blocks":[],"a":null}`}, {"application/json; charset=utf-8", "[]"},
		{"application/x-www-form-urlencoded", "channel=C1&text=%F0%9F%9A%80&limit=x"}, {"text/plain", "x"}, {"", ""},
		{"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nhi\r\n--b--\r\n"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, kind, body string) {
		r := httptest.NewRequest("POST", "/api/chat.postMessage", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		a, err := parseArgs(r, 1<<16)
		if err != nil {
			return
		}
		for _, name := range []string{"channel", "text", "limit", "blocks", "a", ""} {
			if !a.has(name) && a.text(name) != "" {
				t.Errorf("%q was not sent and is %q", name, a.text(name))
			}
			a.flag(name)
			a.number(name, 1)
			a.raw(name)
		}
	})
}

// FuzzContent: whatever a client sends as a message is refused in Slack's words or stored as JSON.
func FuzzContent(f *testing.F) {
	s, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	f.Add(`{"text":"hi","attachments":[{"text":"a","blocks":[{"type":"divider"}]}]}`)
	f.Add(`{"blocks":"[{\"type\":\"divider\"}]","metadata":{"event_type":"a","event_payload":{}}}`)
	f.Add(`{"attachments":[null,{"blocks":[1]}],"text":1}`)
	f.Fuzz(func(t *testing.T, body string) {
		var a args
		if a.addJSON([]byte(body)) != nil {
			return
		}
		c, _, err := s.readContent(a)
		if err != nil {
			if !errors.As(err, new(*Error)) {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := json.Marshal(s.fromBot(c)); err != nil {
			t.Fatal(err)
		}
		findAction(s.fromBot(c), "", "x")
	})
}

// FuzzAcknowledge: no frame of a client breaks the connection's reader.
func FuzzAcknowledge(f *testing.F) {
	s, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	f.Add([]byte(`{"envelope_id":"x","payload":{"text":"a"}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(_ *testing.T, frame []byte) { s.acknowledge(frame) })
}

// FuzzTyped: what a person types can mention, and can make no other markup.
func FuzzTyped(f *testing.F) {
	s, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	mention := regexp.MustCompile(`<(@U0[A-Z]+|#C0[A-Z]+\|[a-z]+|!here|!channel|!everyone|!subteam\^S0[A-Z]+\|@[a-z]+)>`)
	for _, seed := range []string{"@alice", "<@U0BOB>", "a@alice #random.", "&lt;!channel&gt;", "@@alice##old@sre", "<!here|@here>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		if rest := mention.ReplaceAllString(s.encodeTyped(typed), ""); strings.ContainsAny(rest, "<>") {
			t.Errorf("%q gives %q", typed, s.encodeTyped(typed))
		}
	})
}
