package helm_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"stuckbot/checks"
	"stuckbot/checks/kube"
	"stuckbot/checks/kube/kubetest"
	"stuckbot/checks/source/helm/helmtest"
)

// reader connects to a cluster with a kubeconfig, as the program does.
func reader(t *testing.T, kubeconfig string) *kube.Client {
	t.Helper()
	set, err := kube.NewSet([]kube.Config{{Kubeconfig: kubeconfig}}, kube.Options{Guarded: true})
	if err != nil {
		t.Fatal(err)
	}
	clusters, err := set.Clusters()
	if err != nil {
		t.Fatal(err)
	}
	client, err := clusters[0].Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func create(t *testing.T, c *kubetest.Cluster, resource string, o *unstructured.Unstructured) {
	t.Helper()
	client, err := dynamic.NewForConfig(c.Config(t))
	if err != nil {
		t.Fatal(err)
	}
	gvr := schema.GroupVersionResource{Version: "v1", Resource: resource}
	if _, err := client.Resource(gvr).Namespace(o.GetNamespace()).Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// runHelm runs the real Helm command line and returns what it printed.
func runHelm(t *testing.T, kubeconfig string, args ...string) string {
	t.Helper()
	c := helmCommand(t, kubeconfig, args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("helm %v: %v\n%s", args, err, errs.String())
	}
	return string(out)
}

func helmCommand(t *testing.T, kubeconfig string, args ...string) *exec.Cmd {
	t.Helper()
	bin := os.Getenv("HELM_BIN")
	if bin == "" {
		t.Fatal("HELM_BIN is not set: run the tests with `make test`, which builds Helm's command line")
	}
	c := exec.CommandContext(t.Context(), bin, args...)
	c.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	return c
}

func TestH1EveryRecordStateOnARealAPIServer(t *testing.T) {
	c := kubetest.Open(t)
	r := reader(t, c.Kubeconfig)
	for _, storage := range []checks.HelmStorage{checks.HelmSecrets, checks.HelmConfigMaps} {
		t.Run(string(storage), func(t *testing.T) {
			namespace := c.Namespace(t)
			for _, state := range stateCases() {
				for _, record := range state.named(namespace, state.name, storage) {
					create(t, c, record.Resource(), record.Object())
				}
			}
			shallow, _ := observe(t, r, false)
			deep, _ := observe(t, r, true)
			for _, state := range stateCases() {
				got := shallow
				if state.deep {
					got = deep
				}
				checkState(t, state, checks.Subject{Cluster: "c", System: checks.SystemHelm, Namespace: namespace, Name: state.name}, got)
			}
			var want []string
			for _, state := range stateCases() {
				if state.pending {
					want = append(want, state.name)
				}
			}
			slices.Sort(want)
			driver := "secret"
			if storage == checks.HelmConfigMaps {
				driver = "configmap"
			}
			t.Setenv("HELM_DRIVER", driver)
			oracle := strings.Fields(runHelm(t, c.Kubeconfig, "list", "-n", namespace, "--pending", "--uninstalling", "-m", "0", "-q"))
			if slices.Sort(oracle); !slices.Equal(oracle, want) {
				t.Errorf("Helm itself lists %v\nthe table says      %v", oracle, want)
			}
			var found []string
			for subject, said := range deep {
				if subject.Namespace == namespace && said.State == checks.PendingUpgrade {
					found = append(found, subject.Name)
				}
			}
			if slices.Sort(found); !slices.Equal(found, oracle) {
				t.Errorf("the sweep lists %v\nHelm lists      %v", found, oracle)
			}
		})
	}
}

// chart writes a chart whose workload becomes ready, or never does.
func chart(t *testing.T, ready bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "web")
	node := "      nodeName: node-1\n"
	if !ready {
		node = ""
	}
	files := map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.3\n",
		"templates/all.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}", finalizers: {{ .Values.finalizers | default list | toJson }}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}, annotations: {revision: "{{ .Release.Revision }}"}}
    spec:
