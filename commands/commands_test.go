package commands_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stuckbot/bot"
	"stuckbot/checks"
	"stuckbot/checks/sweep"
	"stuckbot/commands"
	"stuckbot/commands/present"
)

// fleet is a Sweeper in memory.
type fleet struct {
	sweep func(ctx context.Context, names []string, progress func(sweep.Progress)) (*sweep.Result, error)
}

func (f fleet) Clusters() ([]sweep.Cluster, error) {
	return []sweep.Cluster{
		{Name: "prod-eu", Labels: map[string]string{"env": "prod", "region": "eu"}},
		{Name: "prod-us", Labels: map[string]string{"env": "prod", "region": "us"}},
		{Name: "staging", Labels: map[string]string{"env": "staging"}},
	}, nil
}

func (f fleet) Sweep(ctx context.Context, names []string, progress func(sweep.Progress)) (*sweep.Result, error) {
	if f.sweep != nil {
		return f.sweep(ctx, names, progress)
	}
	r := &sweep.Result{At: time.Now()}
	for _, n := range names {
		r.Clusters = append(r.Clusters, sweep.Cluster{Name: n})
	}
	return r, nil
}

// desk is a Handler and what it said.
type desk struct {
	handler *commands.Handler

	mu      sync.Mutex
	shown   []bot.Message
	whisper []bot.Message
	// about is what the only thread is about.
	about string
}

// Remember implements commands.Threads.
func (d *desk) Remember(_, order, _ string, _ time.Time) error {
	d.about = order
	return nil
}

// Recall implements commands.Threads.
func (d *desk) Recall(bot.Place) (string, error) { return d.about, nil }

func newDesk(t *testing.T, s commands.Sweeper) *desk {
	t.Helper()
	printer, err := present.New(present.English, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{}
	d.handler = commands.NewHandler(commands.HandlerOptions{
		Commands: commands.All(commands.Options{Printer: printer, Sweeper: s, Limits: commands.NewLimits()}),
		Printer:  printer,
		Queue: func(o bot.Outgoing) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.shown = append(d.shown, o.Message)
			return nil
		},
		Whisper: func(_ context.Context, _ bot.Event, m bot.Message) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.whisper = append(d.whisper, m)
			return nil
		},
		Threads: d,
		Now:     time.Now,
	})
	return d
}

func order(text string) bot.Event {
	return bot.Event{Key: "k:" + text, Received: time.Now(), User: bot.User{ID: "UALICE"},
		Place: bot.Place{Platform: "slack", Channel: "C1"}, Command: &bot.Command{Text: text}}
}

