package present

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
	"stuckbot/commands/present/presenttest"
)

func sweepText(t *testing.T, r *sweep.Result) string {
	t.Helper()
	var b strings.Builder
	if err := newPrinter(t).SweepJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSweepJSONGolden(t *testing.T) {
	presenttest.Golden(t, "present/sweep-mixed.json", sweepText(t, mixed()))
	presenttest.Golden(t, "present/sweep-healthy.json", sweepText(t, healthy()))
}

// Programs that read the JSON need no special case for an empty list or an unknown time.
func TestSweepJSONHasEveryFieldWhenThereIsNothing(t *testing.T) {
	var got map[string]any
	r := &sweep.Result{At: now, Observations: []checks.Observation{{}}, Clusters: []sweep.Cluster{{}}}
	if err := json.Unmarshal([]byte(sweepText(t, r)), &got); err != nil {
		t.Fatal(err)
	}
	o := got["observations"].([]any)[0].(map[string]any)
	for _, field := range []string{"subject", "state", "held", "desired", "actual", "version", "since", "heartbeat", "owner", "summary"} {
		if _, ok := o[field]; !ok {
			t.Errorf("an observation lacks %q", field)
		}
	}
	if o["since"] != nil || o["heartbeat"] != nil {
		t.Error("an unknown time is not null")
	}
	c := got["clusters"].([]any)[0].(map[string]any)
	if _, ok := c["counts"].(map[string]any); !ok || c["error"] != nil || c["reachable"] != true {
		t.Errorf("a cluster: %v", c)
	}
	if list, ok := got["unreadable"].([]any); !ok || len(list) != 0 {
		t.Errorf("unreadable: %v", got["unreadable"])
	}
}

func TestSweepJSONKeepsNamesAndIsUTF8(t *testing.T) {
	name := "a\x1b[31m<b>\u202e&"
	got := sweepText(t, single(nil, release("kind", "n", name, checks.HelmPendingUpgrade, 3, 2, time.Hour),
		release("kind", "n\xff", "x", checks.HelmPendingUpgrade, 3, 2, time.Hour)))
	if !utf8.ValidString(got) {
		t.Error("no UTF-8")
	}
	var back struct {
		Observations []struct{ Subject checks.Subject }
	}
	if err := json.Unmarshal([]byte(got), &back); err != nil {
		t.Fatal(err)
	}
	if back.Observations[0].Subject.Name != name {
		t.Errorf("the name became %q", back.Observations[0].Subject.Name)
	}
}
