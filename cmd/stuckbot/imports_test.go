package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers says which of our packages each package may import; a name stands for its subpackages too, unless they have a
// line of their own. Tests and test support may import more.
var layers = map[string][]string{
	"bot":                  {},
	"checks":               {},
	"checks/kube":          {"checks"},
	"checks/evidence":      {"checks"},
	"checks/sweep":         {"checks", "checks/kube", "checks/evidence"},
	"checks/source":        {"checks", "checks/sweep"},
	"commands/remedy":      {"checks", "bot", "checks/kube", "checks/evidence"},
	"commands/present":     {"checks", "bot", "checks/sweep", "checks/kube", "checks/evidence", "commands/remedy"},
	"commands":             {"checks", "bot", "checks/sweep", "checks/kube", "checks/evidence", "commands/remedy", "commands/present"},
	"schedule":             {"checks", "bot", "checks/sweep", "commands", "commands/present"},
	"storage/kv":           {},
	"storage/boltkv":       {"storage/kv"},
	"storage":              {"checks", "bot", "checks/sweep", "commands/remedy", "storage/kv", "storage/boltkv"},
	"bot/slack":            {"bot"},
	"bot/teams":            {"bot"},
	"bot/sandbox":          {},
	"deploy":               {},
	"cmd/scenario":         {"deploy"},
	"cmd/stuckbot":         {"bot", "bot/slack", "bot/teams", "bot/sandbox", "checks", "checks/kube", "checks/evidence", "checks/sweep", "checks/source", "commands", "commands/present", "commands/remedy", "schedule", "storage", "storage/kv", "storage/boltkv", "deploy"},
	"checks/checkstest":    {"checks"},
	"checks/kube/kubetest": {"checks", "checks/kube"},
	"storage/kv/kvtest":    {"storage/kv"},
	"storage/kv/memkv":     {"storage/kv"},
}

// outside says which packages may import a library, where not everyone may.
var outside = map[string][]string{
	"k8s.io/client-go":         {"checks/kube", "checks/kube/kubetest", "commands/remedy/actions", "cmd/stuckbot", "cmd/scenario"},
	"helm.sh/helm/v3":          {"commands/remedy/actions", "cmd/scenario"},
	"github.com/slack-go":      {"bot/slack", "bot/sandbox"},
	"go.etcd.io/bbolt":         {"storage/boltkv"},
	"github.com/robfig/cron":   {"schedule"},
	"k8s.io/api":               {"checks/kube/kubetest", "commands/remedy/actions", "cmd/scenario"},
	"github.com/spf13/cobra":   {"cmd/stuckbot", "cmd/scenario"},
	"github.com/rs/zerolog":    {"cmd/stuckbot", "bot/slack", "schedule"},
	"github.com/golang-jwt":    {"checks/kube"},
	"sigs.k8s.io/yaml":         {"cmd/scenario"},
	"k8s.io/apiextensions-api": {"cmd/scenario"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "stuckbot/...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImportsRunOneWay(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "stuckbot/")
		layer := layerOf(name)
		if layer == "" {
			t.Errorf("%s has no layer: give it a line in the table", name)
			continue
		}
		seen++
		for _, path := range p.Imports {
			if ours, ok := strings.CutPrefix(path, "stuckbot/"); ok {
				target := layerOf(ours)
				if target != layer && !slices.Contains(layers[layer], target) {
					t.Errorf("%s may not import %s", name, ours)
				}
				continue
			}
			for library, allowed := range outside {
				if (path == library || strings.HasPrefix(path, library+"/")) && !slices.Contains(allowed, layer) {
					t.Errorf("%s may not import %s; only %v may", name, path, allowed)
				}
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d packages were looked at", seen)
	}
}

// layerOf returns the longest line of the table that name falls under.
func layerOf(name string) string {
	for part := name; part != ""; {
		if _, ok := layers[part]; ok {
			return part
		}
		i := strings.LastIndex(part, "/")
		if i < 0 {
			return ""
		}
		part = part[:i]
	}
	return ""
}
