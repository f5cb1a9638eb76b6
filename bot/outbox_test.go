package bot_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stuckbot/bot"
)

// outbox is an Outbox that runs in a bubble until stop.
type outbox struct {
	*bot.Outbox
	t       *testing.T
	store   *memory
	chat    *chat
	mu      sync.Mutex
	reports []error
	stop    func()
}

func startOutbox(t *testing.T, store *memory, c *chat, change func(*bot.OutboxOptions)) *outbox {
	o := &outbox{t: t, store: store, chat: c}
	opt := bot.OutboxOptions{Messages: store, Transport: c, Report: func(_ bot.Outgoing, err error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.reports = append(o.reports, err)
	}}
	if change != nil {
		change(&opt)
	}
	o.Outbox = bot.NewOutbox(opt)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := o.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	o.stop = func() { cancel(); <-done }
	return o
}

func (o *outbox) queue(out bot.Outgoing) {
	o.t.Helper()
	if err := o.Queue(out); err != nil {
		o.t.Fatal(err)
	}
}

func message(channel, key, text string) bot.Outgoing {
	return bot.Outgoing{Key: key, Place: bot.Place{Platform: "test", Channel: channel}, Message: bot.Message{Summary: text}}
}

// settle lets an hour of the bubble pass.
func settle() { time.Sleep(time.Hour); synctest.Wait() }

func (o *outbox) want(texts ...string) {
	o.t.Helper()
	if diff := cmp.Diff(texts, o.chat.texts()); diff != "" {
		o.t.Errorf("shown (-want +got):\n%s", diff)
	}
}

func TestOutboxSpacesAChannelAndCoalescesUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOutbox(t, newMemory(), newChat(), nil)
		defer o.stop()
		for i := range 50 {
			o.queue(message("a", "card", fmt.Sprintf("progress %d", i)))
			o.queue(message("b", "other", fmt.Sprintf("progress %d", i)))
			o.queue(message("a", "second", fmt.Sprintf("progress %d", i)))
			time.Sleep(10 * time.Millisecond)
		}
		settle()
		o.want("progress 49", "progress 49", "progress 49")
		calls := len(o.chat.called())
		if calls > 8 {
			t.Errorf("%d requests for 150 contents: %v", calls, o.chat.called())
		}
		o.queue(message("a", "card", "done"))
		o.queue(message("b", "other", "done"))
		settle()
		if got := o.chat.texts(); !slices.Contains(got, "done") || len(got) != 3 {
			t.Errorf("%v", got)
		}
	})
}

func TestOutboxKeepsAChannelsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOutbox(t, newMemory(), newChat(), nil)
		defer o.stop()
		for i := range 20 {
			o.queue(message("a", fmt.Sprint(i), "x"))
		}
		settle()
		posts := o.chat.shown()
		if len(posts) != 20 {
			t.Fatalf("%d posts", len(posts))
		}
		for i := 1; i < len(posts); i++ {
			if gap := posts[i].at.Sub(posts[i-1].at); gap < time.Second {
				t.Errorf("post %d came %v after the one before", i, gap)
			}
		}
		if total := posts[19].at.Sub(posts[0].at); total > 25*time.Second {
			t.Errorf("20 messages took %v", total)
		}
	})
}

// A slow or broken channel holds up nobody else, and what was queued by this process is posted without a search.
func TestOutboxChannelsAreIndependent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChat()
		o := startOutbox(t, newMemory(), c, nil)
		defer o.stop()
		synctest.Wait()
		c.next["post"] = []error{&bot.RetryAfter{Wait: 10 * time.Minute}}
		o.queue(message("slow", "1", "late"))
		synctest.Wait()
		o.queue(message("quick", "2", "early"))
		time.Sleep(5 * time.Second)
		o.want("early")
		settle()
		o.want("early", "late")
		if diff := cmp.Diff([]string{"post 1", "post 2", "post 1"}, c.called()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOutboxAdoptsAfterAnUnknownOutcome(t *testing.T) {
	for _, tc := range []struct {
		name          string
		before, after []error
		calls         []string
	}{
		{"it was posted", nil, []error{bot.ErrUnknownOutcome}, []string{"post k", "find k", "update k"}},
		{"it was not", []error{bot.ErrUnknownOutcome}, nil, []string{"post k", "find k", "post k"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newChat()
				c.next["post"], c.after["post"] = tc.before, tc.after
				o := startOutbox(t, newMemory(), c, nil)
				defer o.stop()
				synctest.Wait()
				o.queue(message("a", "k", "hello"))
				settle()
				o.want("hello")
				if diff := cmp.Diff(tc.calls, c.called()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A platform that is down for long is not asked every two seconds for ever, and the operator hears of it.
func TestOutboxBacksOffFromUnknownOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChat()
		for range 1000 {
			c.next["post"] = append(c.next["post"], bot.ErrUnknownOutcome)
		}
		o := startOutbox(t, newMemory(), c, nil)
		defer o.stop()
		o.queue(message("a", "k", "hello"))
		settle()
		if calls := len(c.called()); calls < 60 || calls > 300 {
			t.Errorf("%d requests in an hour", calls)
		}
		if len(o.reports) < 30 || !errors.Is(o.reports[0], bot.ErrUnknownOutcome) {
			t.Errorf("%d reports", len(o.reports))
		}
	})
}

// The process dies at each point between the post and the note: the next one makes no second message.
func TestOutboxRestartMakesNoSecondMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, c := newMemory(), newChat()
		first := startOutbox(t, store, c, nil)
		store.fail["Settle"] = errDisk // the note is lost with the process
		first.queue(message("a", "k", "hello"))
		synctest.Wait()
		first.stop()
		if len(c.shown()) != 1 {
			t.Fatal("not posted")
		}
		if o, _ := store.get("k"); o.ID != "" {
			t.Fatal("the note was kept")
		}
		second := startOutbox(t, store, c, nil)
		defer second.stop()
		second.queue(message("a", "k", "hello again"))
		settle()
		second.want("hello again")
	})
}

