package kube

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"stuckbot/checks"
)

const defaultPageSize = 500

// Client is the live checks.Reader of one cluster. It is safe for concurrent use.
type Client struct {
	base      string
	http      *http.Client
	closeIdle func()
	hint      credential
	metadata  metadata.Interface
	dynamic   dynamic.Interface
	discovery *discovery.DiscoveryClient
}

var _ checks.Reader = (*Client)(nil)

// Close closes the client's idle connections.
func (c *Client) Close() { c.closeIdle() }

// ListMetadata implements checks.ObjectReader.
func (c *Client) ListMetadata(ctx context.Context, q checks.Query, each func(*metav1.PartialObjectMetadata) error) error {
	resource := c.metadata.Resource(q.Resource)
	list := func(o metav1.ListOptions) (string, int, func(int) error, error) {
		var page *metav1.PartialObjectMetadataList
		var err error
		if q.Namespace == "" {
			page, err = resource.List(ctx, o)
		} else {
			page, err = resource.Namespace(q.Namespace).List(ctx, o)
		}
		if err != nil {
			return "", 0, nil, err
		}
		return page.Continue, len(page.Items), func(i int) error { return each(&page.Items[i]) }, nil
	}
	return c.pages(q, list)
}

// List implements checks.ObjectReader.
func (c *Client) List(ctx context.Context, q checks.Query, each func(*unstructured.Unstructured) error) error {
	resource := c.dynamic.Resource(q.Resource)
	list := func(o metav1.ListOptions) (string, int, func(int) error, error) {
		var page *unstructured.UnstructuredList
		var err error
		if q.Namespace == "" {
			page, err = resource.List(ctx, o)
		} else {
			page, err = resource.Namespace(q.Namespace).List(ctx, o)
		}
		if err != nil {
			return "", 0, nil, err
		}
		return page.GetContinue(), len(page.Items), func(i int) error { return each(&page.Items[i]) }, nil
	}
	return c.pages(q, list)
}

// pages follows the continue tokens. A token lives for about five minutes; when it has expired the list is begun again
// once, since the tail of an inconsistent list could miss a record that moved.
func (c *Client) pages(q checks.Query, list func(metav1.ListOptions) (string, int, func(int) error, error)) error {
	o := metav1.ListOptions{LabelSelector: q.LabelSelector, FieldSelector: q.FieldSelector, Limit: q.PageSize}
	if o.Limit == 0 {
		o.Limit = defaultPageSize
	}
	restarted := false
	for {
		next, n, item, err := list(o)
		if apierrors.IsResourceExpired(err) && o.Continue != "" && !restarted {
			restarted, o.Continue = true, ""
			continue
		}
		if err != nil {
			return c.failure(err)
		}
		for i := range n {
			if err := item(i); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		o.Continue = next
	}
}

// Get implements checks.ObjectReader.
func (c *Client) Get(ctx context.Context, resource schema.GroupVersionResource, namespace, name string) (*unstructured.Unstructured, error) {
	var object *unstructured.Unstructured
	var err error
	if namespace == "" {
		object, err = c.dynamic.Resource(resource).Get(ctx, name, metav1.GetOptions{})
	} else {
		object, err = c.dynamic.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	}
	return object, c.failure(err)
}

// Server implements checks.ServerReader. The server's time is the Date header of its answer; an account that may not read
// the version still gets the time.
func (c *Client) Server(ctx context.Context) (checks.Server, error) {
	body, header, err := c.raw(ctx, "/version", nil)
	server := checks.Server{LocalTime: time.Now().UTC()}
	if date, perr := http.ParseTime(header.Get("Date")); perr == nil {
		server.Time = date.UTC()
	}
	if err != nil {
		if checks.KindOf(err) == checks.FailureForbidden {
			return server, nil
		}
		return checks.Server{}, err
	}
	defer body.Close()
	var version struct {
		GitVersion string `json:"gitVersion"`
	}
	if err := json.NewDecoder(io.LimitReader(body, 64<<10)).Decode(&version); err != nil {
		return checks.Server{}, &checks.Failure{Kind: checks.FailureMalformed, Host: hostOf(c.base), Err: err,
			Detail: "the answer to /version is not that of a Kubernetes API server"}
	}
	server.Version = version.GitVersion
	return server, nil
}

// Resources implements checks.ServerReader. Groups whose API service is down are left out and make an error beside the
// rest.
func (c *Client) Resources(ctx context.Context) ([]checks.Resource, error) {
	_, lists, err := c.discovery.ServerGroupsAndResourcesWithContext(ctx)
	var all []checks.Resource
	for _, list := range lists {
		gv, perr := schema.ParseGroupVersion(list.GroupVersion)
		if perr != nil {
			continue
		}
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") {
				continue
			}
			all = append(all, checks.Resource{GroupVersionKind: gv.WithKind(r.Kind), Name: r.Name, Namespaced: r.Namespaced})
		}
	}
	return all, c.failure(err)
}

// Logs implements checks.ServerReader.
func (c *Client) Logs(ctx context.Context, q checks.LogQuery) (io.ReadCloser, error) {
	values := url.Values{}
	if q.Container != "" {
		values.Set("container", q.Container)
	}
	if q.Previous {
		values.Set("previous", "true")
	}
	if q.TailLines > 0 {
		values.Set("tailLines", strconv.FormatInt(q.TailLines, 10))
	}
	if q.LimitBytes > 0 {
		values.Set("limitBytes", strconv.FormatInt(q.LimitBytes, 10))
	}
	path := "/api/v1/namespaces/" + url.PathEscape(q.Namespace) + "/pods/" + url.PathEscape(q.Pod) + "/log"
	body, _, err := c.raw(ctx, path, values)
	return body, err
}

// raw does a GET outside the typed clients and returns the headers also when the status is an error.
func (c *Client) raw(ctx context.Context, path string, query url.Values) (io.ReadCloser, http.Header, error) {
	u, err := url.Parse(c.base)
	if err != nil {
		return nil, nil, c.failure(err)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	u.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, c.failure(err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, c.failure(err)
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, response.Header, nil
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10)) // what arrived is enough for the message
	return nil, response.Header, c.failure(statusError(response.StatusCode, text))
}

// statusError turns an error answer into the error that client-go's typed clients return for it.
func statusError(code int, body []byte) error {
	var status metav1.Status
	if json.Unmarshal(body, &status) == nil && status.Kind == "Status" {
		return &apierrors.StatusError{ErrStatus: status}
	}
	return apierrors.NewGenericServerResponse(code, http.MethodGet, schema.GroupResource{}, "", strings.TrimSpace(string(body)), 0, true)
}

func dialer(timeout time.Duration) func(context.Context, string, string) (net.Conn, error) {
	return (&net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}).DialContext
}
