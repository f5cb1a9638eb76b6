package bot_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"stuckbot/bot"
)

// byLetter makes each comma-separated part of the summary a page.
func byLetter(m bot.Message) []bot.Message {
	var pages []bot.Message
	for part := range strings.SplitSeq(m.Summary, ",") {
		pages = append(pages, bot.Message{Summary: part})
	}
	return pages
}

const emptied = "This message has become shorter: nothing stands here any more."

func TestPagesAreRepliesThatGrowAndShrinkWithTheirMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChat()
		o := startOutbox(t, newMemory(), c, func(o *bot.OutboxOptions) { o.Split = byLetter })
		defer o.stop()
		o.queue(message("a", "k", "a,b,c,d,e,f,g,h,i,j,k,l"))
		settle()
		o.want("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
		for i, p := range c.shown() {
			if i == 0 && p.place.Thread != "" || i > 0 && p.place.Thread != "m1" {
				t.Errorf("%+v", p)
			}
		}
		calls := len(c.called())
		o.queue(message("a", "k", "A,b"))
		settle()
		o.want(append([]string{"A", "b"}, slicesRepeat(emptied, 10)...)...)
		if n := len(c.called()) - calls; n != 11 {
			t.Errorf("%d requests; the page that did not change needs none", n)
		}
		calls = len(c.called())
		o.queue(message("a", "k", "A"))
		settle()
		if diff := cmp.Diff([]string{"update k", "update k#2"}, c.called()[calls:]); diff != "" {
			t.Error(diff)
		}
		o.queue(message("a", "k", "A,B,C"))
		settle()
		o.want(append([]string{"A", "B", "C"}, slicesRepeat(emptied, 9)...)...)
	})
}

func slicesRepeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// Ten pages of one commit stand in the store in any order; they are shown in theirs.
func TestPagesComeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, c := newMemory(), newChat()
		pages, err := bot.Pages(byLetter, store.Message, []bot.Outgoing{message("a", "k", "a,b,c,d,e,f,g,h,i,j,k")})
		if err != nil {
			t.Fatal(err)
		}
		for i := len(pages) - 1; i >= 0; i-- {
			if err := store.Queue(pages[i]); err != nil {
				t.Fatal(err)
			}
		}
		o := startOutbox(t, store, c, nil)
		defer o.stop()
		settle()
		o.want("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")
	})
}

func TestPagesStayInTheThreadOfTheirMessage(t *testing.T) {
	inThread := message("a", "k", "a,b,c")
	inThread.Place.Thread = "t1"
	toRoot := message("a", "r", "a,b")
	toRoot.Root = "root"
	got, err := bot.Pages(byLetter, newMemory().Message, []bot.Outgoing{inThread, toRoot})
	if err != nil {
		t.Fatal(err)
	}
	want := []bot.Outgoing{inThread, inThread, inThread, toRoot, toRoot}
	for i, change := range []struct{ key, text string }{{"k", "a"}, {"k#2", "b"}, {"k#3", "c"}, {"r", "a"}, {"r#2", "b"}} {
		want[i].Key, want[i].Message.Summary = change.key, change.text
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPagesWithoutSplitAreTheMessages(t *testing.T) {
	out := []bot.Outgoing{message("a", "k", "a,b")}
	got, err := bot.Pages(nil, nil, out)
	if err != nil || !cmp.Equal(out, got) {
		t.Errorf("%v, %v", got, err)
	}
}
