package slack

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stuckbot/bot"
	"stuckbot/bot/sandbox"
)

func TestPostErrors(t *testing.T) {
	many := bot.Message{Summary: "x", Blocks: make([]bot.Block, 51)}
	for i := range many.Blocks {
		many.Blocks[i] = bot.Block{Kind: bot.BlockDivider}
	}
	for _, tc := range []struct {
		name    string
		fault   sandbox.Fault
		channel string
		m       bot.Message
		scopes  []string
		want    error // nil: an error that may pass
		says    string
	}{
		{name: "server error", fault: sandbox.Fault{Kind: sandbox.FaultServerError, Status: 502}, want: bot.ErrUnknownOutcome, says: "502"},
		{name: "answer lost", fault: sandbox.Fault{Kind: sandbox.FaultDropAfter}, want: bot.ErrUnknownOutcome},
		{name: "request lost", fault: sandbox.Fault{Kind: sandbox.FaultDropBefore}, want: bot.ErrUnknownOutcome},
		{name: "no such channel", channel: "C0NOWHERE", want: bot.ErrGone, says: "channel_not_found"},
		{name: "not in the channel", channel: random, want: bot.ErrGone, says: "not_in_channel"},
		{name: "archived", channel: old, want: bot.ErrGone, says: "is_archived"},
		{name: "too large for Slack", m: many, want: bot.ErrRejected, says: "51 blocks"},
		{name: "no scope", scopes: []string{"users:read"}, says: "lacks the scope chat:write"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := start(t, func(o *sandbox.Options) { o.Scopes = tc.scopes })
			tr := w.transport(nil)
			if tc.fault.Kind != "" {
				tc.fault.Method = "chat.postMessage"
				w.inject(tc.fault)
			}
			_, err := tr.Post(t.Context(), at(either(tc.channel, releases)), "k", message(tc.m))
			var limited *bot.RetryAfter
			switch {
			case err == nil, tc.want != nil && !errors.Is(err, tc.want), !strings.Contains(err.Error(), tc.says):
				t.Errorf("%v, want %v with %q", err, tc.want, tc.says)
			case tc.want == nil && (errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrRejected) || errors.Is(err, bot.ErrUnknownOutcome) || errors.As(err, &limited)):
				t.Errorf("%v is more than an error that may pass", err)
			}
		})
	}
}

func message(m bot.Message) bot.Message {
	if len(m.Blocks) == 0 {
		return says("hello")
	}
	return m
}

