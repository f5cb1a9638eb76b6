// Package presenttest compares what people see with golden files under testdata/golden at the repository's root.
package presenttest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A test binary's flags are registered once for the process.
var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Updating reports whether golden files are being written.
func Updating() bool { return *update }

// Golden compares got with testdata/golden/name, or writes it when -update is given.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	File(t, filepath.Join(root(t), "testdata", "golden", filepath.FromSlash(name)), got)
}

// File is Golden for a file of any folder.
func File(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v\nrun the test with -update to write it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got); if this is meant, run with -update and look at the change:\n%s", path, diff)
	}
}

// root finds the repository's root above the package's folder, in which a test runs.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}
