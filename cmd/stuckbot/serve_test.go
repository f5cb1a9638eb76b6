package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stuckbot/bot/sandbox"
	"stuckbot/checks/kube/kubetest"
	"stuckbot/storage"
)

// workshop is a sandbox and a configuration for a bot in it.
func workshop(t *testing.T) (box *sandbox.Sandbox, config string) {
	t.Helper()
	cluster := kubetest.Open(t)
	box, err := sandbox.New(sandbox.Options{Commands: []sandbox.Command{{Command: "/stuck"}}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(box.Handler())
	t.Cleanup(func() {
		_ = box.Close() // nobody uses it any more
		server.CloseClientConnections()
		server.Close()
	})
	config = filepath.Join(t.TempDir(), "stuckbot.yaml")
	text := fmt.Sprintf("clusters: [{kubeconfig: %s}]\nstorage: {path: stuckbot.db}\nhttp: {listen: \"127.0.0.1:0\"}\n"+
		"chat: {slack: {appToken: %s, botToken: %s, apiURL: %s/api/}, channels: [{id: C0RELEASES}]}\n",
		cluster.Kubeconfig, box.AppToken(), box.BotToken(), server.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return box, config
}

func TestWhoAsksWhereTheBotMayNotPostIsTold(t *testing.T) {
	box, config := workshop(t)
	botProcess(t, config, "")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	awaitConnected(ctx, t, box)
	if err := box.As("U0ALICE").Slash("C0RANDOM", "/stuck sweep"); err != nil {
		t.Fatal(err)
	}
	told := func() bool {
		for _, m := range box.Ephemerals("C0RANDOM", "U0ALICE") {
			if strings.Contains(m.Text, "I cannot answer in this channel") {
				return true
			}
		}
		return false
	}
	if err := box.Await(ctx, told); err != nil {
		t.Errorf("Alice heard only %+v", box.Ephemerals("C0RANDOM", "U0ALICE"))
	}
}

func TestTwoBotsCannotShareADatabase(t *testing.T) {
	box, config := workshop(t)
	first, _ := botProcess(t, config, "")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	awaitConnected(ctx, t, box)
	r := execute(t, nil, "serve", "--config", config)
	if r.code != exitFailed || !strings.Contains(r.stderr, fmt.Sprint(first.Process.Pid)) {
		t.Errorf("status %d, want %d and the first bot's pid %d: %s", r.code, exitFailed, first.Process.Pid, r.stderr)
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(config), "stuckbot.db.sock"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket beside the database: %v, %v; want mode 0600", info, err)
	}
}

func TestADatabaseThatSawASandboxIsRefusedByABotThatTalksToSlack(t *testing.T) {
	_, config := workshop(t)
	database := filepath.Join(filepath.Dir(config), "stuckbot.db")
	db, err := storage.Open(database, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.MarkSandbox("http://127.0.0.1:7080/api/"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "apiURL: ")
	_, after, _ := strings.Cut(rest, "}")
	real := before + "apiURL: https://slack.com/api/}" + after
	if err := os.WriteFile(config, []byte(real), 0o600); err != nil {
		t.Fatal(err)
	}
	r := execute(t, nil, "serve", "--config", config)
	if r.code != exitFailed || !strings.Contains(r.stderr, "anyone may have acted as anyone") {
		t.Errorf("status %d: %s", r.code, r.stderr)
	}
}

func TestOnlySlacksOwnServersAreSlack(t *testing.T) {
	for address, want := range map[string]bool{
		"https://slack.com/api/":             true,
		"https://acme.slack.com/api/":        true,
		"https://slack-gov.com/api/":         true,
		"http://slack.com/api/":              false,
		"https://slack.com.evil.example/api": false,
		"https://slack.com:8443/api/":        false,
		"https://notslack.com/api/":          false,
		"http://127.0.0.1:7080/api/":         false,
	} {
		if got := isSlack(address); got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}
