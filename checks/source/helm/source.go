package helm

import (
	"context"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

// maxReads bounds how many non-Active heads of one cluster are read for their payload. The rest is reported by its
// metadata alone, without a chart version.
const maxReads = 200

// Source observes Helm releases. It implements sweep.Source.
type Source struct {
	storages    []checks.HelmStorage
	decodeHeads bool
	// decodes bounds how many payloads are decoded at the same time over all clusters, and with it the memory.
	decodes chan struct{}
}

var _ sweep.Source = (*Source)(nil)

// New builds a Source from a valid Config.
func New(c Config) *Source {
	s := &Source{decodeHeads: c.DecodeHeads, decodes: make(chan struct{}, 4)}
	for _, storage := range c.Storage {
		s.storages = append(s.storages, checks.HelmStorage(storage))
	}
	if len(s.storages) == 0 {
		s.storages = []checks.HelmStorage{checks.HelmSecrets, checks.HelmConfigMaps}
	}
	return s
}

// System implements sweep.Source.
func (s *Source) System() checks.System { return checks.SystemHelm }

// Permissions implements sweep.Source.
func (s *Source) Permissions() []checks.Permission {
	var all []checks.Permission
	for _, storage := range s.storages {
		r := resource(storage).Resource
		all = append(all,
			checks.Permission{Verb: "list", Resource: r, Why: "permission-helm-list"},
			checks.Permission{Verb: "get", Resource: r, Why: "permission-helm-get"})
	}
	return append(all, checks.Permission{Verb: "list", Resource: "namespaces", Why: "permission-namespaces"})
}

func resource(storage checks.HelmStorage) schema.GroupVersionResource {
	if storage == checks.HelmConfigMaps {
		return schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	}
	return schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
}

// Observe implements sweep.Source. The storages are read side by side.
func (s *Source) Observe(ctx context.Context, scope sweep.Scope, r checks.Reader, emit func(checks.Observation)) []checks.Unreadable {
	namespaces := &namespaceList{reader: r, scope: scope}
	readings := make([]*reading, len(s.storages))
	var wg sync.WaitGroup
	for i, storage := range s.storages {
		readings[i] = &reading{source: s, reader: r, scope: scope, storage: storage, namespaces: namespaces, emit: emit}
		wg.Go(func() { readings[i].run(ctx) })
	}
	wg.Wait()
	unreadable := namespaces.unreadable
	for _, reading := range readings {
		unreadable = append(unreadable, reading.unreadable...)
	}
	return unreadable
}

// observation makes what the sweep judges of a head.
func observation(scope sweep.Scope, k key, storage checks.HelmStorage, head checks.HelmRecord, deployed int) checks.Observation {
	o := checks.Observation{
		Subject: checks.Subject{Cluster: scope.Cluster, System: checks.SystemHelm, Namespace: k.namespace, Name: k.name},
		Desired: strconv.Itoa(head.Version),
		Version: head.ChartVersion,
		Since:   head.Created,
		Owner:   owner(head.Managers),
		Helm:    &checks.HelmFacts{Storage: storage, Head: head, Deployed: deployed},
	}
	if head.Status() == checks.HelmUninstalling && !head.Written.IsZero() {
		o.Since = head.Written // the record is as old as its revision; the uninstall began when it was marked
	}
	if deployed > 0 {
		o.Actual = strconv.Itoa(deployed)
	}
	return o
}
