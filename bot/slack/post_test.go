package slack

import (
	"context"
	"encoding/json"
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
	"stuckbot/storage"
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

// The answer to a post is lost. The bot finds its message and adopts it: there is no second root message.
func TestAnUnknownOutcomeMakesNoSecondMessage(t *testing.T) {
	for _, kind := range []sandbox.FaultKind{sandbox.FaultDropAfter, sandbox.FaultDropBefore, sandbox.FaultServerError} {
		t.Run(string(kind), func(t *testing.T) {
			w := start(t, nil)
			r := w.robot(nil)
			for i := range 2 {
				w.inject(sandbox.Fault{Kind: kind, Method: "chat.postMessage", Times: 1 + i%2})
				key := fmt.Sprintf("card-%d", i)
				if err := r.outbox.Queue(bot.Outgoing{Key: key, Place: at(releases), Message: says(key)}); err != nil {
					t.Fatal(err)
				}
				w.await("the message to be settled", func() bool {
					o, _, err := storage.NewMessages(w.store).Message(key)
					return err == nil && o.ID != "" && o.Sent == o.Version
				})
			}
			if got := w.Messages(releases); len(got) != 2 {
				t.Errorf("%d messages", len(got))
			}
		})
	}
}

// Messages are sent before Run knows who the bot is: they are found all the same.
func TestFindBeforeRun(t *testing.T) {
	w := start(t, nil)
	id, err := w.transport(nil).Post(t.Context(), at(releases), "k", says("x"))
	if err != nil {
		t.Fatal(err)
	}
	if found, err := w.transport(nil).Find(t.Context(), at(releases), "k", time.Now()); found != id || err != nil {
		t.Errorf("%q, %v", found, err)
	}
	w.inject(sandbox.Fault{Kind: sandbox.FaultServerError, Method: "auth.test", Times: 1})
	if found, err := w.transport(nil).Find(t.Context(), at(releases), "k", time.Now()); err == nil || errors.Is(err, bot.ErrUnknownOutcome) {
		t.Errorf("%q, %v: what cannot be told is an error, and not a message that is not there", found, err)
	}
}

// The process dies between the post and the note of its id. The next one adopts the message and brings it up to date.
func TestARestartAdoptsTheMessage(t *testing.T) {
	for _, thread := range []bool{false, true} {
		t.Run(fmt.Sprint("thread ", thread), func(t *testing.T) {
			w := start(t, nil)
			place := at(releases)
			if thread {
				root, err := w.As(alice).Say(releases, "", "root")
				if err != nil {
					t.Fatal(err)
				}
				place.Thread = root.TS
			}
			before := len(w.Messages(releases))
			o := bot.Outgoing{Key: "card", Place: place, Message: says("first"), Created: time.Now().UTC()}
			if err := storage.NewMessages(w.store).Queue(o); err != nil {
				t.Fatal(err)
			}
			id, err := w.transport(nil).Post(t.Context(), place, "card", says("first")) // and then it dies
			if err != nil {
				t.Fatal(err)
			}
			r := w.robot(nil)
			if err := r.outbox.Queue(bot.Outgoing{Key: "card", Place: place, Message: says("second")}); err != nil {
				t.Fatal(err)
			}
			w.await("the adoption", func() bool {
				o, _, err := storage.NewMessages(w.store).Message("card")
				return err == nil && o.ID == id && o.Sent == o.Version
			})
			got := w.Messages(releases)[before:]
			if len(got) != 1 || got[0].Text != "second" || got[0].TS != id {
				t.Errorf("%+v", got)
			}
		})
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

// 429 in the middle of the work: everything arrives, in order, and nothing twice.
func TestRatesAreKept(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Rates = sandbox.Rates{PostPerSecond: 2, PostBurst: 2, Tier3: 6000} })
	r := w.robot(nil)
	for i := range 5 {
		if err := r.outbox.Queue(bot.Outgoing{Key: fmt.Sprint(i), Place: at(releases), Message: says(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	w.await("all messages", func() bool { return len(w.Messages(releases)) == 5 })
	for i, m := range w.Messages(releases) {
		if m.Text != fmt.Sprint(i) {
			t.Errorf("message %d is %q", i, m.Text)
		}
	}
}

func TestFind(t *testing.T) {
	w := start(t, nil)
	tr := w.transport(nil)
	if err := tr.introduce(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	find := func(place bot.Place, key string) string {
		t.Helper()
		id, err := tr.Find(t.Context(), place, key, began)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first, err := tr.Post(t.Context(), at(releases), "k", says("first"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Post(t.Context(), at(releases), "k", says("second")); err != nil {
		t.Fatal(err)
	}
	for range 3 * findPage {
		if _, err := w.As(alice).Say(releases, "", "chatter"); err != nil {
			t.Fatal(err)
		}
	}
	if got := find(at(releases), "k"); got != first {
		t.Errorf("found %q of two, want the first, %q", got, first)
	}
	for _, key := range []string{"K", "", "k#2", "other"} {
		if got := find(at(releases), key); got != "" {
			t.Errorf("found %q for %q", got, key)
		}
	}
	if got := find(at(incidents), "k"); got != "" {
		t.Errorf("found %q in another channel", got)
	}
	if id, err := tr.Find(t.Context(), at(releases), "k", time.Now().Add(time.Hour)); id != "" || err != nil {
		t.Errorf("found %q from the past, %v", id, err)
	}
	thread := at(releases)
	thread.Thread = first
	reply, err := tr.Post(t.Context(), thread, "r", says("reply"))
	if err != nil {
		t.Fatal(err)
	}
	if got := find(thread, "r"); got != reply {
		t.Errorf("found %q, want %q", got, reply)
	}
	if got := find(at(releases), "r"); got != "" {
		t.Errorf("a reply stands in its thread, not in the channel: %q", got)
	}
	for _, place := range []bot.Place{at("C0NOWHERE"), at(random)} {
		if _, err := tr.Find(t.Context(), place, "k", began); !errors.Is(err, bot.ErrGone) {
			t.Errorf("%v", err)
		}
	}
}

// Only the bot's own messages count: another app may have copied the metadata.
func TestFindIgnoresOthers(t *testing.T) {
	entry := func(fields map[string]any) map[string]any {
		return merged(map[string]any{"ts": "2.0", "bot_id": "B1", "metadata": map[string]any{
			"event_type": "stuckbot_message", "event_payload": map[string]any{"key": "k"}}}, fields)
	}
	for name, tc := range map[string]struct {
		m    map[string]any
		want string
	}{
		"ours":              {entry(nil), "2.0"},
		"another bot's":     {entry(map[string]any{"bot_id": "B2"}), ""},
		"a person's":        {entry(map[string]any{"bot_id": nil}), ""},
		"another type":      {entry(map[string]any{"metadata": map[string]any{"event_type": "x", "event_payload": map[string]any{"key": "k"}}}), ""},
		"no payload":        {entry(map[string]any{"metadata": map[string]any{"event_type": "stuckbot_message"}}), ""},
		"a payload of text": {entry(map[string]any{"metadata": map[string]any{"event_type": "stuckbot_message", "event_payload": "k"}}), ""},
		"strange blocks":    {entry(map[string]any{"blocks": "none", "files": 5, "user": []int{1}}), "2.0"},
	} {
		raw, err := json.Marshal(map[string]any{"ok": true, "messages": []any{tc.m}})
		if err != nil {
			t.Fatal(err)
		}
		tr := apiAnswers(t, 200, nil, string(raw))
		tr.self = self{user: "U1", bot: "B1"}
		if id, err := tr.Find(t.Context(), at(releases), "k", time.Now()); id != tc.want || err != nil {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
}

func TestFindEndsInAnEndlessChannel(t *testing.T) {
	w := &logs{}
	tr := apiAnswers(t, 200, nil, `{"ok":true,"messages":[],"response_metadata":{"next_cursor":"more"}}`)
	tr.self = self{user: "U1", bot: "B1"}
	tr.o.Log = tr.o.Log.Output(w)
	if id, err := tr.Find(t.Context(), at(releases), "k", time.Now()); id != "" || err != nil || !strings.Contains(w.String(), "too many messages") {
		t.Errorf("%q, %v, %s", id, err, w)
	}
}

// Without the scope to read a channel, posting is at least once, which the log says once.
func TestFindWithoutScope(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Scopes = []string{"chat:write"} })
	tr := w.transport(nil)
	for range 3 {
		if id, err := tr.Find(t.Context(), at(releases), "k", time.Now()); id != "" || err != nil {
			t.Errorf("%q, %v", id, err)
		}
	}
	if n := strings.Count(w.log.String(), "channels:history"); n != 1 {
		t.Errorf("said %d times: %s", n, w.log)
	}
}

func TestWhisper(t *testing.T) {
	w := start(t, nil)
	events := make(chan bot.Event, 10)
	w.robot(func(_ context.Context, _ *Transport, e bot.Event) ([]bot.Outgoing, error) {
		events <- e
		return nil, nil
	})
	tr := w.transport(nil)
	if err := w.As(alice).Slash(random, "/stuck"); err != nil { // the bot is not in this channel
		t.Fatal(err)
	}
	e := <-events
	for i := range 5 {
		if err := tr.Whisper(t.Context(), e, says(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.Ephemerals(random, alice); len(got) != 5 || got[4].Text != "4" {
		t.Errorf("%+v", got)
	}
	err := tr.Whisper(t.Context(), e, says("6th")) // the response URL is used up, and chat.postEphemeral cannot help here
	if !errors.Is(err, bot.ErrGone) || strings.Contains(err.Error(), "/hooks/") {
		t.Errorf("%v", err)
	}
	e.Place.Channel = releases // where the bot is: what the response URL no longer takes, goes through the API
	if err := tr.Whisper(t.Context(), e, says("through the API")); err != nil {
		t.Fatal(err)
	}
	if got := w.Ephemerals(releases, alice); len(got) != 1 || got[0].Text != "through the API" {
		t.Errorf("%+v", got)
	}
	root, err := w.As(alice).Say(releases, "", "root")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.As(alice).Say(releases, root.TS, "@stuckbot help"); err != nil {
		t.Fatal(err)
	}
	if err := tr.Whisper(t.Context(), <-events, says("in the thread")); err != nil {
		t.Fatal(err)
	}
	if got := w.Ephemerals(releases, alice); len(got) != 2 || got[1].ThreadTS != root.TS {
		t.Errorf("%+v", got)
	}
}

func TestALongWhisperSaysWhatItLeavesOut(t *testing.T) {
	w := start(t, nil)
	tr := w.transport(nil)
	e := bot.Event{Place: at(releases), User: bot.User{ID: alice}}
	m := sweepOf(2000)
	if err := tr.Whisper(t.Context(), e, m); err != nil {
		t.Fatal(err)
	}
	got := w.Ephemerals(releases, alice)
	if len(got) != 5 || !strings.Contains(string(got[4].Blocks), fmt.Sprintf("%d more pages were left out", len(split(m))-5)) {
		t.Errorf("%d messages", len(got))
	}
}

// Only Slack's response URLs are written to, whatever an event says, and no error shows one.
func TestResponseURLs(t *testing.T) {
	tr, err := New(Options{AppToken: "xapp-1", BotToken: "xoxb-1", Receive: func(bot.Event) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"https://hooks.slack.com/commands/T1/1/x": true, "https://slack.com/api/x": true, "http://hooks.slack.com/x": false,
		"https://hooks.slack.com.evil.example/x": false, "https://evil.example/hooks.slack.com": false, "https://hooks.slack.com:8443/x": false,
		"https://a@hooks.slack.com/x": false, "http://127.0.0.1/x": false, "": false, "::": false, "https://hooks.slack-gov.com/x": false,
	} {
		if got := tr.mayRespond(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
	for status, body := range map[int]string{500: "", 400: "invalid_payload", 302: ""} {
		tr := apiAnswers(t, status, nil, body)
		e := bot.Event{Place: at(releases), User: bot.User{ID: alice}, Reply: tr.base.String() + "s3cr3t"}
		if err := tr.Whisper(t.Context(), e, says("x")); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%d: %v", status, err)
		}
	}
	gone := apiAnswers(t, 200, nil, "")
	gone.http = &http.Client{Transport: broken1{}}
	e := bot.Event{Place: at(releases), User: bot.User{ID: alice}, Reply: gone.base.String() + "s3cr3t"}
	if err := gone.Whisper(t.Context(), e, says("x")); err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("%v", err)
	}
}

// broken1 is a network that fails.
type broken1 struct{}

func (broken1) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route to host")
}
