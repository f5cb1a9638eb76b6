package present

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stuckbot/checks"
	"stuckbot/commands/present/presenttest"
)

// The observations go through the real rule, so that a reason that it gives and the sentence that quotes it stay together.
func TestReasonsSayWhatWasReadAndNoMoreGolden(t *testing.T) {
	p := newPrinter(t)
	relabelled := func(label checks.HelmStatus, o checks.Observation) checks.Observation {
		o.Helm.Head.Label = label
		return judged(o)
	}
	unreadable := release("c", "n", "r", checks.HelmPendingUpgrade, 7, 6, time.Hour)
	unreadable.Helm.Head.DecodeError = "the payload's JSON: \x1b[31munexpected EOF"
	held := release("c", "n", "r", checks.HelmPendingUpgrade, 7, 6, time.Hour)
	held.Held = true
	var b strings.Builder
	for _, c := range []struct {
		name string
		o    checks.Observation
	}{
		{"pending-upgrade", release("c", "n", "r", checks.HelmPendingUpgrade, 14, 13, 3*time.Hour)},
		{"pending-rollback, none deployed", release("c", "n", "r", checks.HelmPendingRollback, 14, 0, 3*time.Hour)},
		{"pending, age unknown", judged(func() checks.Observation {
			o := release("c", "n", "r", checks.HelmPendingUpgrade, 14, 13, 0)
			o.Since, o.Helm.Head.Created = time.Time{}, time.Time{}
			return o
		}())},
		{"pending, in the future", release("c", "n", "r", checks.HelmPendingUpgrade, 14, 13, -time.Hour)},
		{"pending-install", release("c", "n", "r", checks.HelmPendingInstall, 1, 0, 3*time.Hour)},
		{"uninstalling", release("c", "n", "r", checks.HelmUninstalling, 4, 0, 3*time.Hour)},
		{"alive", release("c", "n", "r", checks.HelmPendingUpgrade, 14, 13, 4*time.Minute)},
		{"failed", release("c", "n", "r", checks.HelmFailed, 14, 13, 50*time.Hour)},
		{"deployed", release("c", "n", "r", checks.HelmDeployed, 14, 14, time.Hour)},
		{"uninstalled", release("c", "n", "r", checks.HelmUninstalled, 14, 0, time.Hour)},
		{"superseded head", release("c", "n", "r", checks.HelmSuperseded, 14, 0, time.Hour)},
		{"status of another version", release("c", "n", "r", "half-done", 14, 13, time.Hour)},
		{"label edited, locked", relabelled(checks.HelmDeployed, release("c", "n", "r", checks.HelmPendingUpgrade, 14, 13, time.Hour))},
		{"label edited, deployed", relabelled(checks.HelmFailed, release("c", "n", "r", checks.HelmDeployed, 14, 14, time.Hour))},
		{"unreadable", judged(unreadable)},
		{"held", held},
		{"no facts", judged(checks.Observation{})},
	} {
		summary, why := p.Summary(c.o, now), p.Why(c.o)
		if strings.ContainsAny(summary+why, "{}[]\x1b") {
			t.Errorf("%s: something is left in %q or %q", c.name, summary, why)
		}
		fmt.Fprintf(&b, "%s\n  %s\n  summary: %s\n  why: %s\n", c.name, c.o.State.Title(), summary, why)
	}
	presenttest.Golden(t, "present/reasons.txt", b.String())
}
