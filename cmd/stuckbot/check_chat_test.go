package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stuckbot/bot/sandbox"
	"stuckbot/checks/kube/kubetest"
)

func TestCheckCoversTheChat(t *testing.T) {
	cluster := kubetest.Open(t)
	for name, c := range map[string]struct {
		options sandbox.Options
		token   string
		channel string
		code    int
		says    []string
	}{
		"all well":         {channel: "C0RELEASES", code: exitDone, says: []string{"Slack takes both tokens"}},
		"not in channel":   {channel: "C0RANDOM", code: exitFound, says: []string{"channel C0RANDOM", "/invite @stuckbot"}},
		"no such channel":  {channel: "C0NOWHERE", code: exitFound, says: []string{"there is no such channel"}},
		"bad token":        {channel: "C0RELEASES", token: "xoxb-wrong", code: exitFound, says: []string{"bot token: invalid_auth"}},
		"scope missing":    {channel: "C0RELEASES", options: sandbox.Options{Scopes: []string{"commands", "channels:read"}}, code: exitFound, says: []string{"scope chat:write: missing"}},
		"only worse":       {channel: "C0PARTNERS", code: exitDone, says: []string{"shared with another organisation"}},
		"channel archived": {channel: "C0OLD", code: exitFound, says: []string{"it is archived"}},
	} {
		t.Run(name, func(t *testing.T) {
			box, err := sandbox.New(c.options)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(box.Handler())
			t.Cleanup(func() {
				_ = box.Close() // nobody uses it any more
				server.Close()
			})
			if c.token == "" {
				c.token = box.BotToken()
			}
			file := filepath.Join(t.TempDir(), "stuckbot.yaml")
			text := fmt.Sprintf("clusters: [{kubeconfig: %s}]\nchat: {slack: {appToken: %s, botToken: %s, apiURL: %s/api/}, channels: [{id: %s}]}\n",
				cluster.Kubeconfig, box.AppToken(), c.token, server.URL, c.channel)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			r := execute(t, nil, "check", "--config", file)
			if r.code != c.code {
				t.Errorf("status %d, want %d:\n%s%s", r.code, c.code, r.stdout, r.stderr)
			}
			for _, want := range c.says {
				if !strings.Contains(strings.Join(strings.Fields(r.stdout), " "), want) {
					t.Errorf("%q is missing in:\n%s", want, r.stdout)
				}
			}
			if strings.Contains(r.stdout+r.stderr, c.token) {
				t.Error("promise 8: the token was shown")
			}
		})
	}
}
