package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/slack-go/slack"

	"stuckbot/bot"
)

// maxWhispers is how many messages a response URL takes.
const maxWhispers = 5

// Whisper implements bot.Transport: an ephemeral message through the event's response URL, which works in channels that the
// bot is not in, or else through chat.postEphemeral. What needs more than five pages ends with a note of how much was left
// out.
func (t *Transport) Whisper(ctx context.Context, e bot.Event, m bot.Message) error {
	pages := split(m)
	if over := len(pages) - maxWhispers; over > 0 {
		pages = pages[:maxWhispers]
		last := &pages[maxWhispers-1]
		last.Blocks = append(slices.Clone(last.Blocks), bot.Note(bot.T(fmt.Sprintf("%d more pages were left out", over))))
	}
	for _, page := range pages {
		c, err := render(page)
		if err != nil {
			return err
		}
		if err := t.whisper(ctx, e, c); err != nil {
			return err
		}
	}
	return nil
}

func (t *Transport) whisper(ctx context.Context, e bot.Event, c content) error {
	if e.Reply != "" {
		err := t.respond(ctx, e, c)
		if err == nil || !errors.Is(err, bot.ErrGone) {
			return err
		}
	}
	options := literal(c)
	if e.Place.Thread != "" {
		options = append(options, sdk.MsgOptionTS(e.Place.Thread))
	}
	ctx, sent := traced(ctx)
	if _, err := t.api.PostEphemeralContext(ctx, e.Place.Channel, e.User.ID, options...); err != nil {
		return fmt.Errorf("chat.postEphemeral: %w", t.outcome(err, sent.Load()))
	}
	return nil
}

// response is a message to a response URL: https://docs.slack.dev/interactivity/handling-user-interaction
type response struct {
	Type    string      `json:"response_type"`
	Replace bool        `json:"replace_original"`
	Thread  string      `json:"thread_ts,omitempty"`
	Text    string      `json:"text"`
	Blocks  []sdk.Block `json:"blocks"`
	Links   bool        `json:"unfurl_links"`
	Media   bool        `json:"unfurl_media"`
	Mrkdwn  bool        `json:"mrkdwn"`
	Parse   string      `json:"parse"`
}

// respond uses a response URL. Whoever knows it can write as the bot for half an hour, so no error shows it. One that is
// used up, too old or not Slack's is bot.ErrGone.
func (t *Transport) respond(ctx context.Context, e bot.Event, c content) error {
	if !t.mayRespond(e.Reply) {
		return fmt.Errorf("response URL: %w", bot.ErrGone)
	}
	raw, err := json.Marshal(response{Type: "ephemeral", Thread: e.Place.Thread, Text: c.text, Blocks: c.blocks, Parse: "none"})
	if err != nil {
		return err
	}
	ctx, sent := traced(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.Reply, bytes.NewReader(raw))
	if err != nil {
		return errors.New("response URL: it is none")
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := t.http.Do(req)
	if err != nil {
		return fmt.Errorf("response URL: %w", classify(err, sent.Load()))
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // so that the connection serves again
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusNotFound:
		return fmt.Errorf("response URL: %w", bot.ErrGone)
	}
	return fmt.Errorf("response URL: %w", classify(statusError(resp), true))
}

// mayRespond reports whether an address is a response URL of Slack's, or of the API server that the bot is configured for:
// an event must not make the bot write to anyone else.
func (t *Transport) mayRespond(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if u.Scheme == t.base.Scheme && u.Host == t.base.Host {
		return true
	}
	slack := u.Hostname() == "hooks.slack.com" || u.Hostname() == "hooks.slack-gov.com"
	return slack && u.Scheme == "https" && u.Port() == "" && strings.HasSuffix(t.base.Hostname(), strings.TrimPrefix(u.Hostname(), "hooks."))
}
