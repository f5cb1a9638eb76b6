package box

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/kwok/kustomize/crd"
	"sigs.k8s.io/yaml"
)

// nodeNames are the simulated nodes of every cluster. A pod runs when its spec names one of them: there is no scheduler.
var nodeNames = []string{"node-1", "node-2"}

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// populate starts the controllers and the simulated nodes of a cluster whose API server is ready, and waits for them.
func (c *cluster) populate(ctx context.Context) error {
	if err := c.launch(ControllerManager, c.controllerFlags()); err != nil {
		return err
	}
	if err := c.defineLogs(ctx); err != nil {
		return err
	}
	if err := c.launch(Kwok, c.kwokFlags()); err != nil {
		return err
	}
	if err := c.makeNodes(ctx); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return c.awaitControllers(ctx) })
	g.Go(func() error { return c.awaitNodes(ctx) })
	g.Go(func() error { return c.awaitKubelet(ctx) })
	return g.Wait()
}

// defineLogs defines the kind with which kwok is told about the logs of a pod.
func (c *cluster) defineLogs(ctx context.Context) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(crd.Logs, &object.Object); err != nil {
		return fmt.Errorf("read kwok's definition: %w", err)
	}
	if _, err := c.dynamic.Resource(crdResource).Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("define %s: %w", object.GetName(), err)
	}
	// The client must not retry by itself: at first the API server asks for a pause of a second where a moment is enough.
	path := "/apis/" + logsResource.GroupVersion().String() + "/" + logsResource.Resource
	return c.await(ctx, APIServer, "the kinds of kwok", func(ctx context.Context) error {
		return c.client.Discovery().RESTClient().Get().AbsPath(path).MaxRetries(0).Do(ctx).Error()
	})
}

func (c *cluster) makeNodes(ctx context.Context) error {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("8"),
		corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	for _, name := range nodeNames {
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				corev1.LabelHostname:   name,
				corev1.LabelOSStable:   "linux",
				corev1.LabelArchStable: "amd64",
			}},
			Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity},
		}
		if _, err := c.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make %s: %w", name, err)
		}
	}
	return nil
}

// awaitControllers waits for the first thing that the controllers do in every cluster, which also needs the namespace
// default: its service account.
func (c *cluster) awaitControllers(ctx context.Context) error {
	return c.await(ctx, ControllerManager, "the controllers", func(ctx context.Context) error {
		_, err := c.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

func (c *cluster) awaitNodes(ctx context.Context) error {
	return c.await(ctx, Kwok, "the nodes", func(ctx context.Context) error {
		nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, node := range nodes.Items {
			if !nodeReady(node) {
				return fmt.Errorf("%s is not ready", node.Name)
			}
		}
		return nil
	})
}

func nodeReady(node corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// awaitKubelet waits for the server from which the API server reads logs.
func (c *cluster) awaitKubelet(ctx context.Context) error {
	client, err := rest.HTTPClientFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{CAData: c.admin.ca}})
	if err != nil {
		return fmt.Errorf("make the client: %w", err)
	}
	defer client.CloseIdleConnections()
	url := "https://" + c.kubeletPort.address() + "/healthz"
	return c.await(ctx, Kwok, "the log server", func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return errors.New(response.Status)
		}
		return nil
	})
}
