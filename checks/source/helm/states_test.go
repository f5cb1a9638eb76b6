package helm_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stuckbot/checks"
	"stuckbot/checks/checkstest"
	"stuckbot/checks/source/helm"
	"stuckbot/checks/source/helm/helmtest"
	"stuckbot/checks/sweep"
)

// stateCase is a release made of records, and what must be said of it. Every record is fresh, so with a threshold of zero
// nothing is excused by its age.
type stateCase struct {
	name    string
	records []helmtest.Record
	// deep turns decoding of healthy heads on.
	deep bool
	want checks.State
	// absent says that the release is no subject at all.
	absent          bool
	desired, actual string
	reason          checks.ReasonID
	// pending says whether Helm itself calls the release pending or uninstalling.
	pending bool
}

func stateCases() []stateCase {
	type status = checks.HelmStatus
	rec := func(version int, s status) helmtest.Record { return helmtest.Record{Version: version, Status: s} }
	var cases []stateCase
	add := func(c stateCase) { cases = append(cases, c) }
	for _, s := range []status{checks.HelmPendingUpgrade, checks.HelmPendingRollback, checks.HelmUninstalling} {
		reason := checks.ReasonHelmPending
		if s == checks.HelmUninstalling {
			reason = checks.ReasonHelmUninstalling
		}
		add(stateCase{name: string(s) + "-head", records: []helmtest.Record{rec(1, checks.HelmSuperseded), rec(2, checks.HelmDeployed), rec(3, s)},
			want: checks.PendingUpgrade, desired: "3", actual: "2", reason: reason, pending: true})
		add(stateCase{name: string(s) + "-below-healthy-head", records: []helmtest.Record{rec(1, checks.HelmSuperseded), rec(2, s), rec(3, checks.HelmDeployed)},
			want: checks.Active, reason: checks.ReasonHelmDeployed})
		add(stateCase{name: string(s) + "-below-failed-head", records: []helmtest.Record{rec(1, checks.HelmDeployed), rec(2, s), rec(3, checks.HelmFailed)},
			want: checks.Failed, desired: "3", actual: "1", reason: checks.ReasonHelmFailed})
		add(stateCase{name: string(s) + "-nothing-deployed", records: []helmtest.Record{rec(8, checks.HelmSuperseded), rec(9, s)},
			want: checks.PendingUpgrade, desired: "9", reason: reason, pending: true})
	}
	add(stateCase{name: "pending-install-first", records: []helmtest.Record{rec(1, checks.HelmPendingInstall)},
		want: checks.PendingUpgrade, desired: "1", reason: checks.ReasonHelmPendingInstall, pending: true})
	add(stateCase{name: "deployed", records: []helmtest.Record{rec(1, checks.HelmDeployed)}, want: checks.Active, reason: checks.ReasonHelmDeployed})
	add(stateCase{name: "ten-before-nine", records: []helmtest.Record{rec(9, checks.HelmPendingUpgrade), rec(10, checks.HelmDeployed)},
		want: checks.Active, reason: checks.ReasonHelmDeployed})
	add(stateCase{name: "failed", records: []helmtest.Record{rec(1, checks.HelmFailed)}, want: checks.Failed, desired: "1", reason: checks.ReasonHelmFailed})
	add(stateCase{name: "superseded-head", records: []helmtest.Record{rec(1, checks.HelmSuperseded)}, want: checks.Unknown, desired: "1", reason: checks.ReasonHelmSupersededHead})
	add(stateCase{name: "unknown-status", records: []helmtest.Record{rec(1, checks.HelmUnknown)}, want: checks.Unknown, desired: "1", reason: checks.ReasonHelmStatusUnknown})
	add(stateCase{name: "uninstalled-history-kept", records: []helmtest.Record{rec(1, checks.HelmSuperseded), rec(2, checks.HelmUninstalled)}, absent: true})
	add(stateCase{name: "label-pending-payload-deployed", records: []helmtest.Record{{Version: 1, Status: checks.HelmDeployed, Label: checks.HelmPendingUpgrade}},
		want: checks.Active, reason: checks.ReasonHelmLabelEdited})
	add(stateCase{name: "label-failed-payload-pending", records: []helmtest.Record{rec(1, checks.HelmDeployed), {Version: 2, Status: checks.HelmPendingUpgrade, Label: checks.HelmFailed}},
		want: checks.PendingUpgrade, desired: "2", actual: "1", reason: checks.ReasonHelmLabelEdited, pending: true})
	edited := []helmtest.Record{rec(1, checks.HelmDeployed), {Version: 2, Status: checks.HelmPendingUpgrade, Label: checks.HelmDeployed}}
	add(stateCase{name: "label-deployed-payload-pending-deep", records: edited, deep: true,
		want: checks.PendingUpgrade, desired: "2", actual: "1", reason: checks.ReasonHelmLabelEdited, pending: true})
	add(stateCase{name: "label-uninstalled-payload-pending-deep", deep: true,
		records: []helmtest.Record{{Version: 1, Status: checks.HelmPendingUpgrade, Label: checks.HelmUninstalled}},
		want:    checks.PendingUpgrade, desired: "1", reason: checks.ReasonHelmLabelEdited, pending: true})
	add(stateCase{name: "corrupt-pending", records: []helmtest.Record{{Version: 1, Status: checks.HelmPendingUpgrade, Raw: []byte("no gzip, no JSON")}},
		want: checks.Unknown, desired: "1", reason: checks.ReasonHelmStatusUnreadable})
	return cases
}

