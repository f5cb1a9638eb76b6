package storage

import (
	"encoding/json"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

const sweepForm = 1

// storedSweep is form 1 of a stored sweep.Result. The stored form stands by itself, so that a domain type can change without
// changing what older programs have written; a new field is a new form. omitzero leaves out nil and keeps what is empty: they are told apart, since a
// system that could not be counted has no counts, and one without releases has none in any state.
type storedSweep struct {
	V            int                 `json:"v"`
	At           time.Time           `json:"at"`
	TookNS       int64               `json:"tookNs,omitzero"`
	Clusters     []storedCluster     `json:"clusters,omitzero"`
	Observations []storedObservation `json:"observations,omitzero"`
	Unreadable   []storedUnreadable  `json:"unreadable,omitzero"`
}

func (s *storedSweep) form() int { return s.V }

type storedCluster struct {
	Name    string                                 `json:"name,omitzero"`
	Labels  map[string]string                      `json:"labels,omitzero"`
	Failure *storedFailure                         `json:"failure,omitzero"`
	TookNS  int64                                  `json:"tookNs,omitzero"`
	Counts  map[checks.System]map[checks.State]int `json:"counts,omitzero"`
}

type storedFailure struct {
	Kind   checks.FailureKind `json:"kind,omitzero"`
	Host   string             `json:"host,omitzero"`
	Detail string             `json:"detail,omitzero"`
	At     time.Time          `json:"at,omitzero"`
}

type storedUnreadable struct {
	Cluster string        `json:"cluster,omitzero"`
	What    string        `json:"what,omitzero"`
	Whole   bool          `json:"whole,omitzero"`
	Failure storedFailure `json:"failure,omitzero"`
}

type storedObservation struct {
	Subject    storedSubject     `json:"subject"`
	State      checks.State      `json:"state,omitzero"`
	Held       bool              `json:"held,omitzero"`
	ReasonID   checks.ReasonID   `json:"reason,omitzero"`
	ReasonArgs map[string]string `json:"reasonArgs,omitzero"`
	Desired    string            `json:"desired,omitzero"`
	Actual     string            `json:"actual,omitzero"`
	Version    string            `json:"version,omitzero"`
	Since      time.Time         `json:"since,omitzero"`
	Owner      checks.Owner      `json:"owner,omitzero"`
	Heartbeat  time.Time         `json:"heartbeat,omitzero"`
	Helm       *storedHelm       `json:"helm,omitzero"`
}

type storedSubject struct {
	Cluster   string        `json:"cluster,omitzero"`
	System    checks.System `json:"system,omitzero"`
	Namespace string        `json:"namespace,omitzero"`
	Name      string        `json:"name,omitzero"`
}

type storedHelm struct {
	Storage  checks.HelmStorage `json:"storage,omitzero"`
	Head     storedHelmRecord   `json:"head,omitzero"`
	Deployed int                `json:"deployed,omitzero"`
}

type storedHelmRecord struct {
	Version         int               `json:"version,omitzero"`
	Label           checks.HelmStatus `json:"label,omitzero"`
	Payload         checks.HelmStatus `json:"payload,omitzero"`
	DecodeError     string            `json:"decodeError,omitzero"`
	Created         time.Time         `json:"created,omitzero"`
	Written         time.Time         `json:"written,omitzero"`
	Managers        []string          `json:"managers,omitzero"`
	ChartName       string            `json:"chartName,omitzero"`
	ChartVersion    string            `json:"chartVersion,omitzero"`
	AppVersion      string            `json:"appVersion,omitzero"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"`
}

func encodeSweep(r sweep.Result) ([]byte, error) {
	return json.Marshal(storedSweep{
		V:            sweepForm,
		At:           r.At.UTC(),
		TookNS:       int64(r.Took),
		Clusters:     convert(r.Clusters, storeCluster),
		Observations: convert(r.Observations, storeObservation),
		Unreadable:   convert(r.Unreadable, storeUnreadable),
	})
}

func decodeSweep(value []byte) (sweep.Result, error) {
	var s storedSweep
	if err := decodeJSON(value, sweepForm, &s); err != nil {
		return sweep.Result{}, err
	}
	return sweep.Result{
		At:           s.At.UTC(),
		Took:         time.Duration(s.TookNS),
		Clusters:     convert(s.Clusters, storedCluster.load),
		Observations: convert(s.Observations, storedObservation.load),
		Unreadable:   convert(s.Unreadable, storedUnreadable.load),
	}, nil
}

// convert maps a list; nil stays nil.
func convert[A, B any](list []A, one func(A) B) []B {
	if list == nil {
		return nil
	}
	converted := make([]B, len(list))
	for i, a := range list {
		converted[i] = one(a)
	}
	return converted
}

func storeCluster(c sweep.Cluster) storedCluster {
	s := storedCluster{Name: c.Name, Labels: c.Labels, TookNS: int64(c.Took), Counts: c.Counts}
	if c.Failure != nil {
		f := storeFailure(*c.Failure)
		s.Failure = &f
	}
	return s
}

func (s storedCluster) load() sweep.Cluster {
	c := sweep.Cluster{Name: s.Name, Labels: s.Labels, Took: time.Duration(s.TookNS), Counts: s.Counts}
	if s.Failure != nil {
		f := s.Failure.load()
		c.Failure = &f
	}
	return c
}

func storeFailure(f checks.Failure) storedFailure {
	return storedFailure{Kind: f.Kind, Host: f.Host, Detail: f.Detail, At: f.At.UTC()}
}

func (s storedFailure) load() checks.Failure {
	return checks.Failure{Kind: s.Kind, Host: s.Host, Detail: s.Detail, At: s.At}
}

func storeUnreadable(u checks.Unreadable) storedUnreadable {
	return storedUnreadable{Cluster: u.Cluster, What: u.What, Whole: u.Whole, Failure: storeFailure(u.Failure)}
}

func (s storedUnreadable) load() checks.Unreadable {
	return checks.Unreadable{Cluster: s.Cluster, What: s.What, Whole: s.Whole, Failure: s.Failure.load()}
}

func storeObservation(o checks.Observation) storedObservation {
	s := storedObservation{
		Subject: storedSubject{
			Cluster: o.Subject.Cluster, System: o.Subject.System, Namespace: o.Subject.Namespace, Name: o.Subject.Name,
		},
		State: o.State, Held: o.Held, ReasonID: o.Reason.ID, ReasonArgs: o.Reason.Args,
		Desired: o.Desired, Actual: o.Actual, Version: o.Version,
		Since: o.Since.UTC(), Owner: o.Owner, Heartbeat: o.Heartbeat.UTC(),
	}
	if o.Helm != nil {
		s.Helm = &storedHelm{Storage: o.Helm.Storage, Head: storeHelmRecord(o.Helm.Head), Deployed: o.Helm.Deployed}
	}
	return s
}

func (s storedObservation) load() checks.Observation {
	o := checks.Observation{
		Subject: checks.Subject{
			Cluster: s.Subject.Cluster, System: s.Subject.System, Namespace: s.Subject.Namespace, Name: s.Subject.Name,
		},
		State: s.State, Held: s.Held, Reason: checks.Reason{ID: s.ReasonID, Args: s.ReasonArgs},
		Desired: s.Desired, Actual: s.Actual, Version: s.Version,
		Since: s.Since, Owner: s.Owner, Heartbeat: s.Heartbeat,
	}
	if s.Helm != nil {
		o.Helm = &checks.HelmFacts{Storage: s.Helm.Storage, Head: s.Helm.Head.load(), Deployed: s.Helm.Deployed}
	}
	return o
}

func storeHelmRecord(r checks.HelmRecord) storedHelmRecord {
	return storedHelmRecord{
		Version: r.Version, Label: r.Label, Payload: r.Payload, DecodeError: r.DecodeError,
		Created: r.Created.UTC(), Written: r.Written.UTC(), Managers: r.Managers,
		ChartName: r.ChartName, ChartVersion: r.ChartVersion, AppVersion: r.AppVersion,
		UID: r.UID, ResourceVersion: r.ResourceVersion,
	}
}

func (s storedHelmRecord) load() checks.HelmRecord {
	return checks.HelmRecord{
		Version: s.Version, Label: s.Label, Payload: s.Payload, DecodeError: s.DecodeError,
		Created: s.Created, Written: s.Written, Managers: s.Managers,
		ChartName: s.ChartName, ChartVersion: s.ChartVersion, AppVersion: s.AppVersion,
		UID: s.UID, ResourceVersion: s.ResourceVersion,
	}
}
