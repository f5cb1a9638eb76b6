package storage_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stuckbot/bot"
	"stuckbot/storage"
	"stuckbot/storage/kv"
	"stuckbot/storage/kv/kvtest"
	"stuckbot/storage/kv/memkv"
)

func event(key string, minute int) bot.Event {
	return bot.Event{Key: key, Received: noon.Add(time.Duration(minute) * time.Minute), User: bot.User{ID: "UALICE"},
		Place: bot.Place{Platform: "slack", Channel: "C1"}, Command: &bot.Command{Text: "sweep"}}
}

func outgoing(key, text string) bot.Outgoing {
	return bot.Outgoing{Key: key, Place: bot.Place{Platform: "slack", Channel: "C1"}, Created: noon, Message: bot.Message{Summary: text}}
}

func keysOf(t *testing.T, events *storage.Events) string {
	t.Helper()
	open, err := events.Open()
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, e := range open {
		keys = append(keys, e.Key)
	}
	return strings.Join(keys, " ")
}

func TestPromise11AnEventIsKeptUntilDoneAndKnownAgain(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		events, messages := storage.NewEvents(store), storage.NewMessages(store)
		long := strings.Repeat("k", 2000)
		for i, key := range []string{"b", "a", long} {
			if fresh, err := events.Receive(event(key, i)); err != nil || !fresh {
				t.Fatalf("%.9s: fresh %v, %v", key, fresh, err)
			}
		}
		if fresh, err := events.Receive(event("a", 9)); err != nil || fresh {
			t.Errorf("the same event again: fresh %v, %v", fresh, err)
		}
		if got := keysOf(t, events); got != "b a "+long {
			t.Errorf("open: %.20q, want them as they came", got)
		}
		for want := 1; want <= 2; want++ {
			if n, err := events.Begin("a"); err != nil || n != want {
				t.Errorf("attempt %d, %v, want %d", n, err, want)
			}
		}
		if err := events.Done("a", noon.Add(time.Hour), []bot.Outgoing{outgoing("answer/a", "done")}); err != nil {
			t.Fatal(err)
		}
		if err := events.Done("a", noon.Add(2*time.Hour), []bot.Outgoing{outgoing("answer/a", "done twice")}); err != nil {
			t.Fatal(err)
		}
		if o, found, err := messages.Message("answer/a"); err != nil || !found || o.Message.Summary != "done" || o.Version != 1 {
			t.Errorf("the answer: %+v, %v, %v", o, found, err)
		}
		if fresh, err := events.Receive(event("a", 99)); err != nil || fresh {
			t.Errorf("a done event again: fresh %v, %v", fresh, err)
		}
		if n, err := events.Prune(noon.Add(time.Hour), 10); err != nil || n != 0 {
			t.Errorf("pruned %d, %v, although nothing is old enough", n, err)
		}
		if n, err := events.Prune(noon.Add(3*time.Hour), 10); err != nil || n != 1 {
			t.Errorf("pruned %d, %v", n, err)
		}
		if got := keysOf(t, events); got != "b "+long {
			t.Errorf("open events were pruned: %.20q", got)
		}
	})
}

func TestDoneAndItsMessagesAreOneCommit(t *testing.T) {
	broken := errors.New("disk full")
	fail := false
	store := kvtest.Failing(memkv.New(), func(op kvtest.Op, key string) error {
		if fail && strings.HasPrefix(key, "message/") {
			return broken
		}
		return nil
	})
	events := storage.NewEvents(store)
	if _, err := events.Receive(event("a", 0)); err != nil {
		t.Fatal(err)
	}
	fail = true
	if err := events.Done("a", noon, []bot.Outgoing{outgoing("answer/a", "x")}); !errors.Is(err, broken) {
		t.Fatalf("done: %v", err)
	}
	if got := keysOf(t, events); got != "a" {
		t.Errorf("the event is done and its message lost: open %q", got)
	}
}

func TestMessagesKeepTheirKeyAndOnlyTheNewestContentIsUnsent(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		messages := storage.NewMessages(store)
		unsent := func() string {
			t.Helper()
			all, err := messages.Unsent()
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, o := range all {
				texts = append(texts, fmt.Sprintf("%s=%s v%d", o.Key, o.Message.Summary, o.Version))
			}
			return strings.Join(texts, ", ")
		}
		queue := func(text string) {
			t.Helper()
			if err := messages.Queue(outgoing("m", text)); err != nil {
				t.Fatal(err)
			}
		}
		settle := func(id string, sent int, dead string) {
			t.Helper()
			if err := messages.Settle("m", id, sent, dead); err != nil {
				t.Fatal(err)
			}
		}
		queue("one")
		queue("two")
		queue("two")
		if got := unsent(); got != "m=two v2" {
			t.Errorf("unsent %q", got)
		}
		queue("three")
		settle("171.1", 2, "") // sent while three came
		if got := unsent(); got != "m=three v3" {
			t.Errorf("unsent %q", got)
		}
		settle("171.1", 3, "")
		if got := unsent(); got != "" {
			t.Errorf("unsent %q", got)
		}
		queue("four")
		settle("171.1", 3, "the channel is gone")
		queue("five")
		if got := unsent(); got != "" {
			t.Errorf("a dead message came back: %q", got)
		}
		o, _, err := messages.Message("m")
		if err != nil || o.ID != "171.1" || o.Dead == "" {
			t.Errorf("%+v, %v", o, err)
		}
	})
}

func TestAThreadKnowsWhatItIsAbout(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		messages, conversations := storage.NewMessages(store), storage.NewConversations(store)
		want := storage.Conversation{Message: "m", Order: "sweep env=prod", By: "UALICE", Began: noon}
		if err := messages.Queue(outgoing("m", "x")); err != nil {
			t.Fatal(err)
		}
		if err := conversations.Save(want); err != nil {
			t.Fatal(err)
		}
		thread := bot.Place{Platform: "slack", Channel: "C1", Thread: "171.1"}
		if _, found, err := conversations.InThread(thread); err != nil || found {
			t.Errorf("before it was sent: %v, %v", found, err)
		}
		if err := messages.Settle("m", "171.1", 1, ""); err != nil {
			t.Fatal(err)
		}
		got, found, err := conversations.InThread(thread)
		if err != nil || !found || cmp.Diff(want, got) != "" {
			t.Errorf("%+v, %v, %v", got, found, err)
		}
		thread.Channel = "C2"
		if _, found, _ := conversations.InThread(thread); found {
			t.Error("another channel's thread was taken for it")
		}
		if n, err := messages.Prune(noon.Add(time.Hour), 10); err != nil || n != 1 {
			t.Fatalf("pruned %d, %v", n, err)
		}
		thread.Channel = "C1"
		if _, found, err := conversations.InThread(thread); err != nil || found {
			t.Errorf("after its message was pruned: %v, %v", found, err)
		}
	})
}

func TestADamagedEventIsNamedAndNotDropped(t *testing.T) {
	store := memkv.New()
	events := storage.NewEvents(store)
	if _, err := events.Receive(event("a", 0)); err != nil {
		t.Fatal(err)
	}
	if err := store.Update(func(tx kv.Tx) error { return tx.Put("event/a", []byte("{")) }); err != nil {
		t.Fatal(err)
	}
	_, err := events.Open()
	var damaged *storage.ValueError
	if !errors.As(err, &damaged) || damaged.Key != "event/a" {
		t.Errorf("error %v, want one that names the key", err)
	}
}
