// Package kubetest is the tests' door to real Kubernetes control planes, which kubebox runs. One kubebox serves a whole run
// of the tests: `make test` starts it and runs every test below it. Each test takes a namespace or a cluster of its own.
package kubetest

import (
	"context"
	"crypto/rand"
	"os"
	"os/exec"
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

// Shared names the clusters that all tests share; a test keeps to namespaces of its own there.
const Shared = "shared-a"

// Cluster is a running control plane, with an administrator's rights.
type Cluster struct {
	// Name is the cluster's name and that of its context.
	Name string
	// Kubeconfig is a file with this context alone.
	Kubeconfig string
	dir        string
}

// Open returns the cluster that all tests share.
func Open(t testing.TB) *Cluster {
	t.Helper()
	return open(t, Shared)
}

// Fresh starts a cluster for this test alone, which takes some seconds, and ends it with the test.
func Fresh(t testing.TB) *Cluster {
	t.Helper()
	name := "t-" + strings.ToLower(rand.Text()[:10])
	kubebox(t, "add", "--dir", boxDir(t), name)
	t.Cleanup(func() { kubebox(t, "remove", "--dir", boxDir(t), name) })
	return open(t, name)
}

func open(t testing.TB, name string) *Cluster {
	t.Helper()
	config, err := clientcmd.LoadFromFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatalf("kubetest: %v: run the tests with `make test`, which starts the control planes", err)
	}
	if config.Contexts[name] == nil {
		t.Fatalf("kubetest: no context %q in %s: run the tests with `make test`, which starts the control planes", name, os.Getenv("KUBECONFIG"))
	}
	config.CurrentContext = name
	if err := api.MinifyConfig(config); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return &Cluster{Name: name, Kubeconfig: path, dir: boxDir(t)}
}

// boxDir returns the folder of the running kubebox.
func boxDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("KUBEBOX_DIR")
	if dir == "" {
		t.Fatal("kubetest: no control planes are running: run the tests with `make test`, which starts them")
	}
	return dir
}

// kubebox gives an order to the running kubebox.
func kubebox(t testing.TB, args ...string) {
	t.Helper()
	if out, err := exec.Command(os.Getenv("KUBEBOX_BIN"), args...).CombinedOutput(); err != nil {
		t.Errorf("kubebox %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// Order gives the running kubebox an order about this cluster: pause, resume, stop-api or start-api.
func (c *Cluster) Order(t testing.TB, order string) {
	t.Helper()
	kubebox(t, order, "--dir", c.dir, "--cluster", c.Name)
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
	client := c.Client(t)
	name := "t-" + strings.ToLower(rand.Text()[:10])
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
