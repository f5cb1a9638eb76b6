package clienttest

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"stuckbot/bot/sandbox"
)

// script is a running client.mjs.
type script struct {
	t     *testing.T
	in    io.Writer
	lines chan string
	err   *bytes.Buffer
}

func startScript(t *testing.T, s *sandbox.Sandbox, url string) *script {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "client.mjs")
	cmd.Env = append(os.Environ(), "SANDBOX_URL="+url, "APP_TOKEN="+s.AppToken(), "BOT_TOKEN="+s.BotToken(), "CHANNEL="+releases)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	sc := &script{t: t, in: in, lines: make(chan string, 100), err: &bytes.Buffer{}}
	cmd.Stderr = sc.err
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(sc.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			sc.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return sc
}

func (sc *script) tell(line string) {
	sc.t.Helper()
	if _, err := io.WriteString(sc.in, line+"\n"); err != nil {
		sc.t.Fatal(err)
	}
}

// hear waits for a line that begins so, and returns the rest.
func (sc *script) hear(begin string) string {
	sc.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-sc.lines:
			if !ok {
				sc.t.Fatalf("the script ended before %q\n%s", begin, sc.err)
			}
			if rest, ok := strings.CutPrefix(line, begin); ok {
				return strings.TrimSpace(rest)
			}
			sc.t.Logf("node: %s", line)
		case <-deadline:
			sc.t.Fatalf("no %q in time\n%s", begin, sc.err)
		}
	}
}

// TestOfficialClients has @slack/socket-mode and @slack/web-api take a slash command, post, take a click, update, and
// read the history.
func TestOfficialClients(t *testing.T) {
	needNode(t)
	s, srv := start(t)
	sc := startScript(t, s, srv.URL)
	sc.tell("connect")
	sc.hear("connected")

	alice := s.As("U0ALICE")
	check(t, alice.Slash(releases, "/stuck sweep"))
	ts := sc.hear("posted")
	await(t, s, func() bool { return len(s.Ephemerals(releases, "U0ALICE")) == 1 })

	check(t, alice.Click(releases, ts, "votes", "approve"))
	sc.hear("updated")
	got := s.Messages(releases)
	if len(got) != 1 || got[0].Text != "Approved by <@U0ALICE>" || got[0].Blocks != nil {
		t.Errorf("%+v", got)
	}
	if e := s.Ephemerals(releases, "U0ALICE"); len(e) != 2 || e[1].Text != "Counted." {
		t.Errorf("%+v", e)
	}

	_, err := alice.Say(releases, "", "@stuckbot hello")
	check(t, err)
	sc.hear("mentioned")
	sc.tell("refusals")
	sc.hear("refused")

	if _, err := s.Faults().Disconnect(sandbox.DisconnectWarning); err != nil {
		t.Fatal(err)
	}
	await(t, s, func() bool { return s.Connections() == 0 || s.Connections() > 1 })
	await(t, s, func() bool { return s.Connections() > 0 })
	_, err = alice.Say(releases, "", "@stuckbot hello again")
	check(t, err)
	sc.hear("mentioned")
	sc.tell("quit")
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
