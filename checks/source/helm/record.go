package helm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stuckbot/checks"
)

const namePrefix = "sh.helm.release.v1."

// key identifies a release within one storage of one cluster.
type key struct{ namespace, name string }

// version returns the revision of a record, from its label or, where that was edited away, from the object's name.
func version(m *metav1.PartialObjectMetadata) (int, bool) {
	texts := []string{m.Labels["version"]}
	if i := strings.LastIndex(m.Name, ".v"); i >= 0 {
		texts = append(texts, m.Name[i+len(".v"):])
	}
	for _, text := range texts {
		if v, err := strconv.Atoi(text); err == nil && v > 0 {
			return v, true
		}
	}
	return 0, false
}

// release returns the release that a record belongs to, and false for an object that is no record of Helm 3.
func release(m *metav1.PartialObjectMetadata) (key, bool) {
	if !strings.HasPrefix(m.Name, namePrefix) {
		return key{}, false
	}
	if name := m.Labels["name"]; name != "" {
		return key{m.Namespace, name}, true
	}
	rest := m.Name[len(namePrefix):]
	if i := strings.LastIndex(rest, ".v"); i > 0 {
		return key{m.Namespace, rest[:i]}, true
	}
	return key{}, false
}

// describe reads what metadata says of a record.
func describe(m *metav1.PartialObjectMetadata, version int) checks.HelmRecord {
	r := checks.HelmRecord{
		Version: version,
		Label:   checks.HelmStatus(m.Labels["status"]),
		Created: m.CreationTimestamp.UTC(),
		UID:     string(m.UID), ResourceVersion: m.ResourceVersion,
	}
	if m.CreationTimestamp.IsZero() {
		r.Created = time.Time{}
	}
	r.Managers, r.Written = payloadManagers(m.ManagedFields)
	return r
}

// payloadManagers returns who wrote the payload, newest first, and when it was last written. A manager that only changed a
// label (a hand-edited status) neither deployed the release nor is a sign of its life.
func payloadManagers(fields []metav1.ManagedFieldsEntry) ([]string, time.Time) {
	writers := slices.DeleteFunc(slices.Clone(fields), func(f metav1.ManagedFieldsEntry) bool { return !ownsPayload(f.FieldsV1) })
	slices.SortStableFunc(writers, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Compare(unix(b.Time), unix(a.Time))
	})
	var names []string
	var last time.Time
	for _, w := range writers {
		if !slices.Contains(names, w.Manager) {
			names = append(names, w.Manager)
		}
		if w.Time != nil && w.Time.After(last) {
			last = w.Time.UTC()
		}
	}
	return names, last
}

func ownsPayload(fields *metav1.FieldsV1) bool {
	if fields == nil {
		return false
	}
	var owned map[string]json.RawMessage
	if json.Unmarshal(fields.GetRawBytes(), &owned) != nil {
		return false
	}
	_, data := owned["f:data"]
	return data
}

func unix(t *metav1.Time) int64 {
	if t == nil {
		return 0
	}
	return t.Unix()
}

// owner names who deploys a release, from the managers of its head's payload. Helm's CLI, and everything that runs it
// (pipelines, k3s's helm-install jobs, Rancher's shell), writes as "Helm"; programs that embed Helm write under their
// own name.
func owner(managers []string) checks.Owner {
	if len(managers) == 0 {
		return checks.OwnerUnknown
	}
	name := strings.ToLower(managers[0])
	for _, known := range []struct {
		part  string
		owner checks.Owner
	}{
		{"fleet", checks.OwnerFleet},
		{"helm-controller", checks.OwnerFlux},
		{"terraform", checks.OwnerTerraform},
		{"argocd", checks.OwnerArgoCD},
		{"argo-cd", checks.OwnerArgoCD},
		{"rancher", checks.OwnerRancher},
	} {
		if strings.Contains(name, known.part) {
			return known.owner
		}
	}
	if name == "helm" {
		return checks.OwnerCLI
	}
	return checks.OwnerUnknown
}
