// Package sweep asks every system of every cluster what is stuck: bounded fan-out, deadlines, partial results in a stable
// order.
package sweep

import (
	"time"

	"stuckbot/checks"
)

// Result is one sweep.
type Result struct {
	// At is when the sweep began, in UTC.
	At   time.Time
	Took time.Duration
	// Clusters has an entry for each cluster that was asked, sorted by name.
	Clusters []Cluster
	// Observations holds what is not Active, sorted by subject.
	Observations []checks.Observation
	// Unreadable holds what could not be read in clusters that were reached, sorted.
	Unreadable []checks.Unreadable
}

// Cluster is what a sweep learned of one cluster.
type Cluster struct {
	Name   string
	Labels map[string]string
	// Failure says why the cluster could not be reached; nil when it was.
	Failure *checks.Failure
	Took    time.Duration
	// Counts holds how many subjects of each system are in each state. It is nil for a system that could not be counted to
	// its end, because a wrong number is worse than none.
	Counts map[checks.System]map[checks.State]int
}

// Partial reports whether anything could not be read.
func (r *Result) Partial() bool {
	if len(r.Unreadable) > 0 {
		return true
	}
	for _, c := range r.Clusters {
		if c.Failure != nil {
			return true
		}
	}
	return false
}