// named gives the records of a case their release and storage.
func (c stateCase) named(namespace, name string, storage checks.HelmStorage) []helmtest.Record {
	records := slices.Clone(c.records)
	for i := range records {
		records[i].Namespace, records[i].Name, records[i].Storage = namespace, name, storage
	}
	return records
}

// said is what a sweep says of one release, for comparison.
type said struct {
	State           checks.State
	Desired, Actual string
	Reason          checks.ReasonID
}

// observe runs the source on a reader and judges with a threshold of zero.
func observe(t *testing.T, r checks.Reader, deep bool) (map[checks.Subject]said, []checks.Unreadable) {
	t.Helper()
	source := helm.New(helm.Config{DecodeHeads: deep})
	got := map[checks.Subject]said{}
	server, err := r.Server(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	emitted := make(chan checks.Observation, 10_000)
	unreadable := source.Observe(t.Context(), sweep.Scope{Cluster: "c"}, r, func(o checks.Observation) { emitted <- o })
	close(emitted)
	for o := range emitted {
		o = checks.Judge(o, checks.Thresholds{}, server.LocalTime)
		if _, twice := got[o.Subject]; twice {
			t.Errorf("%s was emitted twice", o.Subject)
		}
		got[o.Subject] = said{o.State, o.Desired, o.Actual, o.Reason.ID}
	}
	return got, unreadable
}

func checkState(t *testing.T, c stateCase, subject checks.Subject, got map[checks.Subject]said) {
	t.Helper()
	s, found := got[subject]
	if c.absent {
		if found {
			t.Errorf("%s: said %+v, want nothing", c.name, s)
		}
		return
	}
	want := said{c.want, c.desired, c.actual, c.reason}
	if c.want == checks.Active { // what an Active release runs is not asked for
		s.Desired, s.Actual = "", ""
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("%s (-want +got):\n%s", c.name, diff)
	}
}

func TestH1EveryRecordStateInMemory(t *testing.T) {
	for _, storage := range []checks.HelmStorage{checks.HelmSecrets, checks.HelmConfigMaps} {
		for _, c := range stateCases() {
			t.Run(fmt.Sprintf("%s/%s", storage, c.name), func(t *testing.T) {
				r := &checkstest.Reader{}
				for _, record := range c.named("n", c.name, storage) {
					r.Add(record.Resource(), record.Object())
				}
				got, unreadable := observe(t, r, c.deep)
				if len(unreadable) > 0 {
					t.Errorf("unreadable: %v", unreadable)
				}
				checkState(t, c, checks.Subject{Cluster: "c", System: checks.SystemHelm, Namespace: "n", Name: c.name}, got)
			})
		}
	}
}

func TestForbiddenNamespacesAreSaidAndTheRestIsRead(t *testing.T) {
	r := &checkstest.Reader{}
	for _, ns := range []string{"a", "b", "vault"} {
		r.Add("namespaces", namespace(ns))
		r.Add("secrets", helmtest.Record{Namespace: ns, Name: "web", Version: 1, Status: checks.HelmPendingInstall}.Object())
	}
	r.Fail = func(_ context.Context, verb, resource, namespace, _ string) error {
		if resource == "secrets" && (namespace == "" || namespace == "vault") {
			return &checks.Failure{Kind: checks.FailureForbidden, Detail: "secrets is forbidden"}
		}
		return nil
	}
	got, unreadable := observe(t, r, false)
	if len(got) != 2 {
		t.Errorf("read %d releases, want those of a and b: %v", len(got), got)
	}
	if len(unreadable) != 1 || unreadable[0].What != "secrets in namespace vault" || unreadable[0].Failure.Kind != checks.FailureForbidden {
		t.Errorf("promise 10: unreadable = %+v, want the namespace vault", unreadable)
	}
}

func TestEverythingForbiddenIsNotHealthy(t *testing.T) {
	r := &checkstest.Reader{Fail: func(_ context.Context, verb, _, _, _ string) error {
		if verb == "server" {
			return nil
		}
		return &checks.Failure{Kind: checks.FailureForbidden, Detail: "forbidden"}
	}}
	got, unreadable := observe(t, r, false)
	var whats []string
	for _, u := range unreadable {
		whats = append(whats, u.What)
	}
	slices.Sort(whats)
	want := []string{"configmaps in all namespaces", "namespaces", "secrets in all namespaces"}
	if len(got) != 0 || !slices.Equal(whats, want) {
		t.Errorf("got %v, unreadable %q, want %q", got, whats, want)
	}
}

func TestStuckSetIsFoundWithoutReadingHealthyRecords(t *testing.T) {
	r := &checkstest.Reader{}
	for i := range 100 {
		r.Add("secrets", helmtest.Record{Namespace: "n", Name: fmt.Sprintf("ok-%d", i), Version: 1, Status: checks.HelmDeployed}.Object())
	}
	r.Add("secrets", helmtest.Record{Namespace: "n", Name: "stuck", Version: 1, Status: checks.HelmPendingInstall}.Object())
	observe(t, r, false)
	gets := 0
	for _, call := range r.Calls() {
		if call == "get secrets n/sh.helm.release.v1.stuck.v1" {
			gets++
		} else if call[:3] == "get" {
			t.Errorf("read a record that is not stuck: %s", call)
		}
	}
	if gets != 1 {
		t.Errorf("the stuck record was read %d times, want once", gets)
	}
}

func TestRecordWithoutARevisionIsSaid(t *testing.T) {
	r := &checkstest.Reader{}
	o := helmtest.Record{Namespace: "n", Name: "web", Version: 1, Status: checks.HelmDeployed}.Object()
	o.SetName("sh.helm.release.v1.web.vX")
	o.SetLabels(map[string]string{"owner": "helm", "name": "web", "status": "deployed", "version": "X"})
	r.Add("secrets", o)
	got, unreadable := observe(t, r, false)
	if len(got) != 0 || len(unreadable) != 1 || unreadable[0].Failure.Kind != checks.FailureMalformed {
		t.Errorf("got %v, unreadable %v", got, unreadable)
	}
}
