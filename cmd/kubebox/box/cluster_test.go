package box_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// One box with two clusters does everything that is promised of a box, and leaves nothing behind on SIGTERM.
func TestBox(t *testing.T) {
	t.Parallel()
	p := prepare(t, nil, "--clusters", "a,b").start().ready()
	for _, tt := range []struct {
		name string
		test func(*testing.T, *program)
	}{
		{"kubeconfig gives verified admin access", testKubeconfig},
		{"second box on the directory is refused", testInUse},
		{"accounts have only their rights", testAccounts},
		{"pods with a node run and others stay pending", testPods},
		{"logs are what was set, also of later pods", testLogs},
		{"quota and disruption budgets are enforced", testPolicies},
		{"namespaces can be deleted", testNamespaceDeletion},
		{"API server can hang and answer again", testPause},
		{"API server can go and come back", testStopAPI},
		{"clusters can be added and removed", testAddRemove},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, p) })
	}
	addresses := p.addresses()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	if status := p.wait(); status != 0 {
		t.Errorf("the exit status after SIGTERM is %d, want 0: %s", status, p.stderr.String())
	}
	p.gone(addresses)
}

func restConfig(t *testing.T, p *program, cluster string) *rest.Config {
	t.Helper()
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: p.kubeconfig}, &clientcmd.ConfigOverrides{CurrentContext: cluster})
	config, err := loader.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	return config
}

func clientFor(t *testing.T, config *rest.Config) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func testKubeconfig(t *testing.T, p *program) {
	info, err := os.Stat(p.kubeconfig)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig has mode %v, %v; want 0600", info.Mode(), err)
	}
	for _, cluster := range []string{"a", "b"} {
		config := restConfig(t, p, cluster)
		if config.Insecure || len(config.CAData) == 0 {
			t.Errorf("the server of %s is not verified", cluster)
		}
		client := clientFor(t, config)
		version, err := client.Discovery().ServerVersion()
		if err != nil || !strings.HasPrefix(version.GitVersion, "v1.") {
			t.Errorf("the version of %s is %v, %v", cluster, version, err)
		}
		nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		if err != nil || len(nodes.Items) != 2 {
			t.Errorf("%s has the nodes %v, %v; want two", cluster, nodes, err)
		}
	}
}

func testInUse(t *testing.T, p *program) {
	second := prepare(t, p, "--clusters", "x").start()
	if status := second.wait(); status == 0 {
		t.Error("a second box on the same directory started")
	}
	if err := contains(second.stderr.String(), fmt.Sprintf("by the kubebox with pid %d", p.cmd.Process.Pid)); err != nil {
		t.Error(err)
	}
}

func testAccounts(t *testing.T, p *program) {
	config := restConfig(t, p, "a")
	admin := clientFor(t, config)
	token, err := admin.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config.BearerToken = token.Status.Token
	account := clientFor(t, config)
	who, err := account.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil || who.Status.UserInfo.Username != "system:serviceaccount:default:default" {
		t.Errorf("the token is that of %v, %v", who, err)
	}
	if _, err := account.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("an account without rights got %v, want forbidden", err)
	}
}

// web is a Deployment whose pods run on node, or stay pending when it is empty.
func web(name, node string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{
					{Name: "web", Image: "web:1"}, {Name: "sidecar", Image: "sidecar:1"},
				}},
			},
		},
	}
}