func (d *desk) handle(t *testing.T, e bot.Event) []bot.Outgoing {
	t.Helper()
	out, err := d.handler.Handle(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMistakesAreToldToThePersonAloneWithWhatWasMeant(t *testing.T) {
	for text, want := range map[string]string{
		"sweeep":                 "Did you mean “sweep”?",
		"diagnose":               "There is no command “diagnose”. /stuck help",
		"sweep prod-eo":          "Did you mean “prod-eu”?",
		"sweep mars":             "No cluster “mars” is configured.",
		"sweep env=":             "is no label",
		"sweep =prod":            "is no label",
		"sweep env=dev":          "No cluster fits “env=dev”",
		"sweep staging env=prod": "No cluster fits “staging env=prod”",
		"help sweeep":            "Did you mean “sweep”?",
	} {
		d := newDesk(t, fleet{})
		out := d.handle(t, order(text))
		if len(out) > 0 || len(d.shown) > 0 {
			t.Errorf("%q: the channel saw a mistake: %v", text, out)
		}
		if len(d.whisper) != 1 || !strings.Contains(d.whisper[0].Summary, want) {
			t.Errorf("%q: whispered %v, want %q", text, d.whisper, want)
		}
	}
}

func TestSweepShowsItselfAtOnceAndAnswersUnderTheSameKey(t *testing.T) {
	var asked []string
	d := newDesk(t, fleet{func(_ context.Context, names []string, _ func(sweep.Progress)) (*sweep.Result, error) {
		asked = names
		return &sweep.Result{At: time.Now(), Clusters: []sweep.Cluster{{Name: "prod-eu"}}}, nil
	}})
	e := order("  Sweep   env=prod region=eu ")
	out := d.handle(t, e)
	if strings.Join(asked, ",") != "prod-eu" {
		t.Errorf("swept %v, want prod-eu", asked)
	}
	if len(d.shown) != 1 || d.shown[0].Summary != "Sweeping 1 cluster …" {
		t.Errorf("shown at once: %v", d.shown)
	}
	if len(out) != 1 || out[0].Key != "answer/"+e.Key || out[0].Place != e.Place || out[0].Message.Summary != "Nothing is stuck in cluster prod-eu" {
		t.Errorf("answer: %+v", out)
	}
}

func TestInAThreadAnOrderWithoutArgumentsMeansTheThreads(t *testing.T) {
	var asked [][]string
	d := newDesk(t, fleet{func(_ context.Context, names []string, _ func(sweep.Progress)) (*sweep.Result, error) {
		asked = append(asked, names)
		return &sweep.Result{}, nil
	}})
	d.handle(t, order("sweep region=us"))
	again := order("sweep")
	again.Place.Thread = "171.1"
	d.handle(t, again)
	d.handle(t, order("sweep"))
	if len(asked) != 3 || len(asked[1]) != 1 || asked[1][0] != "prod-us" || len(asked[2]) != 3 {
		t.Errorf("swept %v; want the second like the first, and the third everywhere", asked)
	}
}

func TestOnePersonCannotStartManySweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, fleet{})
		for range 3 {
			if out := d.handle(t, order("sweep")); len(out) != 1 {
				t.Fatalf("refused too early: %v", d.whisper)
			}
		}
		if out := d.handle(t, order("sweep")); len(out) != 0 || len(d.whisper) != 1 {
			t.Fatalf("the fourth at once: %v", out)
		}
		if got := d.whisper[0].Summary; !strings.Contains(got, "the next in 20 s") {
			t.Errorf("said %q", got)
		}
		other := order("sweep")
		other.User.ID = "UBOB"
		if out := d.handle(t, other); len(out) != 1 {
			t.Error("another person was refused")
		}
		time.Sleep(20 * time.Second)
		if out := d.handle(t, order("sweep")); len(out) != 1 {
			t.Error("refused although the wait was over")
		}
	})
}

func TestAnOldOrderIsLeftAloneAndSaysSo(t *testing.T) {
	d := newDesk(t, fleet{func(context.Context, []string, func(sweep.Progress)) (*sweep.Result, error) {
		t.Error("an old order was worked")
		return nil, errors.New("no")
	}})
	e := order("sweep")
	e.Received = time.Now().Add(-2 * time.Hour)
	out := d.handle(t, e)
	if len(out) != 1 || !strings.Contains(out[0].Message.Summary, "I was not running when you asked for “sweep” 2 h ago") {
		t.Errorf("answer %+v", out)
	}
}