// What never left this machine is in no doubt.
func TestPostThatNeverLeft(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String() + "/api/"
	l.Close()
	tr, err := New(Options{AppToken: "xapp-1", BotToken: "xoxb-1", APIURL: address, Receive: func(bot.Event) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tr.Post(t.Context(), at(releases), "k", says("hello"))
	if err == nil || errors.Is(err, bot.ErrUnknownOutcome) || strings.Contains(err.Error(), "/api/") {
		t.Errorf("%v", err)
	}
}

func TestPostHangs(t *testing.T) {
	w := start(t, nil)
	w.inject(sandbox.Fault{Kind: sandbox.FaultHang, Method: "chat.postMessage", Times: 1})
	tr := w.transport(func(o *Options) { o.HTTPClient = &http.Client{Timeout: 100 * time.Millisecond} })
	if _, err := tr.Post(t.Context(), at(releases), "k", says("hello")); !errors.Is(err, bot.ErrUnknownOutcome) {
		t.Errorf("%v", err)
	}
}

func TestRateLimited(t *testing.T) {
	w := start(t, nil)
	for _, wait := range []time.Duration{0, 3 * time.Second, time.Hour} {
		w.inject(sandbox.Fault{Kind: sandbox.FaultRateLimited, Times: 1, RetryAfter: wait})
		_, err := w.transport(nil).Post(t.Context(), at(releases), "k", says("hello"))
		var limited *bot.RetryAfter
		if want := min(max(wait, time.Second), maxRetryAfter); !errors.As(err, &limited) || limited.Wait != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

// apiAnswers makes a Transport whose every call is answered like this.
func apiAnswers(t *testing.T, status int, header http.Header, body string) *Transport {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range header {
			w.Header()[k] = v
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	tr, err := New(Options{AppToken: "xapp-1", BotToken: "xoxb-1", APIURL: srv.URL, Receive: func(bot.Event) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// The sandbox does not know every code of Slack's.
func TestErrorCodes(t *testing.T) {
	for _, tc := range []struct {
		status int
		body   string
		want   error
	}{
		{200, `{"ok":false,"error":"internal_error"}`, bot.ErrUnknownOutcome},
		{200, `{"ok":false,"error":"fatal_error"}`, bot.ErrUnknownOutcome},
		{200, `{"ok":tr`, bot.ErrUnknownOutcome},
		{200, ``, bot.ErrUnknownOutcome},
		{200, `<html>`, bot.ErrUnknownOutcome},
		{200, `{"ok":false,"error":"service_unavailable"}`, nil},
		{200, `{"ok":false,"error":"request_timeout"}`, nil},
		{200, `{"ok":false,"error":"message_not_found"}`, bot.ErrGone},
		{200, `{"ok":false,"error":"cant_update_message"}`, bot.ErrGone},
		{200, `{"ok":false,"error":"invalid_blocks","errors":["x"],"response_metadata":{"messages":["[ERROR] too long"]}}`, bot.ErrRejected},
		{200, `{"ok":false,"error":"msg_too_long"}`, bot.ErrRejected},
		{200, `{"ok":false,"error":"restricted_action"}`, bot.ErrRejected},
		{200, `{"ok":false,"error":"a_code_of_tomorrow"}`, bot.ErrRejected},
		{413, ``, bot.ErrRejected},
		{404, ``, nil},
		{302, ``, nil},
		{503, `{"ok":false}`, bot.ErrUnknownOutcome},
	} {
		tr := apiAnswers(t, tc.status, nil, tc.body)
		place := at(releases)
		_, post := tr.Post(t.Context(), place, "k", says("x"))
		update := tr.Update(t.Context(), place, "1.1", "k", says("x"))
		for _, err := range []error{post, update} {
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("%d %s: %v, want %v", tc.status, tc.body, err, tc.want)
			}
			if tc.want == nil && (errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrRejected) || errors.Is(err, bot.ErrUnknownOutcome)) {
				t.Errorf("%d %s: %v", tc.status, tc.body, err)
			}
		}
		if _, err := tr.Find(t.Context(), place, "k", time.Now()); err == nil || errors.Is(err, bot.ErrUnknownOutcome) {
			t.Errorf("find %d %s: %v: a search is never in doubt", tc.status, tc.body, err)
		}
	}
	for _, tc := range []struct {
		body   string
		header http.Header
		want   time.Duration
	}{
		{`{"ok":false,"error":"ratelimited"}`, http.Header{"Retry-After": {"7"}}, 7 * time.Second},
		{``, nil, defaultRetryAfter},
	} {
		_, err := apiAnswers(t, http.StatusTooManyRequests, tc.header, tc.body).Post(t.Context(), at(releases), "k", says("x"))
		var limited *bot.RetryAfter
		if !errors.As(err, &limited) || limited.Wait != tc.want {
			t.Errorf("%v, want %v", err, tc.want)
		}
	}
}

// A token never goes where the API did not send it from: redirects are not followed.
func TestRedirectsAreNotFollowed(t *testing.T) {
	followed := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer other.Close()
	tr := apiAnswers(t, http.StatusTemporaryRedirect, http.Header{"Location": {other.URL}}, "")
	if _, err := tr.Post(t.Context(), at(releases), "k", says("x")); err == nil || followed {
		t.Errorf("followed %v, %v", followed, err)
	}
}

// What a message says to Slack beside its text: nothing may be parsed, linked or previewed, and its key is in its metadata.
func TestPostAsksForNothingToBeParsed(t *testing.T) {
	var got map[string][]string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		got = r.PostForm
		fmt.Fprint(w, `{"ok":true,"ts":"1.1","channel":"C0RELEASES","message":{}}`)
	}))
	defer srv.Close()
	tr, err := New(Options{AppToken: "xapp-1", BotToken: "xoxb-1", APIURL: srv.URL, Receive: func(bot.Event) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []func() error{
		func() error { _, err := tr.Post(t.Context(), at(releases), "a/key", says("<!channel>")); return err },
		func() error { return tr.Update(t.Context(), at(releases), "1.1", "a/key", says("<!channel>")) },
	} {
		if err := call(); err != nil {
			t.Fatal(err)
		}
		for k, want := range map[string]string{
			"parse": "none", "link_names": "false", "unfurl_links": "false", "unfurl_media": "false", "mrkdwn": "false",
			"text": "&lt;!channel&gt;", "metadata": `{"event_type":"stuckbot_message","event_payload":{"key":"a/key"}}`,
		} {
			if len(got[k]) != 1 || got[k][0] != want {
				t.Errorf("%s is %q, want %q", k, got[k], want)
			}
		}
	}
}

func TestAReplyToADeletedThreadDoesNotStandAlone(t *testing.T) {
	w := start(t, nil)
	tr := w.transport(nil)
	place := at(releases)
	place.Thread = "1700000000.000100"
	if _, err := tr.Post(t.Context(), place, "k", says("orphan")); !errors.Is(err, bot.ErrGone) {
		t.Errorf("%v", err)
	}
	if got := w.Messages(releases); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestUpdateOfADeletedMessageIsGone(t *testing.T) {
	w := start(t, nil)
	if err := w.transport(nil).Update(t.Context(), at(releases), "1700000000.000100", "k", says("x")); !errors.Is(err, bot.ErrGone) {
		t.Errorf("%v", err)
	}
}
