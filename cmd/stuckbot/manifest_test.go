package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"stuckbot/bot/slack"
)

func TestTheAppsManifestHasExactlyTheScopesThatTheCodeUses(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "deploy", "slack-manifest.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Scopes struct {
			Scopes struct {
				Bot []string `yaml:"bot"`
			} `yaml:"scopes"`
		} `yaml:"oauth_config"`
		Settings struct {
			Events struct {
				Bot []string `yaml:"bot_events"`
			} `yaml:"event_subscriptions"`
			SocketMode bool `yaml:"socket_mode_enabled"`
		} `yaml:"settings"`
	}
	if err := yaml.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range slack.Scopes() {
		if !s.App {
			want = append(want, s.Name)
		}
	}
	slices.Sort(want)
	if got := manifest.Scopes.Scopes.Bot; !slices.Equal(got, want) {
		t.Errorf("the manifest has the scopes %v, the code uses %v", got, want)
	}
	if got := manifest.Settings.Events.Bot; !slices.Equal(got, slack.Events()) {
		t.Errorf("the manifest subscribes to %v, the code takes %v", got, slack.Events())
	}
	if !manifest.Settings.SocketMode {
		t.Error("Socket Mode is off in the manifest")
	}
}
