package present

import (
	"io/fs"
	"time"

	"stuckbot/checks"
)

// Check is what `stuckbot check` found out.
type Check struct {
	At time.Time
	// File is the configuration file; empty when there is none.
	File string
	// Problems are the mistakes of the configuration, a line each.
	Problems []string
	// Storage is the database's path; empty when there is no configuration.
	Storage string
	// StorageProblem says why the database could not be written; empty when it could.
	StorageProblem string
	// Readable are files with credentials that other accounts of the machine may read.
	Readable []ReadableFile
	Clusters []CheckedCluster
	// Chat is what was found out about the chat; empty when none is configured.
	Chat []ChatFinding
}

// ChatFinding is one thing about the chat that was looked at.
type ChatFinding struct {
	// What was looked at.
	What string
	// Problem is empty when all is well; Advice says what to do about it.
	Problem, Advice string
	// Degraded says that the bot works all the same, only worse.
	Degraded bool
}

// ReadableFile is a file that more people may read than should.
type ReadableFile struct {
	Path string
	Mode fs.FileMode
}

// CheckedCluster is what was found out about one cluster.
type CheckedCluster struct {
	Name string
	// Failure says why the cluster could not be reached; nil when it was.
	Failure *checks.Failure
	Server  checks.Server
	Access  []Access
	// AccessFailure says why permissions could not be asked for; nil when they were.
	AccessFailure *checks.Failure
}

// Access is a permission and whether the account has it.
type Access struct {
	checks.Permission
	Allowed bool
	// In names the namespaces that were asked about; empty means all namespaces at once.
	In []string
	// Reason is the server's own explanation: untrusted text.
	Reason string
}

// Failed returns how many checks failed.
func (c *Check) Failed() int {
	failed := len(c.Problems)
	if c.StorageProblem != "" {
		failed++
	}
	for _, f := range c.Chat {
		if f.Problem != "" && !f.Degraded {
			failed++
		}
	}
	for _, cluster := range c.Clusters {
		if cluster.Failure != nil || cluster.AccessFailure != nil {
			failed++
		}
		failed += len(cluster.missing())
	}
	return failed
}

func (c CheckedCluster) missing() []Access {
	var missing []Access
	for _, a := range c.Access {
		if !a.Allowed {
			missing = append(missing, a)
		}
	}
	return missing
}

const (
	// clockNoise is a difference that a second's resolution and a slow answer explain.
	clockNoise = 3 * time.Second
	// clockWarning is a difference that makes waiting times lie.
	clockWarning = 30 * time.Second
)

// clock returns how far the cluster's clock is ahead of ours, and false when the server did not tell its time.
func (c CheckedCluster) clock() (time.Duration, bool) {
	if c.Failure != nil || c.Server.Time.IsZero() {
		return 0, false
	}
	return c.Server.Time.Sub(c.Server.LocalTime), true
}
