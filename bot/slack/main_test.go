package slack

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stuckbot/bot"
	"stuckbot/bot/sandbox"
	"stuckbot/storage"
	"stuckbot/storage/kv"
	"stuckbot/storage/kv/memkv"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	alice     = "U0ALICE"
	releases  = "C0RELEASES"
	incidents = "C0INCIDENTS"
	random    = "C0RANDOM"
	old       = "C0OLD"
	patience  = 20 * time.Second // for what must happen; nothing waits so long when it does
)

// world is a sandbox workspace with a bot that can be started and stopped.
type world struct {
	*sandbox.Sandbox
	t     *testing.T
	url   string
	store kv.Store
	log   *logs
	calls *counter
}

// logs keeps what was logged.
type logs struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// counter counts the calls of each API method, and when.
type counter struct {
	mu sync.Mutex
	at map[string][]time.Time
}

func (c *counter) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		name := strings.TrimPrefix(r.URL.Path, "/api/")
		c.at[name] = append(c.at[name], time.Now())
		c.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func (c *counter) times(method string) []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Time(nil), c.at[method]...)
}

func start(t *testing.T, change func(*sandbox.Options)) *world {
	t.Helper()
	opt := sandbox.Options{Rates: sandbox.Rates{Off: true}, Commands: []sandbox.Command{{Command: "/stuck"}}}
	if change != nil {
		change(&opt)
	}
	s, err := sandbox.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{at: map[string][]time.Time{}}
	srv := httptest.NewServer(c.middleware(s.Handler()))
	t.Cleanup(func() {
		s.Close()
		srv.CloseClientConnections()
		srv.Close()
	})
	return &world{Sandbox: s, t: t, url: srv.URL, store: memkv.New(), log: &logs{}, calls: c}
}

func (w *world) transport(change func(*Options)) *Transport {
	w.t.Helper()
	tr, err := tryTransport(w, change)
	if err != nil {
		w.t.Fatal(err)
	}
	return tr
}

// run runs a Transport until the test ends or stop is called, which returns Run's error.
func (w *world) run(tr *Transport) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- tr.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	w.t.Cleanup(func() { stop() })
	return stop
}

// connected runs a Transport and waits until Slack said hello.
func (w *world) connected(tr *Transport) (stop func() error) {
	w.t.Helper()
	stop = w.run(tr)
	w.await("a connection", func() bool { ok, _ := tr.Ready(); return ok })
	return stop
}

// await polls what the sandbox cannot tell of.
func (w *world) await(what string, cond func() bool) {
	w.t.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		if time.Now().After(deadline) {
			w.t.Fatalf("waited in vain for %s; log:\n%s", what, w.log)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// robot is the whole bot but for its commands: a Transport with a Dispatcher and an Outbox on a store.
type robot struct {
	*Transport
	outbox     *bot.Outbox
	dispatcher *bot.Dispatcher
	stop       func()
}

// handle works an event.
type handle func(ctx context.Context, tr *Transport, e bot.Event) ([]bot.Outgoing, error)

func (h handle) Failed(bot.Event, error) []bot.Outgoing { return nil }

type boundHandle struct {
	handle
	tr *Transport
}

func (h boundHandle) Handle(ctx context.Context, e bot.Event) ([]bot.Outgoing, error) {
	return h.handle(ctx, h.tr, e)
}

func (w *world) robot(h handle, changes ...func(*Options)) *robot {
	w.t.Helper()
	r := &robot{}
	r.Transport = w.transport(func(o *Options) {
		o.Receive = func(e bot.Event) error { return r.dispatcher.Receive(e) }
		for _, c := range changes {
			c(o)
		}
	})
	report := func(key string, err error) { w.log.Write([]byte(key + ": " + err.Error() + "\n")) }
	r.outbox = bot.NewOutbox(bot.OutboxOptions{
		Messages: storage.NewMessages(w.store), Transport: r.Transport, Split: r.Split,
		Interval: 5 * time.Millisecond, Settling: 20 * time.Millisecond,
		Report: func(o bot.Outgoing, err error) { report(o.Key, err) },
	})
	r.dispatcher = bot.NewDispatcher(bot.DispatcherOptions{
		Events: storage.NewEvents(w.store), Handler: boundHandle{h, r.Transport}, Pages: r.outbox.Pages, Queued: r.outbox.Wake,
		Report: func(e bot.Event, err error) { report(e.Key, err) },
	})
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for _, run := range []func(context.Context) error{r.Run, r.outbox.Run, r.dispatcher.Run} {
		all.Go(func() {
			if err := run(ctx); err != nil && !errors.As(err, new(*FatalError)) {
				w.t.Errorf("stopped: %v", err)
			}
		})
	}
	r.stop = sync.OnceFunc(func() { cancel(); all.Wait() })
	w.t.Cleanup(r.stop)
	w.await("a connection", func() bool { ok, _ := r.Ready(); return ok })
	return r
}

// answer is an Outgoing for an event.
func answer(e bot.Event, m bot.Message) bot.Outgoing {
	return bot.Outgoing{Key: "answer/" + e.Key, Place: e.Place, Message: m, Created: time.Now().UTC()}
}

func at(channel string) bot.Place {
	return bot.Place{Platform: Platform, Team: "T0SANDBOX", Channel: channel}
}

func says(text string) bot.Message {
	return bot.Message{Summary: text, Blocks: []bot.Block{bot.Text(bot.T(text))}}
}

func tryTransport(w *world, change func(*Options)) (*Transport, error) {
	o := Options{
		AppToken: w.AppToken(), BotToken: w.BotToken(), APIURL: w.url + "/api/", Log: zerolog.New(w.log).Level(zerolog.InfoLevel).With().Timestamp().Logger(),
		Receive: func(bot.Event) error { return nil },
	}
	if change != nil {
		change(&o)
	}
	return New(o)
}

func (w *world) inject(f sandbox.Fault) {
	w.t.Helper()
	if err := w.Faults().Inject(f); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) disconnect(reason sandbox.DisconnectReason) {
	if _, err := w.Faults().Disconnect(reason); err != nil {
		w.t.Error(err)
	}
}

// stored counts the events in the store.
func (w *world) stored() int { return len(w.keys("event/")) }

func (w *world) keys(prefix string) []string {
	var keys []string
	err := w.store.View(func(tx kv.Tx) error {
		return tx.Scan(prefix, kv.ScanOptions{KeysOnly: true}, func(key string, _ []byte) (bool, error) {
			keys = append(keys, key)
			return true, nil
		})
	})
	if err != nil {
		w.t.Error(err)
	}
	return keys
}

// queued returns every message in the store.
func (w *world) queued() []bot.Outgoing {
	var all []bot.Outgoing
	for _, key := range w.keys("message/") {
		o, found, err := storage.NewMessages(w.store).Message(strings.TrimPrefix(key, "message/"))
		if err != nil || !found {
			w.t.Errorf("%s: %v", key, err)
		}
		all = append(all, o)
	}
	return all
}
