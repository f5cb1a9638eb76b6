package sweep

import (
	"context"
	"fmt"
	"sync"
	"time"

	"stuckbot/checks"
)

// part is one cluster's share of a result.
type part struct {
	cluster      Cluster
	observations []checks.Observation
	unreadable   []checks.Unreadable
}

func sweepCluster(ctx context.Context, target Target, o Options, t *tally) (p part) {
	begun := time.Now()
	p.cluster = Cluster{Name: target.Name, Labels: target.Labels}
	defer func() { p.cluster.Took = time.Since(begun) }()
	if ctx.Err() != nil {
		p.cluster.Failure = &checks.Failure{Kind: checks.FailureNotTried, Detail: "the sweep's time was up before this cluster's turn"}
		return p
	}
	ctx, cancel := context.WithTimeout(ctx, o.ClusterTimeout)
	defer cancel()
	conn, err := target.Connect()
	if err != nil {
		f := checks.AsFailure(err)
		p.cluster.Failure = &f
		return p
	}
	defer conn.Close()
	server, err := conn.Server(ctx)
	if err != nil {
		f := checks.AsFailure(err)
		p.cluster.Failure = &f
		return p
	}
	now := server.Time
	if now.IsZero() {
		now = server.LocalTime
	}
	p.cluster.Counts = map[checks.System]map[checks.State]int{}
	for _, source := range o.Sources {
		c := &collector{thresholds: o.Thresholds, now: now, tally: t, counts: map[checks.State]int{}}
		scope := Scope{Cluster: target.Name, Namespaces: target.Namespaces, StuckOnly: o.StuckOnly}
		unreadable := source.Observe(ctx, scope, conn, c.add)
		p.observations = append(p.observations, c.kept...)
		p.unreadable = append(p.unreadable, unreadable...)
		if c.dropped > 0 {
			p.unreadable = append(p.unreadable, checks.Unreadable{
				Cluster: target.Name, What: fmt.Sprintf("%d more %s subjects that are not Active", c.dropped, source.System()),
				Failure: checks.Failure{Kind: checks.FailureTooMany, Detail: fmt.Sprintf("a sweep keeps %d a cluster", MaxObservations)},
			})
		}
		if !o.StuckOnly && !incomplete(unreadable) {
			p.cluster.Counts[source.System()] = c.counts
		}
	}
	return p
}

// incomplete reports whether the counts would be wrong: the cluster stopped answering, or nothing of a kind may be read. A
// forbidden namespace does not make the rest's count wrong: it is said beside it.
func incomplete(unreadable []checks.Unreadable) bool {
	for _, u := range unreadable {
		if u.Whole || u.Failure.Kind != checks.FailureForbidden {
			return true
		}
	}
	return false
}

// collector judges what a source emits and keeps what is not Active.
type collector struct {
	thresholds checks.Thresholds
	now        time.Time
	tally      *tally

	mu      sync.Mutex
	counts  map[checks.State]int
	kept    []checks.Observation
	dropped int
}

func (c *collector) add(o checks.Observation) {
	o = checks.Judge(o, c.thresholds, c.now)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[o.State]++
	if o.State == checks.Active {
		return
	}
	if len(c.kept) == MaxObservations {
		c.dropped++
		return
	}
	c.kept = append(c.kept, o)
	if o.State == checks.PendingUpgrade && !o.Held {
		c.tally.found()
	}
}
