package checks

import (
	"cmp"
	"strings"
)

// System is a delivery system whose subjects can be stuck.
type System string

// SystemHelm is Helm: a subject is a release.
const SystemHelm System = "helm"

// Subject is one thing that has a desired and an actual revision. Cluster is the cluster that is stuck, as its people
// call it, not a hub it was read from.
type Subject struct {
	Cluster   string `json:"cluster"`
	System    System `json:"system"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// String returns the subject as people type it: cluster/system/namespace/name.
func (s Subject) String() string {
	return strings.Join([]string{s.Cluster, string(s.System), s.Namespace, s.Name}, "/")
}

// Compare orders subjects by cluster, system, namespace and name.
func (s Subject) Compare(other Subject) int {
	return cmp.Or(
		cmp.Compare(s.Cluster, other.Cluster),
		cmp.Compare(s.System, other.System),
		cmp.Compare(s.Namespace, other.Namespace),
		cmp.Compare(s.Name, other.Name),
	)
}

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }
