package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestTheDemoInABrowser starts the demo as `make demo` does and acts as a person on its page. $DEMO_SHOTS, when set, keeps
// the picture that the README shows.
func TestTheDemoInABrowser(t *testing.T) {
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		chromium = "/usr/bin/chromium"
	}
	for _, tool := range []string{chromium, "node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing", tool)
			}
			t.Skipf("SKIPPED: %s is missing", tool)
		}
	}
	bin := os.Getenv("STUCKBOT_BIN")
	if bin == "" {
		t.Fatal("STUCKBOT_BIN is not set: run the tests with `make test`, which builds it")
	}
	temp := t.TempDir()
	demo := exec.Command(bin, "demo", "--listen", "127.0.0.1:0")
	demo.Env = append(os.Environ(), "TMPDIR="+temp)
	demo.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, address := watchDemo(t, demo)
	t.Cleanup(func() { _ = syscall.Kill(-demo.Process.Pid, syscall.SIGKILL) }) // it has ended by then, or the test failed

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var url string
	select {
	case url = <-address:
	case <-ctx.Done():
		t.Fatalf("the demo gave no address:\n%s", said())
	}
	shots := os.Getenv("DEMO_SHOTS")
	if shots == "" {
		shots = t.TempDir()
	}
	person := exec.CommandContext(ctx, "node", "demo.mjs")
	person.Dir = filepath.Join("..", "..", "bot", "sandbox", "clienttest")
	if out, err := npmInstall(ctx, person.Dir); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	person.Env = append(os.Environ(), "SANDBOX_URL="+url, "CHROMIUM="+chromium, "SHOTS="+shots)
	if out, err := person.CombinedOutput(); err != nil {
		t.Errorf("the person on the page: %v\n%s\nthe demo said:\n%s", err, out, said())
	}
	if err := demo.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := demo.Wait(); err != nil {
		t.Errorf("the demo ended with %v:\n%s", err, said())
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("the demo left %v", left)
	}
}

// watchDemo starts the demo and returns what it said so far, and the address once it is said.
func watchDemo(t *testing.T, demo *exec.Cmd) (said func() string, address <-chan string) {
	t.Helper()
	stderr, err := demo.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all bytes.Buffer
	found := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			mu.Lock()
			all.WriteString(lines.Text() + "\n")
			mu.Unlock()
			if url, ok := strings.CutPrefix(lines.Text(), "Open "); ok {
				found <- url
			}
		}
	}()
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}, found
}

// npmInstall brings the pinned packages unless they are there.
func npmInstall(ctx context.Context, dir string) ([]byte, error) {
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err == nil {
		return nil, nil
	}
	c := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
	c.Dir = dir
	return c.CombinedOutput()
}
