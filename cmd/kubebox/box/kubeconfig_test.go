package box

import (
	"errors"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

func TestKubeconfigKeepsWhatPeopleChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := writeKubeconfig(path, "/box", map[string]access{"a": {server: "https://a"}, "b": {server: "https://b"}}, "a"); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// As kubectl rewrites the file: comments would be lost, extensions stay.
	config.CurrentContext = "b"
	config.Contexts["mine"] = config.Contexts["b"].DeepCopy()
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	if err := writeKubeconfig(path, "/box", map[string]access{"c": {server: "https://c"}}, "c"); err != nil {
		t.Fatal(err)
	}
	if err := writeKubeconfig(path, "/box", nil, "", "a"); err != nil {
		t.Fatal(err)
	}
	config, err = clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if config.CurrentContext != "b" {
		t.Errorf("the current context is %q, want what was chosen", config.CurrentContext)
	}
	for name, want := range map[string]bool{"a": false, "b": true, "c": true, "mine": true} {
		if got := config.Contexts[name] != nil; got != want {
			t.Errorf("it has the context %s: %v, want %v", name, got, want)
		}
	}
	if err := removeKubeconfig(path, "/box"); err != nil || exists(path) {
		t.Errorf("it was not deleted: %v", err)
	}
}

func TestForeignKubeconfigIsNeitherWrittenNorDeleted(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own")
	if err := writeKubeconfig(own, "/other-box", nil, ""); err != nil {
		t.Fatal(err)
	}
	people := filepath.Join(t.TempDir(), "people")
	write(t, people, "apiVersion: v1\nkind: Config\n")
	garbage := filepath.Join(t.TempDir(), "garbage")
	write(t, garbage, "\x00\x01 not yaml: [")
	for _, path := range []string{own, people, garbage, t.TempDir()} {
		if err := checkKubeconfig(path, "/box"); !errors.Is(err, ErrKubeconfig) {
			t.Errorf("%s: the error is %v, want %v", path, err, ErrKubeconfig)
		}
		if err := writeKubeconfig(path, "/box", nil, ""); !errors.Is(err, ErrKubeconfig) {
			t.Errorf("%s: the error of writing is %v, want %v", path, err, ErrKubeconfig)
		}
		if err := removeKubeconfig(path, "/box"); err != nil || !exists(path) {
			t.Errorf("%s was deleted (%v)", path, err)
		}
	}
	if err := checkKubeconfig(filepath.Join(t.TempDir(), "new"), "/box"); err != nil {
		t.Errorf("a new file is refused: %v", err)
	}
}