func TestEveryCommandHasItsHelp(t *testing.T) {
	printer, err := present.New(present.English, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands.All(commands.Options{Printer: printer, Sweeper: fleet{}, Limits: commands.NewLimits()}) {
		if len(c.Examples) == 0 {
			t.Errorf("%s has no example", c.Name)
		}
		for _, example := range c.Examples {
			if example != c.Name && !strings.HasPrefix(example, c.Name+" ") {
				t.Errorf("%s: the example %q is another command's", c.Name, example)
			}
		}
		for _, part := range []string{"summary", "details", "who"} {
			if !printer.Has(present.ID("chat.help." + c.Name + "." + part)) {
				t.Errorf("%s has no %s", c.Name, part)
			}
		}
		d := newDesk(t, fleet{})
		d.handle(t, order("help "+c.Name))
		if len(d.whisper) != 1 || !strings.HasPrefix(d.whisper[0].Summary, "/stuck "+c.Name) {
			t.Errorf("help %s: %v", c.Name, d.whisper)
		}
	}
}

func TestIdenticalSweepsShareOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		shared := commands.NewSharedSweeper(fleet{}.Clusters, func(ctx context.Context, _ []string, progress func(sweep.Progress)) (*sweep.Result, error) {
			runs.Add(1)
			time.Sleep(time.Second)
			progress(sweep.Progress{Done: 1, Total: 2})
			time.Sleep(time.Second)
			return &sweep.Result{}, ctx.Err()
		})
		told := make([]int, 3)
		var wg sync.WaitGroup
		for i, names := range [][]string{{"a", "b"}, {"b", "a"}, {"a"}} {
			wg.Go(func() {
				if _, err := shared.Sweep(t.Context(), names, func(sweep.Progress) { told[i]++ }); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if runs.Load() != 2 || told[0] != 1 || told[1] != 1 || told[2] != 1 {
			t.Errorf("%d runs, told %v; want 2 runs, each told once", runs.Load(), told)
		}
		if _, err := shared.Sweep(t.Context(), []string{"a"}, func(sweep.Progress) {}); err != nil || runs.Load() != 3 {
			t.Errorf("a later sweep took an old result: %d runs, %v", runs.Load(), err)
		}
	})
}

func TestARunEndsOnlyWhenEveryoneHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancelled := false
		shared := commands.NewSharedSweeper(fleet{}.Clusters, func(ctx context.Context, _ []string, _ func(sweep.Progress)) (*sweep.Result, error) {
			select {
			case <-ctx.Done():
				cancelled = true
				return nil, ctx.Err()
			case <-time.After(10 * time.Second):
				return &sweep.Result{}, nil
			}
		})
		first, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := shared.Sweep(first, []string{"a"}, func(sweep.Progress) {}); !errors.Is(err, context.Canceled) {
				t.Errorf("who left got %v", err)
			}
		})
		wg.Go(func() {
			if _, err := shared.Sweep(t.Context(), []string{"a"}, func(sweep.Progress) {}); err != nil || cancelled {
				t.Errorf("who stayed got %v, cancelled %v", err, cancelled)
			}
		})
		time.Sleep(time.Second)
		leave()
		wg.Wait()
	})
}

func TestASweepReadsWellAtThreeInTheMorning(t *testing.T) {
	printer, err := present.New(present.English, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	o := checks.Judge(checks.Observation{
		Subject: checks.Subject{Cluster: "prod-eu", System: checks.SystemHelm, Namespace: "shop", Name: "payments"},
		Desired: "14", Actual: "13", Version: "2.14.0", Since: at.Add(-3 * time.Hour), Owner: checks.OwnerCLI,
		Helm: &checks.HelmFacts{Head: checks.HelmRecord{Version: 14, Label: checks.HelmPendingUpgrade, Created: at.Add(-3 * time.Hour)}, Deployed: 13},
	}, checks.Thresholds{}, at)
	m := printer.SweepMessage(&sweep.Result{At: at, Took: 1200 * time.Millisecond, Observations: []checks.Observation{o},
		Clusters: []sweep.Cluster{{Name: "prod-eu", Labels: map[string]string{"env": "prod"}}, {Name: "staging"}}}, "UALICE")
	if m.Summary != "1 of 2 clusters has releases stuck in Pending-Upgrade (1 release)" {
		t.Errorf("headline %q", m.Summary)
	}
	var line strings.Builder
	for _, s := range m.Blocks[1].Lines[0] {
		line.WriteString(s.Text)
	}
	if want := "prod-eu shop/payments 13 → 14 (2.14.0): Pending-Upgrade for 3 h, deployed by cli"; line.String() != want {
		t.Errorf("line %q, want %q", line.String(), want)
	}
}
