package present

import (
	"io"
	"time"

	"stuckbot/checks"
)

// The JSON of a check.
type checkJSON struct {
	At       string             `json:"at"`
	OK       bool               `json:"ok"`
	Config   checkedFileJSON    `json:"config"`
	Storage  checkedFileJSON    `json:"storage"`
	Chat     []chatFindingJSON  `json:"chat"`
	Warnings []string           `json:"warnings"`
	Clusters []checkClusterJSON `json:"clusters"`
}

type checkedFileJSON struct {
	// Path is null when there is no configuration.
	Path     *string  `json:"path"`
	Problems []string `json:"problems"`
}

type chatFindingJSON struct {
	What    string  `json:"what"`
	OK      bool    `json:"ok"`
	Problem *string `json:"problem"`
	Advice  *string `json:"advice"`
	// Degraded says that the bot works all the same, only worse.
	Degraded bool `json:"degraded"`
}

type checkClusterJSON struct {
	Name      string  `json:"name"`
	Reachable bool    `json:"reachable"`
	Error     *string `json:"error"`
	// Version is empty when the account may not read it.
	Version string `json:"version"`
	// ClockAheadSeconds is negative when the cluster's clock is behind ours, and null when it is not known.
	ClockAheadSeconds *int64           `json:"clockAheadSeconds"`
	Permissions       []permissionJSON `json:"permissions"`
}

type permissionJSON struct {
	Verb       string   `json:"verb"`
	Group      string   `json:"group"`
	Resource   string   `json:"resource"`
	Namespaces []string `json:"namespaces"`
	Allowed    bool     `json:"allowed"`
	Why        string   `json:"why"`
	Reason     string   `json:"reason"`
}

// CheckJSON writes a check for programs.
func (p *Printer) CheckJSON(w io.Writer, c *Check) error {
	out := checkJSON{
		At: moment(c.At), OK: c.Failed() == 0,
		Config:   checkedFileJSON{Path: textOrNull(c.File), Problems: notNull(c.Problems)},
		Storage:  checkedFileJSON{Path: textOrNull(c.Storage), Problems: []string{}},
		Warnings: notNull(p.warnings(c)),
		Clusters: []checkClusterJSON{},
		Chat:     []chatFindingJSON{},
	}
	for _, f := range c.Chat {
		out.Chat = append(out.Chat, chatFindingJSON{f.What, f.Problem == "", textOrNull(f.Problem), textOrNull(f.Advice), f.Degraded})
	}
	if c.StorageProblem != "" {
		out.Storage.Problems = []string{c.StorageProblem}
	}
	for _, cluster := range c.Clusters {
		out.Clusters = append(out.Clusters, p.checkClusterJSON(cluster, c.At))
	}
	return writeJSON(w, out)
}

func (p *Printer) checkClusterJSON(c CheckedCluster, now time.Time) checkClusterJSON {
	out := checkClusterJSON{Name: c.Name, Reachable: c.Failure == nil, Version: c.Server.Version, Permissions: []permissionJSON{}}
	for _, failure := range []*checks.Failure{c.Failure, c.AccessFailure} {
		if failure != nil {
			out.Error = textOrNull(p.Failure(*failure, now))
		}
	}
	if ahead, known := c.clock(); known {
		seconds := int64(ahead / time.Second)
		out.ClockAheadSeconds = &seconds
	}
	for _, a := range c.Access {
		out.Permissions = append(out.Permissions, permissionJSON{
			Verb: a.Verb, Group: a.Group, Resource: a.Resource, Namespaces: notNull(a.In), Allowed: a.Allowed,
			Why: p.Text(ID(a.Why), nil), Reason: a.Reason,
		})
	}
	return out
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func notNull(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
