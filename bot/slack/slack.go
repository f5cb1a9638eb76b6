package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	sdk "github.com/slack-go/slack"

	"stuckbot/bot"
)

// Platform is the transport's name in a bot.Place.
const Platform = "slack"

// Options configure a Transport.
type Options struct {
	// AppToken is the app-level token (xapp-…) for Socket Mode; BotToken (xoxb-…) is for everything else.
	AppToken, BotToken string
	// APIURL is where the Web API is; empty means Slack itself. Without TLS it must be on this machine.
	APIURL string
	// Receive stores an event durably. The event is acknowledged when it returns nil, and never before.
	Receive func(bot.Event) error
	Log     zerolog.Logger
	// HTTPClient is for the Web API; nil means one with timeouts. Its transport's TLS, proxy and dialling count for Socket
	// Mode as well.
	HTTPClient *http.Client
	Now        func() time.Time // nil means time.Now
}

// Transport connects the bot to one Slack workspace. It implements bot.Transport.
type Transport struct {
	o       Options
	api     *sdk.Client
	http    *http.Client
	base    *url.URL // of the API, with a slash at the end
	socket  *socket
	people  *cache[Person]
	groups  *cache[[]string]
	refused chan error // a token that is no longer taken, noticed by a call

	mu      sync.Mutex
	self    self
	blindly bool // it was said that posting is at least once
}

var _ bot.Transport = (*Transport)(nil)

// self is who the bot token belongs to.
type self struct {
	user, bot, team, enterprise string
}

// New builds a Transport. It does not connect: Run does.
func New(o Options) (*Transport, error) {
	if err := checkTokens(o.AppToken, o.BotToken); err != nil {
		return nil, err
	}
	if o.Receive == nil {
		return nil, errors.New("slack: Options.Receive is missing")
	}
	base, err := apiURL(o.APIURL)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Transport{o: o, base: base, http: httpClient(o.HTTPClient), refused: make(chan error, 1)}
	t.people, t.groups = newCache[Person](o.Now), newCache[[]string](o.Now)
	t.api = sdk.New(o.BotToken, sdk.OptionAPIURL(base.String()), sdk.OptionAppLevelToken(o.AppToken), sdk.OptionHTTPClient(t.http))
	t.socket = newSocket(o.Now)
	t.socket.log, t.socket.receive = o.Log, o.Receive
	t.socket.dialer = dialer(t.http)
	t.socket.open = t.openConnection
	return t, nil
}

// checkTokens catches tokens in each other's place, without showing them.
func checkTokens(app, bot string) error {
	switch {
	case app == "" || bot == "":
		return errors.New("slack: the app-level token (xapp-…) and the bot token (xoxb-…) are both needed")
	case strings.HasPrefix(app, "xoxb-") || strings.HasPrefix(bot, "xapp-"):
		return errors.New("slack: the app-level token (xapp-…) and the bot token (xoxb-…) are exchanged")
	}
	return nil
}

func apiURL(text string) (*url.URL, error) {
	if text == "" {
		text = sdk.APIURL
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf("slack: API URL %q is not like https://slack.com/api/", text)
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return nil, fmt.Errorf("slack: API URL %q must begin with https://, or tokens travel in the clear", text)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + "/"
	return u, nil
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// Run connects and delivers events until ctx ends; then it returns nil. An error says why the bot cannot go on: a token
// that is not taken, a missing scope, Socket Mode switched off. It is called once.
func (t *Transport) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case err := <-t.refused:
			cancel(err)
		case <-done:
		}
	}()
	err := t.introduce(ctx)
	if err == nil && ctx.Err() == nil {
		t.mu.Lock()
		user := t.self.user
		t.mu.Unlock()
		err = t.socket.run(ctx, user)
	}
	if cause := new(FatalError); errors.As(context.Cause(ctx), &cause) {
		err = cause
	}
	if err != nil {
		t.socket.alive.stop("stopped: " + err.Error())
		return fmt.Errorf("slack: %w", err)
	}
	t.socket.alive.stop("stopped")
	return nil
}

// Ready reports whether events arrive: Slack said hello on a connection, and was heard on it a short while ago. Otherwise
// it says why not.
func (t *Transport) Ready() (bool, string) { return t.socket.alive.ready() }

// introduce learns who the bot is, which it must know to tell its own messages from others'.
func (t *Transport) introduce(ctx context.Context) error {
	var p pace
	for sleep(ctx, p.wait()) {
		_, err := t.whoami(ctx)
		var f *FatalError
		switch {
		case err == nil || ctx.Err() != nil:
			return nil
		case errors.As(err, &f):
			return err
		}
		t.socket.alive.note("the bot token could not be checked: " + err.Error())
		t.o.Log.Warn().Err(err).Msg("slack: the bot token could not be checked")
		p.failed(err)
	}
	return nil
}

// whoami returns who the bot is, and asks Slack when it is not known yet: messages may be sent and people looked up before
// Run has come so far.
func (t *Transport) whoami(ctx context.Context) (self, error) {
	t.mu.Lock()
	known := t.self
	t.mu.Unlock()
	if known.user != "" {
		return known, nil
	}
	who, err := t.api.AuthTestContext(ctx)
	if err != nil {
		if f := fatal("bot", err); f != nil {
			return self{}, f
		}
		return self{}, fmt.Errorf("auth.test: %w", withoutDoubt(classify(err, false)))
	}
	known = self{user: who.UserID, bot: who.BotID, team: who.TeamID, enterprise: who.EnterpriseID}
	t.mu.Lock()
	t.self = known
	t.mu.Unlock()
	return known, nil
}

// openConnection asks for the address of a new Socket Mode connection.
func (t *Transport) openConnection(ctx context.Context) (string, error) {
	_, address, err := t.api.StartSocketModeContext(ctx)
	if err != nil {
		if f := fatal("app", err); f != nil {
			return "", f
		}
		return "", withoutDoubt(classify(err, true))
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "wss" && (u.Scheme != "ws" || t.base.Scheme != "http") {
		return "", errors.New("the address for Socket Mode is not an encrypted one") // it holds a ticket: not shown
	}
	return address, nil
}

// sleep waits and reports whether ctx still goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
