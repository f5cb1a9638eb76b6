// Package checkstest has a checks.Reader whose cluster lives in memory, for tests of sources: it is fast and can fail on
// command. The tests that prove it against a real API server are those of the sources, which run on both.
package checkstest

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stuckbot/checks"
)

// Reader is a cluster in memory. Fill it before use.
type Reader struct {
	// Objects maps a plural resource name to its objects.
	Objects map[string][]*unstructured.Unstructured
	// Info is what Server answers.
	Info checks.Server
	// Fail, if set, is asked before each call and may return its error or wait. name is empty for lists.
	Fail func(ctx context.Context, verb, resource, namespace, name string) error

	mu    sync.Mutex
	calls []string
}

var _ checks.Reader = (*Reader)(nil)

// Close does nothing; it makes the Reader a sweep.Conn.
func (r *Reader) Close() {}

// Add adds objects of one resource.
func (r *Reader) Add(resource string, objects ...*unstructured.Unstructured) {
	if r.Objects == nil {
		r.Objects = map[string][]*unstructured.Unstructured{}
	}
	r.Objects[resource] = append(r.Objects[resource], objects...)
}

// Calls returns the calls so far as "verb resource namespace/name selector".
func (r *Reader) Calls() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.calls...)
}

func (r *Reader) call(ctx context.Context, verb, resource, namespace, name, selector string) error {
	r.mu.Lock()
	r.calls = append(r.calls, strings.TrimSpace(verb+" "+resource+" "+namespace+"/"+name+" "+selector))
	r.mu.Unlock()
	if r.Fail != nil {
		if err := r.Fail(ctx, verb, resource, namespace, name); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return &checks.Failure{Kind: checks.FailureTimeout, Detail: err.Error(), Err: err}
	}
	return nil
}

// ListMetadata implements checks.ObjectReader.
func (r *Reader) ListMetadata(ctx context.Context, q checks.Query, each func(*metav1.PartialObjectMetadata) error) error {
	return r.list(ctx, "list-metadata", q, func(o *unstructured.Unstructured) error {
		m := new(metav1.PartialObjectMetadata)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, m); err != nil {
			return err
		}
		return each(m)
	})
}

// List implements checks.ObjectReader.
func (r *Reader) List(ctx context.Context, q checks.Query, each func(*unstructured.Unstructured) error) error {
	return r.list(ctx, "list", q, func(o *unstructured.Unstructured) error { return each(o.DeepCopy()) })
}

func (r *Reader) list(ctx context.Context, verb string, q checks.Query, each func(*unstructured.Unstructured) error) error {
	if err := r.call(ctx, verb, q.Resource.Resource, q.Namespace, "", q.LabelSelector); err != nil {
		return err
	}
	selector, err := labels.Parse(q.LabelSelector)
	if err != nil {
		return err
	}
	for _, o := range r.Objects[q.Resource.Resource] {
		if q.Namespace != "" && o.GetNamespace() != q.Namespace || !selector.Matches(labels.Set(o.GetLabels())) {
			continue
		}
		if err := each(o); err != nil {
			return err
		}
	}
	return nil
}

// Get implements checks.ObjectReader.
func (r *Reader) Get(ctx context.Context, resource schema.GroupVersionResource, namespace, name string) (*unstructured.Unstructured, error) {
	if err := r.call(ctx, "get", resource.Resource, namespace, name, ""); err != nil {
		return nil, err
	}
	for _, o := range r.Objects[resource.Resource] {
		if o.GetNamespace() == namespace && o.GetName() == name {
			return o.DeepCopy(), nil
		}
	}
	return nil, &checks.Failure{Kind: checks.FailureNotFound, Detail: resource.Resource + " " + name + " not found"}
}

// Server implements checks.ServerReader.
func (r *Reader) Server(ctx context.Context) (checks.Server, error) {
	if err := r.call(ctx, "server", "", "", "", ""); err != nil {
		return checks.Server{}, err
	}
	info := r.Info
	if info.LocalTime.IsZero() {
		info.LocalTime = time.Now().UTC()
	}
	return info, nil
}

// Resources implements checks.ServerReader.
func (r *Reader) Resources(ctx context.Context) ([]checks.Resource, error) {
	return nil, r.call(ctx, "resources", "", "", "", "")
}

// Logs implements checks.ServerReader: there are none.
func (r *Reader) Logs(ctx context.Context, q checks.LogQuery) (io.ReadCloser, error) {
	if err := r.call(ctx, "logs", "pods", q.Namespace, q.Pod, ""); err != nil {
		return nil, err
	}
	return nil, &checks.Failure{Kind: checks.FailureNotFound, Detail: "no log of pod " + q.Pod}
}
