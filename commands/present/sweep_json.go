package present

import (
	"encoding/json"
	"io"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

// The JSON of a sweep. Field names and meanings are stable: other programs read them.
type sweepJSON struct {
	At           string            `json:"at"`
	Clusters     []clusterJSON     `json:"clusters"`
	Observations []observationJSON `json:"observations"`
	Unreadable   []unreadableJSON  `json:"unreadable"`
}

type clusterJSON struct {
	Name      string `json:"name"`
	Reachable bool   `json:"reachable"`
	// Error is a sentence, or null.
	Error  *string `json:"error"`
	TookMs int64   `json:"tookMs"`
	// Counts lacks a system that could not be counted to its end.
	Counts map[checks.System]map[checks.State]int `json:"counts"`
}

type observationJSON struct {
	Subject   checks.Subject `json:"subject"`
	State     checks.State   `json:"state"`
	Held      bool           `json:"held"`
	Desired   string         `json:"desired"`
	Actual    string         `json:"actual"`
	Version   string         `json:"version"`
	Since     *string        `json:"since"`
	Heartbeat *string        `json:"heartbeat"`
	Owner     checks.Owner   `json:"owner"`
	Summary   string         `json:"summary"`
}

type unreadableJSON struct {
	Cluster string `json:"cluster"`
	What    string `json:"what"`
	Error   string `json:"error"`
}

// SweepJSON writes a sweep for programs. Names are as the cluster gave them; sentences are cleaned.
func (p *Printer) SweepJSON(w io.Writer, r *sweep.Result) error {
	out := sweepJSON{At: moment(r.At), Clusters: []clusterJSON{}, Observations: []observationJSON{}, Unreadable: []unreadableJSON{}}
	for _, c := range r.Clusters {
		out.Clusters = append(out.Clusters, p.clusterJSON(c, r.At))
	}
	for _, o := range r.Observations {
		out.Observations = append(out.Observations, observationJSON{
			Subject: o.Subject, State: o.State, Held: o.Held,
			Desired: o.Desired, Actual: o.Actual, Version: o.Version,
			Since: momentOrNull(o.Since), Heartbeat: momentOrNull(o.Heartbeat),
			Owner: o.Owner, Summary: p.Summary(o, r.At),
		})
	}
	for _, u := range r.Unreadable {
		out.Unreadable = append(out.Unreadable, unreadableJSON{u.Cluster, u.What, p.Failure(u.Failure, r.At)})
	}
	return writeJSON(w, out)
}

func (p *Printer) clusterJSON(c sweep.Cluster, now time.Time) clusterJSON {
	out := clusterJSON{Name: c.Name, Reachable: c.Failure == nil, TookMs: c.Took.Milliseconds(), Counts: c.Counts}
	if out.Counts == nil {
		out.Counts = map[checks.System]map[checks.State]int{}
	}
	if c.Failure != nil {
		sentence := p.Failure(*c.Failure, now)
		out.Error = &sentence
	}
	return out
}

func momentOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := moment(t)
	return &text
}

// writeJSON writes indented JSON. The encoder replaces what is no UTF-8.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
