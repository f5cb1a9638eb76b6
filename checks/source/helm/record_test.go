package helm

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stuckbot/checks"
)

func TestH4aOwnerIsWhoWroteThePayloadLast(t *testing.T) {
	at := func(minute int) *metav1.Time {
		return &metav1.Time{Time: time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)}
	}
	data := metav1.NewFieldsV1(`{"f:data":{".":{},"f:release":{}}}`)
	label := metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:status":{}}}}`)
	for name, c := range map[string]struct {
		fields []metav1.ManagedFieldsEntry
		want   checks.Owner
		at     *metav1.Time
	}{
		"nobody":                 {nil, checks.OwnerUnknown, nil},
		"command line":           {[]metav1.ManagedFieldsEntry{{Manager: "Helm", Time: at(1), FieldsV1: data}}, checks.OwnerCLI, at(1)},
		"label edited by hand":   {[]metav1.ManagedFieldsEntry{{Manager: "Helm", Time: at(1), FieldsV1: data}, {Manager: "kubectl-patch", Time: at(9), FieldsV1: label}}, checks.OwnerCLI, at(1)},
		"taken over by fleet":    {[]metav1.ManagedFieldsEntry{{Manager: "Helm", Time: at(1), FieldsV1: data}, {Manager: "fleetagent", Time: at(2), FieldsV1: data}}, checks.OwnerFleet, at(2)},
		"flux":                   {[]metav1.ManagedFieldsEntry{{Manager: "helm-controller", Time: at(1), FieldsV1: data}}, checks.OwnerFlux, at(1)},
		"terraform":              {[]metav1.ManagedFieldsEntry{{Manager: "terraform-provider-helm_v2.17.0_x5", Time: at(1), FieldsV1: data}}, checks.OwnerTerraform, at(1)},
		"a program of one's own": {[]metav1.ManagedFieldsEntry{{Manager: "deployer", Time: at(1), FieldsV1: data}}, checks.OwnerUnknown, at(1)},
		"unreadable fields":      {[]metav1.ManagedFieldsEntry{{Manager: "Helm", FieldsV1: metav1.NewFieldsV1("[")}}, checks.OwnerUnknown, nil},
	} {
		managers, written := payloadManagers(c.fields)
		if got := owner(managers); got != c.want {
			t.Errorf("%s: owner %s, want %s", name, got, c.want)
		}
		if c.at == nil && !written.IsZero() || c.at != nil && !written.Equal(c.at.Time) {
			t.Errorf("%s: written at %s, want %v", name, written, c.at)
		}
	}
}

func TestRevisionComesFromTheLabelOrTheName(t *testing.T) {
	for _, c := range []struct {
		object, label string
		want          int
		ok            bool
	}{
		{"sh.helm.release.v1.web.v12", "12", 12, true},
		{"sh.helm.release.v1.web.v12", "", 12, true},
		{"sh.helm.release.v1.web.v12", "x", 12, true},
		{"sh.helm.release.v1.a.v2.v7", "", 7, true},
		{"sh.helm.release.v1.web.v0", "0", 0, false},
		{"sh.helm.release.v1.web.v-1", "-1", 0, false},
		{"sh.helm.release.v1.web", "", 0, false},
		{"", "", 0, false},
	} {
		m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: c.object, Labels: map[string]string{"version": c.label}}}
		if got, ok := version(m); got != c.want || ok != c.ok {
			t.Errorf("%q, label %q: %d, %v; want %d, %v", c.object, c.label, got, ok, c.want, c.ok)
		}
	}
}
