package sandbox

import (
	"fmt"
	"slices"
	"time"
)

// triggers are the trigger ids handed out with interactions. Each opens one view within 3 seconds.
type triggers struct {
	limit int
	order []string
	ends  map[string]time.Time // zero when used
}

func newTriggers(limit int) *triggers { return &triggers{limit: limit, ends: map[string]time.Time{}} }

// issue returns a new trigger id that lives until end.
func (t *triggers) issue(end time.Time) string {
	id := fmt.Sprintf("%d.%d.%s", end.UnixMilli(), len(t.order), randomText(32))
	t.order = append(t.order, id)
	t.ends[id] = end
	for over := len(t.order) - t.limit; over > 0; over-- {
		delete(t.ends, t.order[0])
		t.order = slices.Delete(t.order, 0, 1)
	}
	return id
}

// redeem uses a trigger id up, as views.open will: the errors are Slack's.
func (t *triggers) redeem(id string, now time.Time) error {
	end, ok := t.ends[id]
	switch {
	case !ok:
		return refuse("invalid_trigger_id")
	case end.IsZero():
		return refuse("exchanged_trigger_id")
	case now.After(end):
		return refuse("trigger_expired")
	}
	t.ends[id] = time.Time{}
	return nil
}
