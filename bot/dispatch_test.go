package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stuckbot/bot"
)

// handler counts how often each event is worked.
type handler struct {
	mu     sync.Mutex
	worked map[string]int
	failed map[string]error
	do     func(ctx context.Context, e bot.Event) ([]bot.Outgoing, error)
	tell   func(e bot.Event, err error) []bot.Outgoing
}

func newHandler(do func(context.Context, bot.Event) ([]bot.Outgoing, error)) *handler {
	return &handler{worked: map[string]int{}, failed: map[string]error{}, do: do}
}

func (h *handler) Handle(ctx context.Context, e bot.Event) ([]bot.Outgoing, error) {
	h.mu.Lock()
	h.worked[e.Key]++
	h.mu.Unlock()
	if h.do == nil {
		return nil, nil
	}
	return h.do(ctx, e)
}

func (h *handler) Failed(e bot.Event, err error) []bot.Outgoing {
	h.mu.Lock()
	h.failed[e.Key] = err
	h.mu.Unlock()
	if h.tell != nil {
		return h.tell(e, err)
	}
	return []bot.Outgoing{message("a", "failed/"+e.Key, err.Error())}
}

type dispatcher struct {
	*bot.Dispatcher
	t       *testing.T
	reports []error
	stop    func()
}

func startDispatcher(t *testing.T, store *memory, h *handler, change func(*bot.DispatcherOptions)) *dispatcher {
	d := &dispatcher{t: t}
	var mu sync.Mutex
	opt := bot.DispatcherOptions{Events: store, Handler: h, Report: func(_ bot.Event, err error) {
		mu.Lock()
		defer mu.Unlock()
		d.reports = append(d.reports, err)
	}}
	if change != nil {
		change(&opt)
	}
	d.Dispatcher = bot.NewDispatcher(opt)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := d.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	d.stop = func() { cancel(); <-done }
	return d
}

func (d *dispatcher) receive(keys ...string) {
	d.t.Helper()
	for _, key := range keys {
		if err := d.Receive(event(key)); err != nil {
			d.t.Fatal(err)
		}
	}
}

func event(key string) bot.Event {
	return bot.Event{Key: key, User: bot.User{ID: "U1"}, Command: &bot.Command{Text: "sweep"}}
}

func TestDispatcherTheSameEventTwiceActsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(nil)
		d := startDispatcher(t, newMemory(), h, nil)
		defer d.stop()
		for range 3 {
			d.receive("a", "b", "a")
			synctest.Wait()
		}
		if diff := cmp.Diff(map[string]int{"a": 1, "b": 1}, h.worked); diff != "" {
			t.Error(diff)
		}
	})
}

// An event ends while the open events are read: the list that still names it does not make it be worked again.
func TestDispatcherDoesNotWorkFromAStaleList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, working := newMemory(), make(chan struct{})
		h := newHandler(func(_ context.Context, e bot.Event) ([]bot.Outgoing, error) {
			if e.Key == "long" {
				<-working
			}
			return nil, nil
		})
		d := startDispatcher(t, store, h, nil)
		defer d.stop()
		d.receive("long")
		synctest.Wait()
		store.slowOpen = func() {
			store.slowOpen = nil
			close(working)
			time.Sleep(time.Second) // the event ends, and its worker with it
		}
		d.receive("next")
		settle()
		if diff := cmp.Diff(map[string]int{"long": 1, "next": 1}, h.worked); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDispatcherWorksABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(func(_ context.Context, e bot.Event) ([]bot.Outgoing, error) {
			time.Sleep(time.Duration(len(e.Key)%7) * time.Millisecond)
			return nil, nil
		})
		d := startDispatcher(t, newMemory(), h, func(o *bot.DispatcherOptions) { o.Workers = 2 })
		defer d.stop()
		for i := range 300 {
			d.receive(strings.Repeat("x", i+1))
			if i%3 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		settle()
		for key, n := range h.worked {
			if n != 1 {
				t.Errorf("event %d was worked %d times", len(key), n)
			}
		}
		if len(h.worked) != 300 {
			t.Errorf("%d events were worked", len(h.worked))
		}
	})
}

func TestDispatcherReceiveDoesNotWaitForWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(func(ctx context.Context, _ bot.Event) ([]bot.Outgoing, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		d := startDispatcher(t, newMemory(), h, func(o *bot.DispatcherOptions) { o.Workers = 2; o.Timeout = time.Hour })
		defer d.stop()
		began := time.Now()
		for i := range 100 {
			d.receive(fmt.Sprint(i))
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("100 events took %v", took)
		}
	})
}

