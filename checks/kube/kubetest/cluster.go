package kubetest

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// The names of the clusters that all tests share.
const (
	Shared  = "shared-a"
	SharedB = "shared-b"
)

// Cluster is a running control plane, with an administrator's rights.
type Cluster struct {
	// Name is the cluster's name and that of its context.
	Name string
	// Kubeconfig is a file with this context alone.
	Kubeconfig string

	box *box
	// fresh says that no other test uses the cluster.
	fresh bool
}

// Open returns the cluster that all tests share.
func Open(t testing.TB) *Cluster {
	t.Helper()
	return open(t, Shared)
}

// Second returns another cluster that all tests share, for tests that need several.
func Second(t testing.TB) *Cluster {
	t.Helper()
	return open(t, SharedB)
}

// Fresh starts a cluster for this test alone, which takes some seconds, and ends it with the test.
func Fresh(t testing.TB) *Cluster {
	t.Helper()
	b, name := running(t), unique()
	b.mustOrder(t, "", "add", name)
	t.Cleanup(func() {
		if err := b.order("", "remove", name); err != nil {
			t.Error(err)
		}
	})
	c := open(t, name)
	c.fresh = true
	return c
}

// unique returns a name that no other test has.
func unique() string { return "t-" + strings.ToLower(rand.Text()[:10]) }

func open(t testing.TB, name string) *Cluster {
	t.Helper()
	b := running(t)
	config, err := clientcmd.LoadFromFile(b.kubeconfig)
	if err != nil {
		t.Fatalf("kubetest: %v", err)
	}
	if config.Contexts[name] == nil {
		// Somebody else may be adding it at this moment.
		b.mustOrder(t, "", "add", "--if-missing", name)
		if config, err = clientcmd.LoadFromFile(b.kubeconfig); err != nil {
			t.Fatalf("kubetest: %v", err)
		}
	}
	config.CurrentContext = name
	if err := api.MinifyConfig(config); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return &Cluster{Name: name, Kubeconfig: path, box: b}
}

// Config returns an administrator's client configuration, without a client-side rate limit.
func (c *Cluster) Config(t testing.TB) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	return config
}

// Client returns an administrator's client.
func (c *Cluster) Client(t testing.TB) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.Config(t))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Namespace makes a namespace for this test and deletes it with the test, without waiting.
func (c *Cluster) Namespace(t testing.TB) string {
	t.Helper()
	client, name := c.Client(t), unique()
	_, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if err := client.CoreV1().Namespaces().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	return name
}

// SetLogs sets what the logs of the pods that match a label selector return, now and later; an empty container means all
// of them. text is plain lines, or lines in the form of a kubelet's log files.
func (c *Cluster) SetLogs(t testing.TB, namespace, selector, container, text string) {
	t.Helper()
	c.box.mustOrder(t, text, "logs", "--cluster", c.Name, "--namespace", namespace, "--selector", selector, "--container", container, "-")
}
