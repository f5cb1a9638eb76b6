package present

import (
	"bytes"
	"strings"
	"testing"
)

const someJWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJib3QifQ.c2lnbmF0dXJl"

func TestRedactTakesOutTokens(t *testing.T) {
	r := NewRedactor()
	r.Add("hunter2-hunter2", "short", "quote\"and\\slash")
	for name, c := range map[string]struct{ in, want string }{
		"bot token":            {"token xoxb-123-456-abcDEF in use", "token [redacted] in use"},
		"app token":            {"xapp-1-A02-999-abcdef", "[redacted]"},
		"user token":           {"(xoxp-1-2-3-4)", "([redacted])"},
		"rotating token":       {"xoxe.xoxp-1-Mi0yLWFi", "[redacted]"},
		"bearer":               {"Bearer abcdefgh.ijk-_~+/=", "Bearer [redacted]"},
		"JWT":                  {"token " + someJWT + " expired", "token [redacted] expired"},
		"header":               {"Authorization: Bearer " + someJWT, "Authorization: [redacted]"},
		"basic header":         {"authorization: Basic dXNlcjpwYXNz, next", "authorization: [redacted], next"},
		"header in JSON":       {`{"Authorization":["Bearer abc"],"x":1}`, `{"Authorization":["[redacted]"],"x":1}`},
		"header, JSON in JSON": {`{"m":"{\"Authorization\":\"Basic abc\"}"}`, `{"m":"{\"Authorization\":\"[redacted]\"}"}`},
		"known value":          {"password hunter2-hunter2!", "password [redacted]!"},
		"known value in JSON":  {`{"v":"quote\"and\\slash"}`, `{"v":"[redacted]"}`},
		"short known value":    {"short words stay", "short words stay"},
		"ordinary words":       {"the bearer of bad news; xoxo; eyJust", "the bearer of bad news; xoxo; eyJust"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := r.Redact(c.in); got != c.want {
				t.Errorf("Redact(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestRedactingWriterReportsWhatCameIn(t *testing.T) {
	var b bytes.Buffer
	in := "a xoxb-1234-5678 b\n"
	n, err := NewRedactor().Writer(&b).Write([]byte(in))
	if err != nil || n != len(in) || b.String() != "a [redacted] b\n" {
		t.Errorf("Write = %d, %v and wrote %q", n, err, b.String())
	}
}

func TestSentencesMaskTokensThatAServerSendsBack(t *testing.T) {
	p := newPrinter(t)
	got := p.Text("failure.server", Args{"host": "a:1", "detail": "bad token Bearer\u200b " + someJWT})
	if strings.Contains(got, "eyJ") || !strings.Contains(got, Redacted) {
		t.Errorf("promise 8: the token is left in %q", got)
	}
}
