package main

import (
	"context"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stuckbot": main, crashingBot: crash})
}

// result is what a run of the program left behind.
type result struct {
	code           int
	stdout, stderr string
}

// execute runs the program in this process, as main does, with nothing but env as its environment.
func execute(t *testing.T, env map[string]string, args ...string) result {
	t.Helper()
	var stdout, stderr strings.Builder
	lookup := func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
	code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr, lookup)
	return result{code, stdout.String(), stderr.String()}
}

// TestScripts runs the program as a command, with exit statuses, files and a real environment.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("KUBECONFIG", e.WorkDir+"/kubeconfig")
			return nil
		},
	})
}
