package kube

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stuckbot/checks"
)

// kubeconfig is a file whose contexts all use one cluster and one user; extra lines go into them.
func kubeconfig(t *testing.T, path string, cluster, user string, contexts ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Config\nclusters:\n- name: c\n  cluster: {server: \"https://127.0.0.1:1\"" + cluster + "}\n")
	b.WriteString("users:\n- name: u\n  user: {token: t" + user + "}\ncontexts:\n")
	for _, c := range contexts {
		fmt.Fprintf(&b, "- {name: %q, context: {cluster: c, user: u}}\n", c)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func names(clusters []*Cluster) []string {
	var all []string
	for _, c := range clusters {
		all = append(all, c.Name)
	}
	return all
}

func TestContextsBecomeClusters(t *testing.T) {
	dir := t.TempDir()
	kubeconfig(t, filepath.Join(dir, "kubeconfig"), "", "", "prod-eu", "prod-us", "arn:aws:eks:eu-west-1:123:cluster/Shop_Prod")
	for name, c := range map[string]struct {
		entry Config
		want  []string
		says  string
	}{
		"named":               {Config{Kubeconfig: "kubeconfig", Contexts: []string{"prod-us", "prod-eu"}}, []string{"prod-eu", "prod-us"}, ""},
		"all, one bad name":   {Config{Kubeconfig: "kubeconfig"}, nil, `add ` + "`names: {\"arn:aws:eks:eu-west-1:123:cluster/Shop_Prod\": shop-prod}`"},
		"all, named":          {Config{Kubeconfig: "kubeconfig", Names: map[string]string{"arn:aws:eks:eu-west-1:123:cluster/Shop_Prod": "shop"}}, []string{"prod-eu", "prod-us", "shop"}, ""},
		"one, named":          {Config{Kubeconfig: "kubeconfig", Contexts: []string{"prod-eu"}, Name: "europe"}, []string{"europe"}, ""},
		"no such context":     {Config{Kubeconfig: "kubeconfig", Contexts: []string{"prod-ap"}}, nil, `no context "prod-ap"; it has: arn`},
		"no such file":        {Config{Kubeconfig: "nope"}, nil, "no such file"},
		"one name for many":   {Config{Kubeconfig: "kubeconfig", Name: "x"}, nil, "fits one context only"},
		"no source":           {Config{}, nil, "exactly one of kubeconfig, kubeconfigDir and inCluster"},
		"two sources":         {Config{Kubeconfig: "kubeconfig", InCluster: true, Name: "x"}, nil, "exactly one of"},
		"name of a bad form":  {Config{Kubeconfig: "kubeconfig", Contexts: []string{"prod-eu"}, Name: "Prod EU"}, nil, `for example "prod-eu"`},
		"in-cluster, no name": {Config{InCluster: true}, nil, "inCluster needs a name"},
		"in-cluster, no pod":  {Config{InCluster: true, Name: "hub"}, nil, "the service account of a pod is needed"},
	} {
		s, err := NewSet([]Config{c.entry}, Options{BaseDir: dir})
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: error %v, want %q", name, err, c.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, _ := s.Clusters()
		if !slices.Equal(names(got), c.want) {
			t.Errorf("%s: %v, want %v", name, names(got), c.want)
		}
	}
}

func TestTwoClustersOfOneNameAreRefused(t *testing.T) {
	dir := t.TempDir()
	kubeconfig(t, filepath.Join(dir, "a"), "", "", "prod")
	kubeconfig(t, filepath.Join(dir, "b"), "", "", "prod")
	_, err := NewSet([]Config{{Kubeconfig: "a"}, {Kubeconfig: "b"}}, Options{BaseDir: dir})
	if err == nil || !strings.Contains(err.Error(), `two clusters are called "prod"`) {
		t.Errorf("error %v", err)
	}
}

func TestAFolderIsReadAgainWhenItChanges(t *testing.T) {
	dir := t.TempDir()
	kubeconfig(t, filepath.Join(dir, "clusters", "a"), "", "", "a")
	kubeconfig(t, filepath.Join(dir, "clusters", ".hidden"), "", "", "hidden")
	s, err := NewSet([]Config{{KubeconfigDir: "clusters"}}, Options{BaseDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := s.Clusters()
	if again, _ := s.Clusters(); first[0] != again[0] {
		t.Error("nothing changed and the files were read again")
	}
	kubeconfig(t, filepath.Join(dir, "clusters", "b"), "", "", "b")
	if got, err := s.Clusters(); err != nil || !slices.Equal(names(got), []string{"a", "b"}) {
		t.Errorf("after a file came: %v, %v", names(got), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "clusters", "b"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Clusters(); err == nil || !slices.Equal(names(got), []string{"a", "b"}) {
		t.Errorf("a broken file: %v, %v; want the last good clusters and an error", names(got), err)
	}
	kubeconfig(t, filepath.Join(dir, "clusters", "b"), "", "", "b2")
	if got, err := s.Clusters(); err != nil || !slices.Equal(names(got), []string{"a", "b2"}) {
		t.Errorf("after the repair: %v, %v", names(got), err)
	}
	// A rotated token of the same length changes nothing but the time.
	path := filepath.Join(dir, "clusters", "a")
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	before, _ := s.Clusters()
	if before[0] == first[0] {
		t.Error("a file with a new time was not read again")
	}
}

func TestAServiceRefusesWhatKubectlTakes(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "ca.crt")
	authority := httptest.NewUnstartedServer(nil)
	authority.StartTLS()
	t.Cleanup(authority.Close)
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Certificate().Raw})
	if err := os.WriteFile(inside, block, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link.crt")); err != nil {
		t.Fatal(err)
	}
	exec := `, exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: aws}`
	for name, c := range map[string]struct {
		cluster, user string
		allow         []string
		rule          string
	}{
		"plain":               {"", "", nil, ""},
		"exec":                {"", exec, nil, "exec"},
		"exec, allowed":       {"", exec, []string{"aws"}, ""},
		"exec, other allowed": {"", exec, []string{"/usr/bin/aws"}, "exec"},
		"auth provider":       {"", ", auth-provider: {name: gcp}", nil, "auth-provider"},
		"no verification":     {", insecure-skip-tls-verify: true", "", nil, "insecure"},
		"CA outside":          {", certificate-authority: /etc/ssl/cert.pem", "", nil, "outside-file"},
		"CA above":            {", certificate-authority: ../ca.crt", "", nil, "outside-file"},
		"CA by a link":        {", certificate-authority: link.crt", "", nil, "outside-file"},
		"CA inside":           {", certificate-authority: " + inside, "", nil, ""},
		"CA inside, relative": {", certificate-authority: ca.crt", "", nil, ""},
		"token file outside":  {"", ", tokenFile: /var/run/token", nil, "outside-file"},
		"key outside":         {"", ", client-key: /root/key.pem", nil, "outside-file"},
	} {
		path := kubeconfig(t, filepath.Join(dir, "kubeconfig"), c.cluster, c.user, "prod")
		s, err := NewSet([]Config{{Kubeconfig: path, AllowCommands: c.allow}}, Options{Guarded: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		clusters, _ := s.Clusters()
		_, err = clusters[0].Connect()
		var guard *GuardError
		if got := errors.As(err, &guard); got != (c.rule != "") {
			t.Errorf("%s: error %v", name, err)
		} else if !got && err != nil {
			t.Errorf("%s: not refused, and it does not work either: %v", name, err)
		} else if got && (guard.Rule != c.rule || checks.KindOf(err) != checks.FailureConfig) {
			t.Errorf("%s: refused for %q, want %q", name, guard.Rule, c.rule)
		}
	}
}

func TestSuggestedNamesAreNames(t *testing.T) {
	for context, want := range map[string]string{
		"arn:aws:eks:eu-west-1:123:cluster/Shop_Prod": "shop-prod",
		"gke_project_europe-west1_main":               "gke-project-europe-west1-main",
		"kubernetes-admin@prod":                       "kubernetes-admin-prod",
		"***":                                         "cluster",
		strings.Repeat("a", 80):                       strings.Repeat("a", 63),
	} {
		if got := SuggestName(context); got != want || checkName(got) != nil {
			t.Errorf("%q: %q, want %q", context, got, want)
		}
	}
}
