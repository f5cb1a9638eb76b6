package kubetest

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func clientWith(t *testing.T, kubeconfig string) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestAccountsHaveTheRightsThatTheyWereGiven(t *testing.T) {
	t.Parallel()
	c := Open(t)
	home, other := c.Namespace(t), c.Namespace(t)
	account := clientWith(t, c.Account(t, home, "bot"))
	list := func(namespace string) error {
		_, err := account.CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{})
		return err
	}
	if err := list(home); !apierrors.IsForbidden(err) {
		t.Errorf("an account without rights got %v", err)
	}
	read := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"list"}}
	c.Allow(t, home, "bot", home, read)
	if err := list(home); err != nil {
		t.Errorf("what it may do in its namespace got %v", err)
	}
	if err := list(other); !apierrors.IsForbidden(err) {
		t.Errorf("what it may do in one namespace only got %v in another", err)
	}
	c.AllowEverywhere(t, home, "bot", read)
	if err := list(other); err != nil {
		t.Errorf("what it may do everywhere got %v", err)
	}
}

func TestSharedClustersAreDifferentOnes(t *testing.T) {
	t.Parallel()
	uids := map[string]bool{}
	for _, c := range []*Cluster{Open(t), Second(t)} {
		namespace, err := c.Client(t).CoreV1().Namespaces().Get(t.Context(), "kube-system", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		uids[string(namespace.UID)] = true
	}
	if len(uids) != 2 {
		t.Errorf("they have the uids %v", uids)
	}
}

func TestLogsCanBeSet(t *testing.T) {
	t.Parallel()
	c := Open(t)
	namespace := c.Namespace(t)
	pods := c.Client(t).CoreV1().Pods(namespace)
	c.SetLogs(t, namespace, "app=agent", "", "reconcile failed\n")
	_, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "agent", Labels: map[string]string{"app": "agent"}},
		Spec:       corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "agent", Image: "agent:1"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// A pod that exists has its log when SetLogs returns, a later one soon.
	c.SetLogs(t, namespace, "app=agent", "agent", "reconcile failed again\n")
	text, err := pods.GetLogs("agent", &corev1.PodLogOptions{}).DoRaw(t.Context())
	if err != nil || string(text) != "reconcile failed again\n" {
		t.Errorf("the log is %q, %v", text, err)
	}
}

func TestFreshClusterCanFail(t *testing.T) {
	t.Parallel()
	c := Fresh(t)
	namespaces := c.Client(t).CoreV1().Namespaces()
	c.Pause(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := namespaces.List(ctx, metav1.ListOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a paused API server gave %v", err)
	}
	c.Resume(t)
	if _, err := namespaces.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("after the pause it gave %v", err)
	}
	c.StopAPI(t)
	if _, err := namespaces.List(t.Context(), metav1.ListOptions{}); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a stopped API server gave %v", err)
	}
	c.StartAPI(t)
	if _, err := namespaces.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("after the start it gave %v", err)
	}
}

// A test binary that is run by itself has a kubebox of its own.
func TestOwnBoxLeavesNothing(t *testing.T) {
	t.Parallel()
	program, err := findProgram()
	if err != nil {
		t.Fatal(err)
	}
	b, err := startBox(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(b.dir); !os.IsNotExist(err) {
		t.Errorf("its folder is still there: %v", err)
	}
}

func TestBoxThatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	program, err := findProgram()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := startBox(program, "Bad_Name"); err == nil {
		t.Error("a box with a bad name started")
	}
}