func testPods(t *testing.T, p *program) {
	client := clientFor(t, restConfig(t, p, "a"))
	deployments := client.AppsV1().Deployments("default")
	for name, node := range map[string]string{"web": "node-1", "pending": ""} {
		if _, err := deployments.Create(t.Context(), web(name, node, 2), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	await(t, "the deployment to be available", func() error {
		d, err := deployments.Get(t.Context(), "web", metav1.GetOptions{})
		if err == nil && d.Status.AvailableReplicas != 2 {
			err = fmt.Errorf("%d are available", d.Status.AvailableReplicas)
		}
		return err
	})
	await(t, "the other pods to exist", func() error {
		pods, err := client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=pending"})
		if err != nil || len(pods.Items) != 2 {
			return fmt.Errorf("there are %d, %w", len(pods.Items), err)
		}
		for _, pod := range pods.Items {
			if pod.Status.Phase != corev1.PodPending {
				t.Errorf("%s without a node is %s", pod.Name, pod.Status.Phase)
			}
		}
		return nil
	})
}

// testLogs needs the pods of testPods.
func testLogs(t *testing.T, p *program) {
	client := clientFor(t, restConfig(t, p, "a"))
	pods := client.CoreV1().Pods("default")
	list, err := pods.List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("no pods: %v", err)
	}
	read := func(pod string, options corev1.PodLogOptions) string {
		t.Helper()
		text, err := pods.GetLogs(pod, &options).DoRaw(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := list.Items[0].Name
	if got := read(first, corev1.PodLogOptions{Container: "web"}); got != "" {
		t.Errorf("a log that was not set is %q, want an empty one", got)
	}
	set := func(text string, args ...string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.mustOrder(t, "logs", append([]string{"--cluster", "a", "--namespace", "default", "--selector", "app=web", file}, args...)...)
	}
	set("plain\n2020-01-01T00:00:00Z stderr F cri")
	set("before\n", "--container", "web", "--previous")
	for _, pod := range list.Items {
		for _, container := range []string{"web", "sidecar"} {
			if got, want := read(pod.Name, corev1.PodLogOptions{Container: container}), "plain\ncri\n"; got != want {
				t.Errorf("the log of %s/%s is %q, want %q", pod.Name, container, got, want)
			}
		}
	}
	if got := read(first, corev1.PodLogOptions{Container: "web", Previous: true}); got != "before\n" {
		t.Errorf("the previous log is %q", got)
	}
	set("only web\n", "--container", "web")
	if err := pods.Delete(t.Context(), first, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, "a later pod to have the log", func() error {
		list, err := pods.List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
		if err != nil || len(list.Items) != 2 {
			return fmt.Errorf("there are %d pods, %w", len(list.Items), err)
		}
		for _, pod := range list.Items {
			stream, err := pods.GetLogs(pod.Name, &corev1.PodLogOptions{Container: "web"}).Stream(t.Context())
			if err != nil {
				return err
			}
			text, _ := io.ReadAll(stream)
			_ = stream.Close()
			if pod.Name == first || string(text) != "only web\n" {
				return fmt.Errorf("the log of %s is %q", pod.Name, text)
			}
		}
		return nil
	})
}

// testPolicies needs the pods of testPods.
func testPolicies(t *testing.T, p *program) {
	client := clientFor(t, restConfig(t, p, "a"))
	all := intstr.FromInt32(2)
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: &all, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		},
	}
	if _, err := client.PolicyV1().PodDisruptionBudgets("default").Create(t.Context(), budget, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pods, err := client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil || len(pods.Items) == 0 {
		t.Fatalf("no pods: %v", err)
	}
	err = client.PolicyV1().Evictions("default").Evict(t.Context(), &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Name: pods.Items[0].Name, Namespace: "default"},
	})
	if !apierrors.IsTooManyRequests(err) {
		t.Errorf("an eviction against the budget got %v, want 429", err)
	}
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "none"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourceConfigMaps: resource.MustParse("0")}},
	}
	if _, err := client.CoreV1().ResourceQuotas("kube-public").Create(t.Context(), quota, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, "the quota to be enforced", func() error {
		_, err := client.CoreV1().ConfigMaps("kube-public").Create(t.Context(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if apierrors.IsForbidden(err) && strings.Contains(err.Error(), "exceeded quota") {
			return nil
		}
		return fmt.Errorf("it got %w", err)
	})
}

func testNamespaceDeletion(t *testing.T, p *program) {
	namespaces := clientFor(t, restConfig(t, p, "b")).CoreV1().Namespaces()
	if _, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := namespaces.Delete(t.Context(), "shop", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, "the namespace to go", func() error {
		_, err := namespaces.Get(t.Context(), "shop", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is still there (%w)", err)
	})
}

func testPause(t *testing.T, p *program) {
	config := restConfig(t, p, "b")
	p.mustOrder(t, "pause", "--cluster", "b")
	address, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.DialTimeout("tcp", address.Host, 5*time.Second)
	if err != nil {
		t.Errorf("a paused server does not accept connections: %v", err)
	} else {
		_ = conn.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := clientFor(t, config).CoreV1().Nodes().List(ctx, metav1.ListOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a paused server answered %v", err)
	}
	if out, err := p.order("logs", "--cluster", "b", "--namespace", "x", "--selector", "", os.DevNull); err == nil || !strings.Contains(out, "its API server is paused") {
		t.Errorf("an order to a paused cluster said %q, %v", out, err)
	}
	p.mustOrder(t, "resume", "--cluster", "b")
	if _, err := clientFor(t, config).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the server does not answer after the pause: %v", err)
	}
}

func testStopAPI(t *testing.T, p *program) {
	client := clientFor(t, restConfig(t, p, "b"))
	p.mustOrder(t, "stop-api", "--cluster", "b")
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a stopped server gave %v, want connection refused", err)
	}
	if out, err := p.order("stop-api", "--cluster", "b"); err == nil || !strings.Contains(out, "its API server is stopped") {
		t.Errorf("to stop it again said %q, %v", out, err)
	}
	p.mustOrder(t, "start-api", "--cluster", "b")
	if _, err := client.AppsV1().Deployments("default").Create(t.Context(), web("web", "node-2", 1), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, "controllers and nodes to work again", func() error {
		d, err := client.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
		if err == nil && d.Status.AvailableReplicas != 1 {
			err = errors.New("it is not available")
		}
		return err
	})
}

func testAddRemove(t *testing.T, p *program) {
	if out := p.mustOrder(t, "add", "c"); out != "ready\n" {
		t.Errorf("add said %q, want only ready", out)
	}
	config := restConfig(t, p, "c")
	if _, err := clientFor(t, config).CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"c": "cluster c already exists", "C!": "bad cluster name", "etcd": "kubebox uses it itself"} {
		if out, err := p.order("add", name); err == nil || !strings.Contains(out, want) {
			t.Errorf("add %s said %q, %v; want %q", name, out, err, want)
		}
	}
	p.mustOrder(t, "add", "--if-missing", "c")
	p.mustOrder(t, "remove", "c")
	address, _ := url.Parse(config.Host)
	if !refused(address.Host) {
		t.Error("the removed cluster still answers")
	}
	if _, err := os.Stat(filepath.Join(p.dir, "c")); !os.IsNotExist(err) {
		t.Errorf("the folder of the removed cluster is still there: %v", err)
	}
	written, err := clientcmd.LoadFromFile(p.kubeconfig)
	if err != nil || written.Contexts["c"] != nil || written.Contexts["a"] == nil {
		t.Errorf("the kubeconfig has the contexts %v, %v", written.Contexts, err)
	}
	if out, err := p.order("remove", "c"); err == nil || !strings.Contains(out, "no such cluster: c") {
		t.Errorf("to remove it again said %q, %v", out, err)
	}
}
