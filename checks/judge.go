package checks

import "time"

// Thresholds are the waiting times of all systems.
type Thresholds struct {
	Helm HelmThresholds
}

// Judge fills in an observation's State and Reason from its facts. now is the clock of the cluster that was read, so that
// clocks that are apart do not make timeouts lie (F12). An observation without facts that a rule knows is Unknown.
func Judge(o Observation, t Thresholds, now time.Time) Observation {
	switch {
	case o.Helm != nil:
		o.State, o.Reason = HelmState(*o.Helm, t.Helm, now)
	default:
		o.State = Unknown
	}
	return o
}
