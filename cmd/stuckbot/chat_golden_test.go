package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stuckbot/bot"
	"stuckbot/bot/sandbox"
	"stuckbot/bot/slack"
	"stuckbot/checks"
	"stuckbot/checks/sweep"
	"stuckbot/commands/present"
	"stuckbot/commands/present/presenttest"
	"stuckbot/storage"
	"stuckbot/storage/kv/memkv"
)

var three = time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)

// nightly is a sweep with n stuck releases in ten clusters, half of them production.
func nightly(n int) *sweep.Result {
	r := &sweep.Result{At: three, Took: 2300 * time.Millisecond}
	for i := range 10 {
		env := "prod"
		if i%2 == 1 {
			env = "staging"
		}
		r.Clusters = append(r.Clusters, sweep.Cluster{Name: fmt.Sprintf("%s-%d", env, i), Labels: map[string]string{"env": env}})
	}
	for i := range n {
		created := three.Add(-time.Duration(i+20) * time.Minute)
		r.Observations = append(r.Observations, checks.Judge(checks.Observation{
			Subject: checks.Subject{Cluster: r.Clusters[i%10].Name, System: checks.SystemHelm, Namespace: "shop", Name: fmt.Sprintf("release-%04d", i)},
			Desired: "14", Actual: "13", Version: "2.14.0", Since: created, Owner: checks.OwnerCLI,
			Helm: &checks.HelmFacts{Storage: checks.HelmSecrets, Deployed: 13,
				Head: checks.HelmRecord{Version: 14, Label: checks.HelmPendingUpgrade, Payload: checks.HelmPendingUpgrade, Created: created}},
		}, checks.Thresholds{Helm: checks.HelmThresholds{StuckAfter: 15 * time.Minute}}, three))
	}
	return r
}

func partlyUnread() *sweep.Result {
	r := nightly(2)
	r.Observations[1].Held = true
	r.Clusters[3].Failure = &checks.Failure{Kind: checks.FailureTimeout, Host: "203.0.113.7:6443"}
	r.Clusters[4].Failure = &checks.Failure{Kind: checks.FailureTokenExpired, Host: "203.0.113.8:6443", At: three.Add(-time.Hour)}
	for _, ns := range []string{"vault", "payroll", "hr", "legal"} {
		r.Unreadable = append(r.Unreadable, checks.Unreadable{Cluster: "prod-2", What: "secrets in namespace " + ns,
			Failure: checks.Failure{Kind: checks.FailureForbidden, Detail: "secrets is forbidden"}})
	}
	return r
}

// channel is a real transport and outbox in a sandbox.
type channel struct {
	box    *sandbox.Sandbox
	outbox *bot.Outbox
	store  *storage.Messages
}

