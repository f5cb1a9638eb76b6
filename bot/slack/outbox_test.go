package slack

import (
	"fmt"
	"testing"
	"time"

	"stuckbot/bot"
	"stuckbot/bot/sandbox"
	"stuckbot/storage"
)

// The answer to a post is lost. The bot finds its message and adopts it: there is no second root message.
func TestAnUnknownOutcomeMakesNoSecondMessage(t *testing.T) {
	t.Parallel()
	for _, kind := range []sandbox.FaultKind{sandbox.FaultDropAfter, sandbox.FaultDropBefore, sandbox.FaultServerError} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
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

// 429 in the middle of the work: everything arrives, in order, and nothing twice.
func TestRatesAreKept(t *testing.T) {
	t.Parallel()
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
