package helm

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

// namespaceList lists a cluster's namespaces once for all storages that need them.
type namespaceList struct {
	reader checks.ObjectReader
	scope  sweep.Scope

	once       sync.Once
	names      []string
	unreadable []checks.Unreadable
}

// get returns the namespaces that exist, or those from the configuration where the list is forbidden, and false when
// neither is there.
func (n *namespaceList) get(ctx context.Context) ([]string, bool) {
	n.once.Do(func() {
		q := checks.Query{Resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}}
		err := n.reader.ListMetadata(ctx, q, func(m *metav1.PartialObjectMetadata) error {
			n.names = append(n.names, m.Name)
			return nil
		})
		if err != nil {
			n.names = n.scope.Namespaces
			if len(n.names) == 0 {
				n.unreadable = []checks.Unreadable{{Cluster: n.scope.Cluster, What: "namespaces", Failure: checks.AsFailure(err)}}
			}
		}
		slices.Sort(n.names)
		n.names = slices.Compact(n.names)
	})
	return n.names, len(n.names) > 0
}

// eachNamespace reads one namespace after the other, a few side by side. forbidden is the answer to listing them all.
func (r *reading) eachNamespace(ctx context.Context, forbidden error) {
	names, ok := r.namespaces.get(ctx)
	if !ok {
		r.fail("", forbidden)
		return
	}
	var group errgroup.Group
	group.SetLimit(namespacesAtOnce)
	for _, name := range names {
		group.Go(func() error {
			r.all(ctx, name, nil)
			return nil
		})
	}
	_ = group.Wait() // the goroutines return no errors
}
