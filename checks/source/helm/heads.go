package helm

import (
	"cmp"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stuckbot/checks"
)

// head is a release's newest record, and what its older ones add.
type head struct {
	object string
	record checks.HelmRecord
	// deployed holds the two newest versions whose label says deployed, newest first: the head itself may be one of them
	// by a label that was edited by hand.
	deployed [2]int
}

// lastDeployed returns the newest version that is labelled deployed, or 0. A head that is locked is not meant, whatever
// its label says.
func (h head) lastDeployed(record checks.HelmRecord) int {
	if h.deployed[0] == record.Version && record.Status() != checks.HelmDeployed {
		return h.deployed[1]
	}
	return h.deployed[0]
}

// heads collects the heads of releases from the metadata of their records, in any order. It keeps one record a release.
type heads struct {
	of map[key]head
	// odd holds records whose revision cannot be told, by namespace.
	odd map[string][]string
}

func newHeads() *heads { return &heads{of: map[key]head{}, odd: map[string][]string{}} }

func (h *heads) add(m *metav1.PartialObjectMetadata) {
	k, ok := release(m)
	if !ok {
		return
	}
	v, ok := version(m)
	if !ok {
		h.odd[m.Namespace] = append(h.odd[m.Namespace], m.Name)
		return
	}
	current := h.of[k]
	if checks.HelmStatus(m.Labels["status"]) == checks.HelmDeployed {
		current.deployed = newest(current.deployed, v)
	}
	if v >= current.record.Version {
		current.object = m.Name
		current.record = slim(m, v)
	}
	h.of[k] = current
}

// newest adds v to the two newest versions; a list that began again may show the same version twice.
func newest(two [2]int, v int) [2]int {
	switch {
	case v > two[0]:
		return [2]int{v, two[0]}
	case v < two[0] && v > two[1]:
		return [2]int{two[0], v}
	default:
		return two
	}
}

// slim leaves out what a deployed or superseded record is never asked for: who wrote it is read from its managed fields,
// which costs more than everything else, and nine of ten records are superseded.
func slim(m *metav1.PartialObjectMetadata, v int) checks.HelmRecord {
	switch status := checks.HelmStatus(m.Labels["status"]); status {
	case checks.HelmDeployed, checks.HelmSuperseded:
		return checks.HelmRecord{Version: v, Label: status, Created: m.CreationTimestamp.UTC(), UID: string(m.UID), ResourceVersion: m.ResourceVersion}
	default:
		return describe(m, v)
	}
}

func (h *heads) keep(want func(head) bool) {
	maps.DeleteFunc(h.of, func(_ key, candidate head) bool { return !want(candidate) })
}

func (h *heads) sorted() []key {
	return slices.SortedFunc(maps.Keys(h.of), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
}