func newChannel(t *testing.T) *channel {
	t.Helper()
	box, err := sandbox.New(sandbox.Options{Rates: sandbox.Rates{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(box.Handler())
	transport, err := slack.New(slack.Options{AppToken: box.AppToken(), BotToken: box.BotToken(), APIURL: server.URL + "/api/",
		Receive: func(bot.Event) error { return nil }, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	c := &channel{box: box, store: storage.NewMessages(memkv.New())}
	c.outbox = bot.NewOutbox(bot.OutboxOptions{Messages: c.store, Transport: transport, Split: transport.Split,
		Interval: time.Millisecond, Report: func(o bot.Outgoing, err error) { t.Errorf("%s: %v", o.Key, err) }})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.outbox.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := box.Close(); err != nil {
			t.Error(err)
		}
		server.CloseClientConnections()
		server.Close()
	})
	return c
}

// say posts a message, in pages when it is long, and returns the pages as the channel has them.
func (c *channel) say(t *testing.T, m bot.Message) []sandbox.Message {
	t.Helper()
	if err := c.outbox.Queue(bot.Outgoing{Key: "answer/1", Place: bot.Place{Platform: "slack", Channel: "C0RELEASES"}, Message: m}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	sent := func() bool {
		unsent, err := c.store.Unsent()
		return err == nil && len(unsent) == 0
	}
	for !sent() {
		if err := ctx.Err(); err != nil {
			t.Fatal("the message was not sent")
		}
		time.Sleep(5 * time.Millisecond) // the store tells nobody
	}
	return c.box.Messages("C0RELEASES")
}

func TestGoldenChatMessages(t *testing.T) {
	p, err := present.New(present.English, nil)
	if err != nil {
		t.Fatal(err)
	}
	help := present.Help{Name: "sweep", Usage: "[cluster|label=value …]", Examples: []string{"sweep", "sweep env=prod"}}
	for name, m := range map[string]bot.Message{
		"sweep-0":           p.SweepMessage(nightly(0), "U0ALICE"),
		"sweep-1":           p.SweepMessage(nightly(1), "U0ALICE"),
		"sweep-60":          p.SweepMessage(nightly(60), "U0ALICE"),
		"sweep-2000":        p.SweepMessage(nightly(2000), "U0ALICE"),
		"sweep-unread":      p.SweepMessage(partlyUnread(), "U0ALICE"),
		"progress":          p.SweepProgress(sweep.Progress{Done: 3, Total: 10, Stuck: 1, Waiting: []string{"prod-0", "prod-2"}}, "U0ALICE"),
		"help":              p.HelpMessage([]present.Help{help}),
		"help-sweep":        p.CommandHelp(help),
		"no-such-command":   p.NoSuchCommand("sweeep", "sweep"),
		"no-such-cluster":   p.NoSuchCluster("prod-e", "prod-eu"),
		"bad-selector":      p.BadSelector("env="),
		"nothing-selected":  p.NothingSelected("env=dev"),
		"too-many-sweeps":   p.TooManySweeps(12 * time.Second),
		"stale-order":       p.StaleOrder("sweep", 40*time.Minute),
		"order-failed":      p.OrderFailed("sweep", false),
		"order-given-up":    p.OrderFailed("sweep", true),
		"dead-button":       p.DeadButton(),
		"hostile-selectors": p.NoSuchCluster("<!channel> *x* `y` <https://evil.example|click> \u202ereversed\x1b[31m", ""),
	} {
		t.Run(name, func(t *testing.T) {
			pages := newChannel(t).say(t, m)
			var out bytes.Buffer
			fmt.Fprintf(&out, "%d message(s); the notification says: %s\n", len(pages), pages[0].Text)
			for i, page := range pages {
				if i > 0 && i < len(pages)-1 && len(pages) > 3 {
					continue // the pages between look like their neighbours; TestNothingIsCutInSilence counts their lines
				}
				var blocks []map[string]any
				if err := json.Unmarshal(page.Blocks, &blocks); err != nil {
					t.Fatal(err)
				}
				for _, b := range blocks {
					delete(b, "block_id") // Slack makes a random one
				}
				text, err := json.MarshalIndent(blocks, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%s\n", text)
			}
			presenttest.Golden(t, "chat/"+name+".txt", out.String())
		})
	}
}

func TestNothingIsCutInSilence(t *testing.T) {
	p, err := present.New(present.English, nil)
	if err != nil {
		t.Fatal(err)
	}
	pages := newChannel(t).say(t, p.SweepMessage(nightly(2000), "U0ALICE"))
	roots := 0
	var all strings.Builder
	for _, page := range pages {
		if page.ThreadTS == "" || page.ThreadTS == page.TS {
			roots++
		}
		all.Write(page.Blocks)
	}
	if roots != 1 {
		t.Errorf("%d root messages, want one with the rest in its thread", roots)
	}
	for i := range 2000 {
		if n := strings.Count(all.String(), fmt.Sprintf("release-%04d", i)); n != 1 {
			t.Fatalf("release-%04d is named %d times, want once", i, n)
		}
	}
}
