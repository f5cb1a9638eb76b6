package checks

import (
	"testing"
	"time"
)

func TestPendingIsNotStuckUntilItsLastSignOfLifeIsOldEnough(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	limits := HelmThresholds{StuckAfter: 15 * time.Minute}
	for name, c := range map[string]struct {
		created, written time.Time
		want             State
	}{
		"just begun":                  {now.Add(-time.Minute), time.Time{}, Upgrading},
		"one second before the limit": {now.Add(-15*time.Minute + time.Second), time.Time{}, Upgrading},
		"at the limit":                {now.Add(-15 * time.Minute), time.Time{}, PendingUpgrade},
		"old but written just now":    {now.Add(-time.Hour), now.Add(-time.Minute), Upgrading},
		"old and written long ago":    {now.Add(-time.Hour), now.Add(-59 * time.Minute), PendingUpgrade},
		"from the future":             {now.Add(time.Hour), time.Time{}, Upgrading},
		"age unknown":                 {time.Time{}, time.Time{}, PendingUpgrade},
	} {
		for _, status := range HelmLocks() {
			f := HelmFacts{Head: HelmRecord{Version: 3, Label: status, Payload: status, Created: c.created, Written: c.written}, Deployed: 2}
			if got, _ := HelmState(f, limits, now); got != c.want {
				t.Errorf("promise 9: %s, %s: %s, want %s", name, status, got, c.want)
			}
		}
	}
}

func TestAnObservationWithoutFactsIsUnknown(t *testing.T) {
	if got := Judge(Observation{}, Thresholds{}, time.Now()); got.State != Unknown {
		t.Errorf("promise 10: %s, want Unknown", got.State)
	}
}

func TestEveryStateHasATitleAndParsesBack(t *testing.T) {
	for _, s := range States() {
		for _, text := range []string{string(s), s.Title()} {
			if got, ok := ParseState(text); !ok || got != s {
				t.Errorf("ParseState(%q) = %q, %v", text, got, ok)
			}
		}
	}
	if _, ok := ParseState("healthy"); ok {
		t.Error("an invented state was accepted")
	}
}
