package helm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

const (
	// namesPerQuery bounds the length of a label selector, which travels in the request's line.
	namesPerQuery = 50
	// namespacesAtOnce is how many namespaces of one cluster are listed side by side where they must be listed one by one.
	namespacesAtOnce = 8
)

// reading is one reading of one storage of one cluster.
type reading struct {
	source     *Source
	reader     checks.Reader
	scope      sweep.Scope
	storage    checks.HelmStorage
	namespaces *namespaceList
	emit       func(checks.Observation)

	mu         sync.Mutex
	unreadable []checks.Unreadable
	reads      int
}

// run looks for what is stuck first, which a selector answers in milliseconds, and counts the rest afterwards. Where the
// account may not list all namespaces at once, both come from listing them one by one.
func (r *reading) run(ctx context.Context) {
	stuck, err := r.stuck(ctx)
	if checks.KindOf(err) == checks.FailureForbidden {
		r.eachNamespace(ctx, err)
		return
	}
	if err != nil {
		r.fail("", err)
		return
	}
	done := r.report(ctx, stuck, nil)
	if r.scope.StuckOnly && !r.source.decodeHeads {
		return
	}
	r.all(ctx, "", done)
}

// stuck finds the heads that an operation holds: the records whose label says so, and of their releases all records'
// metadata, since an older pending record below a healthy head is history (H1).
func (r *reading) stuck(ctx context.Context) (*heads, error) {
	var statuses []string
	for _, s := range checks.HelmLocks() {
		statuses = append(statuses, string(s))
	}
	candidates := map[string][]string{}
	found := newHeads()
	err := r.list(ctx, "", "owner=helm,status in ("+strings.Join(statuses, ",")+")", func(m *metav1.PartialObjectMetadata) {
		if k, ok := release(m); ok && !slices.Contains(candidates[k.namespace], k.name) {
			candidates[k.namespace] = append(candidates[k.namespace], k.name)
		}
		found.add(m)
	})
	if err != nil {
		return nil, err
	}
	for namespace, names := range candidates {
		for chunk := range slices.Chunk(names, namesPerQuery) {
			selector := "owner=helm,name in (" + strings.Join(chunk, ",") + ")"
			if err := r.list(ctx, namespace, selector, found.add); err != nil {
				return nil, err
			}
		}
	}
	found.keep(func(h head) bool { return h.record.Label.Locks() })
	return found, nil
}

// all lists every record and emits every head but those in done.
func (r *reading) all(ctx context.Context, namespace string, done map[key]bool) {
	found := newHeads()
	if err := r.list(ctx, namespace, "owner=helm", found.add); err != nil {
		r.fail(namespace, err)
		return
	}
	r.report(ctx, found, done)
	for in, names := range found.odd {
		r.add(checks.Unreadable{Cluster: r.scope.Cluster,
			What:    fmt.Sprintf("%d %s in namespace %s whose revision cannot be told, such as %s", len(names), resource(r.storage).Resource, in, names[0]),
			Failure: checks.Failure{Kind: checks.FailureMalformed, Detail: "neither the label version nor the name ends in a number"}})
	}
}

// report emits the heads that are not in done and returns what was emitted.
func (r *reading) report(ctx context.Context, found *heads, done map[key]bool) map[key]bool {
	emitted := map[key]bool{}
	for _, k := range found.sorted() {
		if done[k] {
			continue
		}
		h := found.of[k]
		if h.record.Label == checks.HelmUninstalled && !r.source.decodeHeads {
			continue // its history was kept on purpose; there is nothing left that could be stuck
		}
		record := h.record
		if r.wantsPayload(record) {
			record = r.read(ctx, k, h)
		}
		if record.Status() == checks.HelmUninstalled {
			continue
		}
		emitted[k] = true
		r.emit(observation(r.scope, k, r.storage, record, h.lastDeployed(record)))
	}
	return emitted
}

func (r *reading) wantsPayload(record checks.HelmRecord) bool {
	if r.source.decodeHeads {
		return true
	}
	if record.Label == checks.HelmDeployed {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	return r.reads <= maxReads
}

// read completes a head with its payload. A record that vanished or changed hands meanwhile is told by its metadata; the
// next sweep sees the new head.
func (r *reading) read(ctx context.Context, k key, h head) checks.HelmRecord {
	object, err := r.reader.Get(ctx, resource(r.storage), k.namespace, h.object)
	if err != nil {
		if checks.KindOf(err) != checks.FailureNotFound {
			r.add(checks.Unreadable{Cluster: r.scope.Cluster, Failure: checks.AsFailure(err),
				What: fmt.Sprintf("%s %s in namespace %s", resource(r.storage).Resource, h.object, k.namespace)})
		}
		return h.record
	}
	r.source.decodes <- struct{}{}
	defer func() { <-r.source.decodes }()
	return complete(h.record, object, r.storage)
}

func (r *reading) list(ctx context.Context, namespace, selector string, each func(*metav1.PartialObjectMetadata)) error {
	q := checks.Query{Resource: resource(r.storage), Namespace: namespace, LabelSelector: selector}
	return r.reader.ListMetadata(ctx, q, func(m *metav1.PartialObjectMetadata) error {
		each(m)
		return nil
	})
}

func (r *reading) fail(namespace string, err error) {
	what := resource(r.storage).Resource + " in all namespaces"
	if namespace != "" {
		what = resource(r.storage).Resource + " in namespace " + namespace
	}
	r.add(checks.Unreadable{Cluster: r.scope.Cluster, What: what, Whole: namespace == "", Failure: checks.AsFailure(err)})
}

func (r *reading) add(u checks.Unreadable) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unreadable = append(r.unreadable, u)
}
