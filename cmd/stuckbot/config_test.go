package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"stuckbot/checks/kube"
	"stuckbot/cmd/stuckbot/internal/strict"
	"stuckbot/commands/present/presenttest"
)

var tokens = map[string]string{"SLACK_APP_TOKEN": "xapp-1-A0-secret-app", "SLACK_BOT_TOKEN": "xoxb-2-B0-secret-bot"}

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}

func load(t *testing.T, name string, env map[string]string) *config {
	t.Helper()
	c, err := loadConfig(filepath.Join("testdata", "valid", name), lookupIn(env))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheContractsConfigurationLoads(t *testing.T) {
	c := load(t, "contract.yaml", tokens)
	if c.Chat.Slack.AppToken.Reveal() != tokens["SLACK_APP_TOKEN"] || c.Chat.Slack.BotToken.Reveal() != tokens["SLACK_BOT_TOKEN"] {
		t.Error("the tokens are not those of the environment")
	}
	want := []kube.Config{
		{Kubeconfig: "./kubeconfig", Contexts: []string{"prod-eu", "prod-us"}, Labels: map[string]string{"env": "prod"}},
		{InCluster: true, Name: "hub"},
	}
	if !reflect.DeepEqual(c.Clusters, want) {
		t.Errorf("clusters: %+v", c.Clusters)
	}
	if c.Systems.Helm.QuietFor != 30*time.Minute || c.Systems.Fleet.HeartbeatAfter != 45*time.Minute || c.Retention.Sweeps != 30*24*time.Hour {
		t.Errorf("durations: %+v %+v %+v", c.Systems.Helm, c.Systems.Fleet, c.Retention)
	}
	if got := c.path(c.Storage.Path); got != filepath.Join("testdata", "valid", "stuckbot.db") {
		t.Errorf("a relative path starts at %s", got)
	}
}

func TestAMinimalConfigurationHasTheContractsDefaults(t *testing.T) {
	minimal, contract := load(t, "minimal.yaml", nil), load(t, "contract.yaml", tokens)
	contract.Approvals.Proposers, contract.Approvals.Approvers = people{}, people{}
	contract.Chat, contract.Clusters, contract.Systems.Fleet, contract.file = nil, minimal.Clusters, nil, minimal.file
	if !reflect.DeepEqual(minimal, contract) {
		t.Errorf("got  %+v\nwant %+v", minimal, contract)
	}
}

func TestOtherKeysLoad(t *testing.T) {
	c := load(t, "everything-else.yaml", nil)
	if c.Approvals.Policy.High.Votes != 3 || c.Approvals.Policy.Low.Votes != 2 || len(c.Modes) != 2 || c.Modes[1].Labels["tier"] != "1" {
		t.Errorf("%+v", c)
	}
	if c.Systems.Helm.StuckAfter != 15*time.Minute || !c.Systems.Helm.DecodeHeads {
		t.Errorf("%+v", c.Systems.Helm)
	}
}

// Each file of testdata/config has one mistake, or one kind of them, and beside it what the program says.
func TestEveryMistakeSaysFileLineKeyAndWayOutGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/config/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			r := execute(t, nil, "sweep", "--config", file)
			if r.code != exitFailed || r.stdout != "" {
				t.Errorf("exit status %d, stdout %q", r.code, r.stdout)
			}
			for _, line := range strings.Split(strings.TrimSpace(r.stderr), "\n") {
				if !strings.HasPrefix(line, "stuckbot: "+file+":") {
					t.Errorf("no file and line: %s", line)
				}
			}
			if strings.Contains(r.stderr, "2222") {
				t.Error("promise 8: a token is repeated")
			}
			presenttest.File(t, strings.TrimSuffix(file, ".yaml")+".golden", r.stderr)
		})
	}
}

func TestAConfigurationThatCannotBeReadIsNoMistakeInIt(t *testing.T) {
	for _, file := range []string{"testdata/missing.yaml", "testdata"} {
		if r := execute(t, nil, "check", "--config", file); r.code != exitFailed || !strings.Contains(r.stderr, "--config: ") {
			t.Errorf("%s: %+v", file, r)
		}
	}
}

func TestASystemThatIsNotNamedIsOff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "clusters: [{kubeconfig: ./k}]\nsystems: {fleet: {hub: a}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := loadConfig(file, lookupIn(nil))
	if err != nil || c.Systems.Helm != nil || c.Systems.Fleet == nil {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestAllSecretsOfTheConfigurationAreKnownToTheFilter(t *testing.T) {
	c := load(t, "contract.yaml", tokens)
	got := secretsIn(reflect.ValueOf(c))
	slices.Sort(got)
	if want := []string{tokens["SLACK_APP_TOKEN"], tokens["SLACK_BOT_TOKEN"]}; !slices.Equal(got, want) {
		t.Errorf("%d secrets", len(got))
	}
}

func FuzzConfig(f *testing.F) {
	for _, pattern := range []string{"testdata/config/*.yaml", "testdata/valid/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &config{file: "f.yaml"}
		err := strict.Decode(data, c, strict.Options{File: "f.yaml", Env: lookupIn(tokens)})
		if err != nil {
			if len(contentProblems(err)) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, votes := range []votesConfig{c.Approvals.Policy.Low, c.Approvals.Policy.Medium, c.Approvals.Policy.High} {
			if votes.Votes < minVotes {
				t.Fatalf("one person would be enough: %+v", c.Approvals.Policy)
			}
		}
		if c.Mode.check("mode") != nil || len(c.Clusters) == 0 || (c.Systems.Helm == nil && c.Systems.Fleet == nil) {
			t.Fatalf("an invalid configuration was taken: %+v", c)
		}
	})
}
