package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stuckbot/commands/present/presenttest"
)

func TestCheckThroughTheWholeProgramGolden(t *testing.T) {
	a := newAuthority(t)
	serve := func(f *fakeServer) kubeconfig { return kubeconfig{server: start(t, a, nil, f).URL, ca: a.pem()} }
	denied := map[string]bool{"list secrets": true, "get secrets": true, "list namespaces": true}
	narrow := map[string]bool{"list secrets": true, "get configmaps *": true, "list namespaces": true}
	for name, c := range map[string]struct {
		contexts    map[string]kubeconfig
		entry, rest string
		code        int
	}{
		"fine":    {map[string]kubeconfig{"prod-eu": serve(&fakeServer{})}, "", "", exitDone},
		"missing": {map[string]kubeconfig{"prod-eu": serve(&fakeServer{}), "prod-us": serve(&fakeServer{forbidden: denied, ahead: 10*time.Minute + 1500*time.Millisecond})}, "", "", exitFound},
		"namespaces": {map[string]kubeconfig{"prod-eu": serve(&fakeServer{forbidden: narrow})},
			", namespaces: [web, payments]", "", exitFound},
		"one-by-one": {map[string]kubeconfig{"prod-eu": serve(&fakeServer{records: records(), forbidden: map[string]bool{"list secrets *": true, "list secrets web": true}})},
			"", "", exitFound},
		"refused": {map[string]kubeconfig{"prod-eu": {server: "https://" + freePort(t), ca: a.pem()},
			"prod-us": {server: "https://10.0.0.1", user: execUser("aws")}}, "", "", exitFound},
		"storage": {map[string]kubeconfig{"prod-eu": serve(&fakeServer{})}, "", "storage: {path: ./data/stuckbot.db}\n", exitFound},
		"hub":     {map[string]kubeconfig{"prod-eu": serve(&fakeServer{})}, "", "systems: {helm: {}, fleet: {hub: prod-ue}}\n", exitFound},
		"context": {map[string]kubeconfig{"prod-eu": serve(&fakeServer{})}, ", contexts: [prod-us]", "", exitFound},
	} {
		t.Run(name, func(t *testing.T) {
			file := writeConfig(t, c.contexts, c.entry, c.rest)
			dir := filepath.Dir(file)
			before := entries(t, dir)
			r := execute(t, nil, "check", "--config", file, "--cluster-timeout", "10s")
			if r.code != c.code {
				t.Errorf("exit status %d, want %d; %s", r.code, c.code, r.stderr)
			}
			if after := entries(t, dir); after != before {
				t.Errorf("the check left something behind: %s, before %s", after, before)
			}
			presenttest.Golden(t, "check/"+name+".txt", stable(r.stdout, dir))
			if r = execute(t, nil, "check", "--config", file, "-o", "json"); r.code != c.code || !json.Valid([]byte(r.stdout)) {
				t.Errorf("JSON: exit status %d: %s", r.code, r.stdout)
			}
		})
	}
}

func entries(t *testing.T, dir string) string {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(found)
}

func TestCheckReportsAnInvalidConfigurationAsAFailedCheck(t *testing.T) {
	r := execute(t, nil, "check", "--config", "testdata/config/unknown-key.yaml")
	if r.code != exitFound || !strings.Contains(r.stdout, "unknown-key.yaml:5: systems.helm.stuckAftr: no such key") {
		t.Errorf("%+v", r)
	}
}

func TestCheckWarnsOfAReadableKubeconfig(t *testing.T) {
	a := newAuthority(t)
	file := writeConfig(t, map[string]kubeconfig{"prod-eu": {server: start(t, a, nil, &fakeServer{}).URL, ca: a.pem()}}, "", "")
	path := filepath.Join(filepath.Dir(file), "kubeconfig")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := execute(t, nil, "check", "--config", file); r.code != exitDone || !strings.Contains(r.stdout, "chmod 600 "+path) {
		t.Errorf("%+v", r)
	}
}

func TestStorageProblems(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "stuckbot.db")
	if got := storageProblem(file); got != "" {
		t.Errorf("a new database: %s", got)
	}
	writeFile(t, file, "")
	if got := storageProblem(file); got != "" {
		t.Errorf("an old database: %s", got)
	}
	for path, want := range map[string]string{
		dir: "is a folder", filepath.Join(dir, "a", "b.db"): "does not exist", filepath.Join(file, "b.db"): "not a directory",
	} {
		if got := storageProblem(path); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got, err := os.ReadDir(dir); err != nil || len(got) != 1 {
		t.Errorf("something was left behind: %v, %v", got, err)
	}
}
