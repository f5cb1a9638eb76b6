package checks

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Reader is everything a source may ask of one cluster. checks/kube implements it on a live cluster and checks/evidence
// on a bundle, so that both go through the same code. All errors are or wrap a *Failure.
type Reader interface {
	ObjectReader
	ServerReader
}

// ObjectReader reads objects.
type ObjectReader interface {
	// ListMetadata calls each for every matching object, page by page; only metadata crosses the wire. An error of each
	// ends the list and is returned. When a list expires half-way it is begun again, so each may see an object twice.
	ListMetadata(ctx context.Context, q Query, each func(*metav1.PartialObjectMetadata) error) error
	// List is ListMetadata with whole objects: only where metadata is not enough.
	List(ctx context.Context, q Query, each func(*unstructured.Unstructured) error) error
	// Get reads one object.
	Get(ctx context.Context, resource schema.GroupVersionResource, namespace, name string) (*unstructured.Unstructured, error)
}

// ServerReader reads what is not an object.
type ServerReader interface {
	// Server asks the server who and when it is.
	Server(ctx context.Context) (Server, error)
	// Resources lists the kinds that the server serves.
	Resources(ctx context.Context) ([]Resource, error)
	// Logs opens the log of a container; the caller closes it.
	Logs(ctx context.Context, q LogQuery) (io.ReadCloser, error)
}

// Query selects objects of one resource.
type Query struct {
	Resource schema.GroupVersionResource
	// Namespace is empty for all namespaces.
	Namespace     string
	LabelSelector string
	FieldSelector string
	// PageSize is the number of objects per request; 0 means 500.
	PageSize int64
}

// LogQuery selects the log of one container.
type LogQuery struct {
	Namespace, Pod, Container string
	// Previous selects the container's last terminated instance.
	Previous bool
	// TailLines and LimitBytes bound what is read; 0 means no bound of that sort.
	TailLines, LimitBytes int64
}

// Server is what an API server says of itself.
type Server struct {
	// Version is the Kubernetes version, for example "v1.37.2"; empty when the account may not read it.
	Version string
	// Time is the server's clock when it answered, to the second; LocalTime is ours at the same moment.
	Time, LocalTime time.Time
}

// Resource is a kind that a server serves.
type Resource struct {
	schema.GroupVersionKind
	// Name is the resource's plural name, as in paths.
	Name       string
	Namespaced bool
}

// Permission is one thing that an account must be allowed to do, in the words of a SelfSubjectAccessReview.
type Permission struct {
	Verb, Group, Resource string
	// Namespace is empty for all namespaces.
	Namespace string
	// Why says what it is needed for: the id of a catalogue entry.
	Why string
}
