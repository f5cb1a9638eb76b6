package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stuckbot/bot"
)

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