// The same process cannot note the id: it looks for its message before it posts again.
func TestOutboxThatCannotSettleMakesNoSecondMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, c := newMemory(), newChat()
		o := startOutbox(t, store, c, nil)
		defer o.stop()
		synctest.Wait()
		store.fail["Settle"] = errDisk
		o.queue(message("a", "k", "hello"))
		settle()
		o.want("hello")
		if got, _ := store.get("k"); got.ID != "m1" || got.Sent != got.Version {
			t.Errorf("%+v", got)
		}
		if len(o.reports) != 1 || !errors.Is(o.reports[0], errDisk) {
			t.Errorf("%v", o.reports)
		}
	})
}

func TestOutboxGivesUpWhatIsRefused(t *testing.T) {
	for _, cause := range []error{bot.ErrGone, bot.ErrRejected} {
		synctest.Test(t, func(t *testing.T) {
			store, c := newMemory(), newChat()
			c.next["post"] = []error{fmt.Errorf("%w: because", cause)}
			o := startOutbox(t, store, c, nil)
			defer o.stop()
			o.queue(message("a", "bad", "x"))
			o.queue(message("a", "good", "y"))
			settle()
			o.want("y")
			if got, _ := store.get("bad"); got.Dead == "" || got.ID != "" {
				t.Errorf("%+v", got)
			}
			if len(o.reports) != 1 || !errors.Is(o.reports[0], cause) {
				t.Errorf("%v", o.reports)
			}
		})
	}
}

func TestOutboxRepliesWaitForTheirRoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, c := newMemory(), newChat()
		c.next["post"] = []error{errors.New("no route")}
		// The replies stand before their root in the store; they must not hold it up.
		for _, key := range []string{"r1", "r2"} {
			reply := message("a", key, key)
			reply.Root = "root"
			if err := store.Queue(reply); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Queue(message("a", "root", "root")); err != nil {
			t.Fatal(err)
		}
		o := startOutbox(t, store, c, nil)
		defer o.stop()
		settle()
		o.want("root", "r1", "r2")
		for _, p := range c.shown()[1:] {
			if p.place.Thread != "m1" {
				t.Errorf("%+v", p)
			}
		}
	})
}

func TestOutboxRepliesToAnUnsentRootAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, c := newMemory(), newChat()
		c.next["post"] = []error{bot.ErrGone}
		o := startOutbox(t, store, c, nil)
		defer o.stop()
		o.queue(message("a", "root", "root"))
		reply := message("a", "reply", "reply")
		reply.Root = "root"
		o.queue(reply)
		settle()
		o.want()
		if got, _ := store.get("reply"); got.Dead == "" {
			t.Errorf("%+v", got)
		}
	})
}

func TestOutboxQueueSaysWhatFailed(t *testing.T) {
	for _, method := range []string{"Message", "Queue"} {
		store := newMemory()
		store.fail[method] = errDisk
		o := bot.NewOutbox(bot.OutboxOptions{Messages: store, Transport: newChat()})
		if err := o.Queue(message("a", "k", "x")); !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "k") {
			t.Errorf("%s: %v", method, err)
		}
	}
	store := newMemory()
	store.fail["Unsent"] = errDisk
	o := bot.NewOutbox(bot.OutboxOptions{Messages: store, Transport: newChat()})
	if err := o.Run(t.Context()); !errors.Is(err, errDisk) {
		t.Errorf("Run: %v", err)
	}
}
