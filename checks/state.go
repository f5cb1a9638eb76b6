package checks

// State says where a Subject stands between its desired and its actual revision. The states are never folded into one
// another: what is stuck, drifted, failed or unknown is treated differently.
type State string

// The states of a Subject.
const (
	// Active: the actual revision is the desired one and was reported.
	Active State = "Active"
	// PendingUpgrade: waiting, and nothing moves it. Shown to people as Pending-Upgrade.
	PendingUpgrade State = "PendingUpgrade"
	// Upgrading: an operation is or may be alive.
	Upgrading State = "Upgrading"
	// OutOfSync: applied once, drifted since.
	OutOfSync State = "OutOfSync"
	// Failed: tried, and an error was reported.
	Failed State = "Failed"
	// Unknown: what was read does not allow a statement. It is never shown as healthy.
	Unknown State = "Unknown"
)

// States lists all states in the order in which people want to see them: what needs a person first.
func States() []State {
	return []State{PendingUpgrade, Failed, Unknown, OutOfSync, Upgrading, Active}
}

// Title returns the state as people read it, for example "Pending-Upgrade".
func (s State) Title() string {
	switch s {
	case PendingUpgrade:
		return "Pending-Upgrade"
	case OutOfSync:
		return "Out-of-Sync"
	default:
		return string(s)
	}
}

// ParseState accepts a state by its constant or its title, in any case.
func ParseState(text string) (State, bool) {
	for _, s := range States() {
		if equalFold(text, string(s)) || equalFold(text, s.Title()) {
			return s, true
		}
	}
	return "", false
}
