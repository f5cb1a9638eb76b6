package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"stuckbot/bot"
	"stuckbot/bot/sandbox"
)

// crashingBot is the name under which the test's binary runs the bot and kills itself at a point.
const crashingBot = "stuckbot-that-crashes"

// The points between two effects of one order, in their order. Each is reached once or more; the bot dies at the first.
var crashPoints = []string{
	"before storing the event",
	"after storing the event, before the acknowledgement",
	"before the work begins",
	"after the work was begun",
	"before queueing the first message",
	"after queueing the first message",
	"before posting",
	"after posting",
	"after noting the message's id",
	"before the result is committed",
	"after the result was committed",
	"before the update",
	"after the update",
	"after noting the update",
}

// crash is the bot, with an end.
func crash() {
	point := os.Getenv("CRASH_AT")
	p := newProgram(os.Stdin, os.Stdout, os.Stderr, os.LookupEnv)
	p.decorate = func(parts chatParts) chatParts {
		d := deadly{at: point}
		return chatParts{deadlyEvents{parts.events, d}, deadlyMessages{parts.messages, d}, deadlyTransport{parts.transport, d}}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	os.Exit(p.run(ctx, os.Args[1:]))
}

// deadly kills the process at its point, as kill -9 does: nothing is flushed and nothing is deferred.
type deadly struct{ at string }

func (d deadly) reach(point string) {
	if d.at == point {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

type deadlyEvents struct {
	bot.EventStore
	d deadly
}

func (e deadlyEvents) Receive(event bot.Event) (bool, error) {
	e.d.reach(crashPoints[0])
	fresh, err := e.EventStore.Receive(event)
	e.d.reach(crashPoints[1])
	return fresh, err
}

func (e deadlyEvents) Begin(key string) (int, error) {
	e.d.reach(crashPoints[2])
	n, err := e.EventStore.Begin(key)
	e.d.reach(crashPoints[3])
	return n, err
}

func (e deadlyEvents) Done(key string, at time.Time, out []bot.Outgoing) error {
	e.d.reach(crashPoints[9])
	err := e.EventStore.Done(key, at, out)
	e.d.reach(crashPoints[10])
	return err
}

type deadlyMessages struct {
	bot.MessageStore
	d deadly
}

func (m deadlyMessages) Queue(o bot.Outgoing) error {
	m.d.reach(crashPoints[4])
	err := m.MessageStore.Queue(o)
	m.d.reach(crashPoints[5])
	return err
}

func (m deadlyMessages) Settle(key, id string, sent int, dead string) error {
	err := m.MessageStore.Settle(key, id, sent, dead)
	if sent <= 1 {
		m.d.reach(crashPoints[8])
	} else {
		m.d.reach(crashPoints[13])
	}
	return err
}

type deadlyTransport struct {
	bot.Transport
	d deadly
}

func (t deadlyTransport) Post(ctx context.Context, to bot.Place, key string, m bot.Message) (string, error) {
	t.d.reach(crashPoints[6])
	id, err := t.Transport.Post(ctx, to, key, m)
	t.d.reach(crashPoints[7])
	return id, err
}

func (t deadlyTransport) Update(ctx context.Context, in bot.Place, id, key string, m bot.Message) error {
	t.d.reach(crashPoints[11])
	err := t.Transport.Update(ctx, in, id, key, m)
	t.d.reach(crashPoints[12])
	return err
}

// botProcess starts the bot in a process of its own.
func botProcess(t *testing.T, config, crashAt string) (cmd *exec.Cmd, ended <-chan error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self, "serve", "--config", config)
	cmd.Args[0] = crashingBot
	cmd.Env = append(os.Environ(), "CRASH_AT="+crashAt)
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // most have ended already
		if t.Failed() {
			t.Logf("log of the bot that dies %q:\n%s", crashAt, log.String())
		}
	})
	return cmd, done
}

func TestKilledAnywhereNothingIsLostAndNothingIsSaidTwice(t *testing.T) {
	for i, point := range crashPoints {
		t.Run(strings.ReplaceAll(point, " ", "-"), func(t *testing.T) {
			t.Parallel()
			box, config := workshop(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()

			_, ended := botProcess(t, config, point)
			awaitConnected(ctx, t, box)
			if err := box.As("U0ALICE").Slash("C0RELEASES", "/stuck sweep"); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ended:
			case <-ctx.Done():
				t.Fatalf("the bot did not reach the point %q", point)
			}

			if err := box.Await(ctx, func() bool { return box.Connections() == 0 }); err != nil {
				t.Fatal("the dead bot's connection stays")
			}
			second, ended := botProcess(t, config, "")
			awaitConnected(ctx, t, box)
			if i == 0 { // nothing was stored, so the person must have been told, and asks again
				if err := box.Await(ctx, func() bool { return len(box.Notices("U0ALICE"))+len(box.Ephemerals("C0RELEASES", "U0ALICE")) > 0 }); err != nil {
					t.Errorf("promise 11: the order was lost in silence: %v", err)
				}
				if err := box.As("U0ALICE").Slash("C0RELEASES", "/stuck sweep"); err != nil {
					t.Fatal(err)
				}
			}
			answered := func() bool {
				said := fromBot(box)
				return len(said) > 0 && strings.Contains(string(said[len(said)-1].Blocks), "clusters read in")
			}
			if err := box.Await(ctx, answered); err != nil {
				t.Fatalf("the answer never came: %v: %+v", err, fromBot(box))
			}
			if err := second.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("stopping: %v", err)
				}
			case <-time.After(shutdownTime):
				t.Error("the bot did not stop within its time")
			}
			if said := fromBot(box); len(said) != 1 {
				t.Errorf("%d root messages, want one: %+v", len(said), said)
			}
		})
	}
}

func awaitConnected(ctx context.Context, t *testing.T, box *sandbox.Sandbox) {
	t.Helper()
	if err := box.Await(ctx, func() bool { return box.Connections() > 0 }); err != nil {
		t.Fatalf("the bot does not connect: %v", err)
	}
}

func fromBot(box *sandbox.Sandbox) []sandbox.Message {
	var said []sandbox.Message
	for _, m := range box.Messages("C0RELEASES") {
		if m.BotID != "" && (m.ThreadTS == "" || m.ThreadTS == m.TS) {
			said = append(said, m)
		}
	}
	return said
}
