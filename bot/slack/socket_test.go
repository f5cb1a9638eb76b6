package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stuckbot/bot"
	"stuckbot/bot/sandbox"
)

// A slash command, from the person to the answer: stored, acknowledged, worked, answered in one message, updated in place.
func TestASlashCommandEndToEnd(t *testing.T) {
	w := start(t, nil)
	var asked atomic.Value
	r := w.robot(func(_ context.Context, _ *Transport, e bot.Event) ([]bot.Outgoing, error) {
		asked.Store(e)
		return []bot.Outgoing{answer(e, says("first <b> & *more*"))}, nil
	})
	if err := w.As(alice).Slash(releases, "/stuck diagnose prod-eu"); err != nil {
		t.Fatal(err)
	}
	w.await("an answer", func() bool { return len(w.Messages(releases)) == 1 })
	e := asked.Load().(bot.Event)
	if e.Command == nil || e.Command.Text != "diagnose prod-eu" || e.User.ID != alice || e.Place != at(releases) || e.Received.IsZero() {
		t.Errorf("%+v", e)
	}
	first := w.Messages(releases)[0]
	if first.Text != "first &lt;b&gt; &amp; *more*" || first.Metadata == nil || first.ThreadTS != "" {
		t.Errorf("%+v", first)
	}
	if err := r.outbox.Queue(answer(e, says("second"))); err != nil {
		t.Fatal(err)
	}
	w.await("the update", func() bool { return w.Messages(releases)[0].Text == "second" })
	if m := w.Messages(releases); len(m) != 1 || m[0].TS != first.TS || m[0].Edited != nil {
		t.Errorf("the message is updated in place, without a mark: %+v", m)
	}
	if n := len(w.Ephemerals(releases, alice)); n != 0 {
		t.Errorf("Slack complains: %+v", w.Ephemerals(releases, alice))
	}
}

// A long answer becomes pages in its thread; a shorter one empties those that are left over.
func TestALongAnswerEndToEnd(t *testing.T) {
	w := start(t, nil)
	r := w.robot(func(_ context.Context, _ *Transport, e bot.Event) ([]bot.Outgoing, error) {
		return []bot.Outgoing{answer(e, sweepOf(600))}, nil
	})
	if err := w.As(alice).Slash(releases, "/stuck sweep"); err != nil {
		t.Fatal(err)
	}
	pages := len(split(sweepOf(600)))
	w.await("all pages", func() bool { return len(w.Messages(releases)) == pages })
	m := w.Messages(releases)
	for i, page := range m[1:] {
		if page.ThreadTS != m[0].TS || !strings.Contains(string(page.Blocks), fmt.Sprintf("page %d of %d", i+2, pages)) {
			t.Errorf("%+v", page)
		}
	}
	var key string
	for _, o := range w.queued() {
		if o.Root == "" {
			key = o.Key
		}
	}
	if err := r.outbox.Queue(bot.Outgoing{Key: key, Place: at(releases), Message: says("nothing is stuck any more")}); err != nil {
		t.Fatal(err)
	}
	w.await("the left-over pages to be emptied", func() bool {
		emptied := 0
		for _, page := range w.Messages(releases) {
			if strings.Contains(page.Text, "nothing stands here any more") {
				emptied++
			}
		}
		return emptied == pages-1 && w.Messages(releases)[0].Text == "nothing is stuck any more"
	})
	if n := len(w.Messages(releases)); n != pages {
		t.Errorf("%d messages", n)
	}
}

func TestAMentionInAThreadIsAnsweredThere(t *testing.T) {
	w := start(t, nil)
	w.robot(func(_ context.Context, _ *Transport, e bot.Event) ([]bot.Outgoing, error) {
		return []bot.Outgoing{answer(e, says("heard: "+e.Command.Text))}, nil
	})
	root, err := w.As(alice).Say(releases, "", "it is stuck")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.As(alice).Say(releases, root.TS, "@stuckbot diagnose prod-eu"); err != nil {
		t.Fatal(err)
	}
	w.await("an answer", func() bool { return len(w.Messages(releases)) == 3 })
	if m := w.Messages(releases)[2]; m.Text != "heard: diagnose prod-eu" || m.ThreadTS != root.TS {
		t.Errorf("%+v", m)
	}
}