` + node + `      containers: [{name: web, image: "registry.invalid/web:1"}]
`,
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// killWhile starts Helm and kills it once the head of the release has this status and its writes are done.
func killWhile(t *testing.T, c *kubetest.Cluster, release, status string, args ...string) {
	t.Helper()
	command := helmCommand(t, c.Kubeconfig, args...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- command.Wait() }()
	client := c.Client(t)
	for {
		select {
		case err := <-exited:
			t.Fatalf("helm %v ended before it could be killed: %v\n%s", args, err, output.String())
		case <-time.After(50 * time.Millisecond): // there is no event for another process's progress but what it wrote
		}
		list, err := client.CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm,name=" + release + ",status=" + status})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Items) == 0 {
			continue
		}
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-exited
		return
	}
}

func TestSweepEqualsHelmAfterRealOperationsWereKilled(t *testing.T) {
	c := kubetest.Fresh(t)
	r := reader(t, c.Kubeconfig)
	good, bad := chart(t, true), chart(t, false)
	runHelm(t, c.Kubeconfig, "install", "healthy", good, "--wait")
	for _, name := range []string{"upgraded", "cured", "leaving"} {
		args := []string{"install", name, good, "--wait"}
		if name == "leaving" {
			args = append(args, "--set", "finalizers={stuckbot.io/test}")
		}
		runHelm(t, c.Kubeconfig, args...)
	}
	killWhile(t, c, "upgraded", "pending-upgrade", "upgrade", "upgraded", bad, "--wait")
	killWhile(t, c, "cured", "pending-upgrade", "upgrade", "cured", bad, "--wait")
	killWhile(t, c, "first", "pending-install", "install", "first", bad, "--wait")
	killWhile(t, c, "leaving", "uninstalling", "uninstall", "leaving", "--wait")

	check := func(when string, want ...string) {
		t.Helper()
		said, unreadable := observe(t, r, false)
		if len(unreadable) > 0 {
			t.Errorf("%s: unreadable: %v", when, unreadable)
		}
		var found []string
		for subject, s := range said {
			if s.State == checks.PendingUpgrade {
				found = append(found, subject.Name)
			}
		}
		slices.Sort(found)
		oracle := strings.Fields(runHelm(t, c.Kubeconfig, "list", "-A", "--pending", "-m", "0", "-q"))
		oracle = append(oracle, strings.Fields(runHelm(t, c.Kubeconfig, "list", "-A", "--uninstalling", "-m", "0", "-q"))...)
		slices.Sort(oracle)
		if !slices.Equal(found, want) || !slices.Equal(oracle, want) {
			t.Errorf("%s: the sweep lists %v, Helm %v, want %v", when, found, oracle, want)
		}
	}
	check("after the kills", "cured", "first", "leaving", "upgraded")
	runHelm(t, c.Kubeconfig, "rollback", "cured", "1", "--wait")
	check("after the rollback", "first", "leaving", "upgraded")
	record, err := c.Client(t).CoreV1().Secrets("default").Get(t.Context(), "sh.helm.release.v1.cured.v2", metav1.GetOptions{})
	if err != nil || record.Labels["status"] != "pending-upgrade" {
		t.Errorf("the rolled-back release's old record: %v, %v; want it to be there, still pending", record.Labels, err)
	}
}

func TestARealAccountIsToldWhatItMayNotRead(t *testing.T) {
	c := kubetest.Open(t)
	home, open, closed := c.Namespace(t), c.Namespace(t), c.Namespace(t)
	for _, namespace := range []string{open, closed} {
		create(t, c, "secrets", helmtest.Record{Namespace: namespace, Name: "web", Version: 1, Status: checks.HelmPendingInstall}.Object())
	}
	kubeconfig := c.Account(t, home, "bot")
	c.AllowEverywhere(t, home, "bot", rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"list"}})
	c.Allow(t, home, "bot", open, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets", "configmaps"}, Verbs: []string{"get", "list"}})
	said, unreadable := observe(t, reader(t, kubeconfig), false)
	subject := checks.Subject{Cluster: "c", System: checks.SystemHelm, Namespace: open, Name: "web"}
	if len(said) != 1 || said[subject].State != checks.PendingUpgrade {
		t.Errorf("read %v, want the release of the open namespace alone", said)
	}
	var whats []string
	for _, u := range unreadable {
		if u.Failure.Kind != checks.FailureForbidden {
			t.Errorf("%s: %s", u.What, u.Failure.Kind)
		}
		whats = append(whats, u.What)
	}
	for _, want := range []string{"secrets in namespace " + closed, "configmaps in namespace " + closed} {
		if !slices.Contains(whats, want) {
			t.Errorf("promise 10: %q is missing among %q", want, whats)
		}
	}
}