func TestDispatcherFailuresAreTold(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(context.Context, bot.Event) ([]bot.Outgoing, error)
		want string
	}{
		{"an error", func(context.Context, bot.Event) ([]bot.Outgoing, error) { return nil, errors.New("no cluster") }, "no cluster"},
		{"a panic", func(context.Context, bot.Event) ([]bot.Outgoing, error) { panic("index") }, "panic: index"},
		{"a hang", func(ctx context.Context, _ bot.Event) ([]bot.Outgoing, error) { <-ctx.Done(); return nil, ctx.Err() }, "deadline"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, h := newMemory(), newHandler(tc.do)
				queued := 0
				d := startDispatcher(t, store, h, func(o *bot.DispatcherOptions) { o.Queued = func() { queued++ } })
				defer d.stop()
				d.receive("e")
				settle()
				if err := h.failed["e"]; err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("told %v", err)
				}
				if _, found := store.get("failed/e"); !found || !store.done["e"] || queued != 1 || len(d.reports) != 1 {
					t.Errorf("done %v, queued %d, reports %v", store.done, queued, d.reports)
				}
			})
		})
	}
}

// An event that kills the process is begun three times and then given up, and the person hears of it.
func TestDispatcherGivesUpAnEventThatKillsTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		h := newHandler(func(ctx context.Context, _ bot.Event) ([]bot.Outgoing, error) { <-ctx.Done(); return nil, ctx.Err() })
		for range 3 {
			d := startDispatcher(t, store, h, nil)
			d.receive("e")
			synctest.Wait()
			d.stop() // while the event is worked
			if store.done["e"] {
				t.Fatal("an event that was cut short is done")
			}
		}
		d := startDispatcher(t, store, h, nil)
		defer d.stop()
		synctest.Wait()
		if h.worked["e"] != 3 || !errors.Is(h.failed["e"], bot.ErrGivenUp) || !store.done["e"] {
			t.Errorf("worked %d times, told %v", h.worked["e"], h.failed["e"])
		}
	})
}

func TestDispatcherAFailureThatCannotBeToldEndsTheEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		h := newHandler(func(context.Context, bot.Event) ([]bot.Outgoing, error) { return nil, errors.New("first") })
		h.tell = func(bot.Event, error) []bot.Outgoing { panic("second") }
		d := startDispatcher(t, store, h, nil)
		defer d.stop()
		d.receive("e")
		settle()
		if !store.done["e"] || len(d.reports) != 2 {
			t.Errorf("done %v, %v", store.done, d.reports)
		}
	})
}

func TestDispatcherStoreFailures(t *testing.T) {
	for _, method := range []string{"Begin", "Done"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newMemory()
				store.fail[method] = errDisk
				h := newHandler(nil)
				d := startDispatcher(t, store, h, nil)
				defer d.stop()
				d.receive("e")
				settle()
				if !store.done["e"] || len(d.reports) != 1 || !errors.Is(d.reports[0], errDisk) {
					t.Errorf("done %v, reports %v: it is tried again within a minute", store.done, d.reports)
				}
			})
		})
	}
	store := newMemory()
	store.fail["Receive"] = errDisk
	d := bot.NewDispatcher(bot.DispatcherOptions{Events: store, Handler: newHandler(nil)})
	if err := d.Receive(event("e")); !errors.Is(err, errDisk) {
		t.Errorf("an event that was not stored is not acknowledged: %v", err)
	}
	store.fail["Open"] = errDisk
	if err := d.Run(t.Context()); !errors.Is(err, errDisk) {
		t.Errorf("Run: %v", err)
	}
}

func TestDispatcherQueuesPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, c := newMemory(), newChat()
		o := startOutbox(t, store, c, func(o *bot.OutboxOptions) { o.Split = byLetter })
		defer o.stop()
		h := newHandler(func(_ context.Context, e bot.Event) ([]bot.Outgoing, error) {
			return []bot.Outgoing{message("a", "answer/"+e.Key, "one,two,three")}, nil
		})
		d := startDispatcher(t, store, h, func(p *bot.DispatcherOptions) { p.Pages, p.Queued = o.Pages, o.Wake })
		defer d.stop()
		d.receive("e")
		settle()
		o.want("one", "two", "three")
		store.fail["Message"] = errDisk
		d.receive("f")
		settle()
		if !store.done["f"] || h.worked["f"] != 2 {
			t.Errorf("pages that cannot be made leave the event open: worked %d times", h.worked["f"])
		}
	})
}