func TestAClickArrivesAsItsButton(t *testing.T) {
	w := start(t, nil)
	clicks := make(chan bot.Event, 1)
	r := w.robot(func(ctx context.Context, tr *Transport, e bot.Event) ([]bot.Outgoing, error) {
		clicks <- e
		return nil, tr.Whisper(ctx, e, says("noted"))
	})
	m := bot.Message{Summary: "plan", Blocks: []bot.Block{{Kind: bot.BlockButtons, Buttons: []bot.Button{
		{ID: "plan-1", Verb: "approve", Digest: "d1", Label: "Approve"}, {ID: "plan-1", Verb: "deny", Digest: "d1", Label: "Deny"},
	}}}}
	ts, err := r.Post(t.Context(), at(releases), "card", m)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.As(alice).Click(releases, ts, "", "sb:deny:1"); err != nil {
		t.Fatal(err)
	}
	e := <-clicks
	if want := (bot.Click{ID: "plan-1", Verb: "deny", Digest: "d1", Message: ts}); e.Click == nil || *e.Click != want || e.User.ID != alice {
		t.Errorf("%+v", e)
	}
	w.await("the whisper", func() bool { return len(w.Ephemerals(releases, alice)) == 1 })
	if got := w.Ephemerals(releases, alice)[0]; got.Text != "noted" || got.User == "USLACKBOT" {
		t.Errorf("%+v", got)
	}
	if log := w.log.String(); strings.Contains(log, e.Reply) || strings.Contains(log, "/hooks/") || e.Reply == "" {
		t.Errorf("the response URL is in the log: %s", log)
	}
}

