package sandbox

import (
	"errors"
	"testing"
	"time"
)

func TestATriggerServesOnceAndNotForLong(t *testing.T) {
	now := time.Unix(1000, 0)
	tr := newTriggers(2)
	first, second := tr.issue(now.Add(3*time.Second)), tr.issue(now.Add(3*time.Second))
	if err := tr.redeem(first, now); err != nil {
		t.Error(err)
	}
	for code, err := range map[string]error{
		"exchanged_trigger_id": tr.redeem(first, now),
		"trigger_expired":      tr.redeem(second, now.Add(4*time.Second)),
		"invalid_trigger_id":   tr.redeem("x", now),
	} {
		if !errors.Is(err, refuse(code)) {
			t.Errorf("%v, want %s", err, code)
		}
	}
	tr.issue(now)
	if err := tr.redeem(first, now); !errors.Is(err, refuse("invalid_trigger_id")) {
		t.Errorf("the oldest is forgotten: %v", err)
	}
}