// Promise 11: 1,000 envelopes, of which a third come twice and some while connections are refreshed. Handlers hang. Every
// envelope is acknowledged in time, and every event acts once.
func TestAThousandEnvelopesActOnce(t *testing.T) {
	const envelopes = 1000
	w := start(t, func(o *sandbox.Options) {
		o.Limits.Ephemerals, o.Timing.Warning, o.Events = 5000, 5*time.Second, []string{"app_mention"}
	})
	release := make(chan struct{})
	var mu sync.Mutex
	var slowest atomic.Int64
	acted := map[string]int{}
	w.robot(func(ctx context.Context, _ *Transport, e bot.Event) ([]bot.Outgoing, error) {
		select {
		case <-release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		mu.Lock()
		defer mu.Unlock()
		acted[e.Command.Text]++
		return nil, nil
	}, func(o *Options) { o.Receive = timed(&slowest, o.Receive) })
	for i := range envelopes {
		if i%3 == 0 {
			w.inject(sandbox.Fault{Kind: sandbox.FaultEnvelopeDuplicate, Times: 1})
		}
		switch i {
		case 200, 700:
			w.disconnect(sandbox.DisconnectRefreshRequested)
		case 450:
			w.disconnect(sandbox.DisconnectWarning)
		}
		if i%2 == 0 {
			if err := w.As(alice).Slash(incidents, fmt.Sprintf("/stuck s%d", i)); err != nil {
				t.Fatal(err)
			}
		} else if _, err := w.As(alice).Say(incidents, "", fmt.Sprintf("@stuckbot m%d", i)); err != nil {
			t.Fatal(err)
		}
		if i%20 == 0 { // the sandbox's sockets take so much at once
			want := i + 1
			w.await("the events to be stored", func() bool { return w.stored() >= want })
		}
	}
	w.await("all events to be stored", func() bool { return w.stored() == envelopes })
	mu.Lock()
	if len(acted) != 0 {
		t.Error("the handlers do not hang")
	}
	mu.Unlock()
	close(release)
	w.await("all events to act", func() bool { mu.Lock(); defer mu.Unlock(); return len(acted) == envelopes })
	mu.Lock()
	defer mu.Unlock()
	for text, n := range acted {
		if n != 1 {
			t.Errorf("%s acted %d times", text, n)
		}
	}
	if complaints := w.Ephemerals(incidents, alice); len(complaints) > 0 {
		t.Errorf("Slack complains %d times: %s\n%s", len(complaints), complaints[0].Text, w.log)
	}
	t.Logf("storing took at most %v; connections opened: %d", time.Duration(slowest.Load()), len(w.calls.times("apps.connections.open")))
}

func timed(slowest *atomic.Int64, receive func(bot.Event) error) func(bot.Event) error {
	return func(e bot.Event) error {
		began := time.Now()
		defer func() {
			for d := int64(time.Since(began)); ; {
				old := slowest.Load()
				if d <= old || slowest.CompareAndSwap(old, d) {
					return
				}
			}
		}()
		return receive(e)
	}
}

// Connections break off without warning. What people typed meanwhile may be gone, and Slack tells them; events of channels
// come again, and each acts once.
func TestBrokenConnectionsLoseNoMention(t *testing.T) {
	const mentions = 200
	w := start(t, func(o *sandbox.Options) {
		o.Timing.Ack = 200 * time.Millisecond
		o.Timing.EventRetries = []time.Duration{0, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}
	})
	var mu sync.Mutex
	acted := map[string]int{}
	w.robot(func(_ context.Context, _ *Transport, e bot.Event) ([]bot.Outgoing, error) {
		mu.Lock()
		defer mu.Unlock()
		acted[e.Command.Text]++
		return nil, nil
	})
	for i := range mentions {
		if i%80 == 40 {
			w.disconnect(sandbox.DisconnectTooManyWebsockets) // closes at once
		}
		if _, err := w.As(alice).Say(incidents, "", fmt.Sprintf("@stuckbot m%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	w.await("all mentions to act", func() bool { mu.Lock(); defer mu.Unlock(); return len(acted) == mentions })
	mu.Lock()
	defer mu.Unlock()
	for text, n := range acted {
		if n != 1 {
			t.Errorf("%s acted %d times", text, n)
		}
	}
}

// Slack asks for a new connection 20 ms after each hello. After the first three there is at most one a second, and the bot
// is ready all the time: the old connection serves until it is closed.
func TestADisconnectStormIsRidden(t *testing.T) {
	t.Parallel()
	const window = 5 * time.Second
	w := start(t, func(o *sandbox.Options) {
		o.Faults = []sandbox.Fault{{Kind: sandbox.FaultStorm, Delay: 20 * time.Millisecond}}
	})
	tr := w.transport(nil)
	w.connected(tr)
	heard := 0
	for began := time.Now(); time.Since(began) < window; time.Sleep(20 * time.Millisecond) {
		if ok, why := tr.Ready(); !ok {
			t.Errorf("not ready: %s", why)
		}
		heard++
	}
	opened := w.calls.times("apps.connections.open")
	for i := 3; i < len(opened); i++ {
		if gap := opened[i].Sub(opened[i-1]); gap < time.Second {
			t.Errorf("connection %d came %v after the one before", i+1, gap)
		}
	}
	if len(opened) < 4 || len(opened) > 3+int(window/time.Second) {
		t.Errorf("%d connections in %v", len(opened), window)
	}
	t.Logf("%d connections in %v of storm", len(opened), window)
}

// The same storm where every connection is cut at once: the bot comes back, at its pace.
func TestAStormOfCutsIsRidden(t *testing.T) {
	t.Parallel()
	w := start(t, func(o *sandbox.Options) {
		o.Faults = []sandbox.Fault{{Kind: sandbox.FaultStorm, Delay: 20 * time.Millisecond, Reason: sandbox.DisconnectTooManyWebsockets, Times: 4}}
	})
	tr := w.transport(nil)
	w.connected(tr)
	w.await("the fifth connection", func() bool { return len(w.calls.times("apps.connections.open")) == 5 })
	w.await("the bot to be ready", func() bool { ok, _ := tr.Ready(); return ok })
	opened := w.calls.times("apps.connections.open")
	if gap := opened[4].Sub(opened[3]); gap < 2*time.Second {
		t.Errorf("the pause does not grow: %v", gap)
	}
	if !strings.Contains(w.log.String(), "do other instances of the bot run?") {
		t.Errorf("the operator is not told: %s", w.log)
	}
}

// An event that could not be stored is not acknowledged: Slack sends it again.
func TestAnEventThatCannotBeStoredIsNotAcknowledged(t *testing.T) {
	w := start(t, func(o *sandbox.Options) {
		o.Timing.Ack, o.Timing.EventRetries = 50*time.Millisecond, []time.Duration{10 * time.Millisecond, 10 * time.Millisecond}
	})
	var tries atomic.Int32
	tr := w.transport(func(o *Options) {
		o.Receive = func(e bot.Event) error {
			switch tries.Add(1) {
			case 1:
				return errors.New("disk full")
			case 2:
				panic("index out of range")
			}
			return nil
		}
	})
	w.connected(tr)
	if _, err := w.As(alice).Say(releases, "", "@stuckbot sweep"); err != nil {
		t.Fatal(err)
	}
	w.await("the third delivery", func() bool { return tries.Load() == 3 })
	for _, want := range []string{"disk full", "index out of range", "was not acknowledged"} {
		if !strings.Contains(w.log.String(), want) {
			t.Errorf("the log does not tell of %q", want)
		}
	}
	if err := w.As(alice).Slash(releases, "/stuck"); err != nil {
		t.Fatal(err)
	}
	w.await("the slash command", func() bool { return tries.Load() == 4 })
}

// The connection breaks while an event is stored: the acknowledgement fails, the event is kept, and the operator is told.
func TestAFailedAcknowledgementLosesNothing(t *testing.T) {
	w := start(t, nil)
	r := w.robot(func(context.Context, *Transport, bot.Event) ([]bot.Outgoing, error) { return nil, nil })
	store := r.dispatcher.Receive
	r.socket.receive = func(e bot.Event) error {
		r.socket.alive.cut()
		return store(e)
	}
	if err := w.As(alice).Slash(releases, "/stuck"); err != nil {
		t.Fatal(err)
	}
	w.await("the log", func() bool {
		return strings.Contains(w.log.String(), "the acknowledgement failed; what it was for is stored")
	})
	if n := w.stored(); n != 1 {
		t.Errorf("%d events are stored", n)
	}
	w.await("another connection", func() bool { ok, _ := r.Ready(); return ok })
}

// cut breaks every connection.
func (a *alive) cut() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := range a.heard {
		c.ws.Close()
	}
}

// The end of Run waits for what is being stored, and acknowledges it.
func TestStoppingAcknowledgesWhatIsStored(t *testing.T) {
	w := start(t, nil)
	storing, finish := make(chan struct{}), make(chan struct{})
	tr := w.transport(func(o *Options) {
		o.Receive = func(bot.Event) error { close(storing); <-finish; return nil }
	})
	stop := w.connected(tr)
	if err := w.As(alice).Slash(releases, "/stuck"); err != nil {
		t.Fatal(err)
	}
	<-storing
	stopped := make(chan error)
	go func() { stopped <- stop() }()
	select {
	case <-stopped:
		t.Fatal("Run ended before the event was stored")
	case <-time.After(50 * time.Millisecond):
	}
	close(finish)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	w.await("the connection to end", func() bool { return w.Connections() == 0 })
	time.Sleep(50 * time.Millisecond)
	if complaints := w.Ephemerals(releases, alice); len(complaints) > 0 {
		t.Errorf("%+v", complaints)
	}
	if ok, why := tr.Ready(); ok || why != "stopped" {
		t.Errorf("ready %v, %s", ok, why)
	}
}

// A connection on which nothing is heard is dead, whatever the network says.
func TestASilentConnectionIsNotReady(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Timing.Ping = time.Hour })
	tr := w.transport(nil)
	tr.socket.silence, tr.socket.alive.silence = 200*time.Millisecond, 200*time.Millisecond
	if ok, why := tr.Ready(); ok || why != "not connected yet" {
		t.Errorf("ready %v, %s", ok, why)
	}
	w.connected(tr)
	w.await("the connection to be given up", func() bool { ok, _ := tr.Ready(); return !ok })
	w.await("another connection", func() bool { return len(w.calls.times("apps.connections.open")) > 1 })
	w.await("the log", func() bool { return strings.Contains(w.log.String(), "nothing was heard from Slack") })
}

func TestPingsKeepAConnection(t *testing.T) {
	t.Parallel()
	w := start(t, func(o *sandbox.Options) { o.Timing.Ping = 20 * time.Millisecond })
	tr := w.transport(nil)
	tr.socket.silence, tr.socket.alive.silence = 2*time.Second, 2*time.Second
	w.connected(tr)
	for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(50 * time.Millisecond) {
		if ok, why := tr.Ready(); !ok {
			t.Fatalf("not ready: %s", why)
		}
	}
	if n := len(w.calls.times("apps.connections.open")); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestAnUnreachableChatIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.inject(sandbox.Fault{Kind: sandbox.FaultServerError, Status: 503, Method: "apps.connections.open", Times: 1})
	w.inject(sandbox.Fault{Kind: sandbox.FaultDropBefore, Method: "auth.test", Times: 1})
	w.inject(sandbox.Fault{Kind: sandbox.FaultRateLimited, Method: "apps.connections.open", Times: 1, RetryAfter: time.Second})
	tr := w.transport(nil)
	w.connected(tr)
	opened := w.calls.times("apps.connections.open")
	if len(opened) != 3 {
		t.Fatalf("%d tries", len(opened))
	}
	longest := max(opened[1].Sub(opened[0]), opened[2].Sub(opened[1]))
	if longest < time.Second {
		t.Errorf("Retry-After is not kept: %v", longest)
	}
}
