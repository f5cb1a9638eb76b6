package kubetest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// errNoProgram is the reason when there is no kubebox to run, with the remedy.
var errNoProgram = errors.New("there is no kubebox: run the tests with `make test`, or `make bin/kubebox` first")

// box is a running kubebox.
type box struct {
	program    string
	dir        string
	kubeconfig string
	// process is nil when somebody else started it.
	process *exec.Cmd
}

// own is this test binary's own kubebox, which the first test that needs it starts. It is not ended with that test, because
// the next one needs it: Main ends it, and without Main it ends by itself soon after the process that started it.
var own struct {
	sync.Mutex
	box *box
	err error
}

func ownBox() (*box, error) {
	own.Lock()
	defer own.Unlock()
	if own.box == nil && own.err == nil {
		var program string
		if program, own.err = findProgram(); own.err == nil {
			own.box, own.err = startBox(program, Shared)
		}
	}
	return own.box, own.err
}

// Main runs the tests of a package and then, if they started a kubebox of their own, waits until nothing of it is left. A
// package with many such tests calls it: func TestMain(m *testing.M) { os.Exit(kubetest.Main(m)) }.
func Main(m *testing.M) int {
	status := m.Run()
	own.Lock()
	defer own.Unlock()
	if own.box == nil {
		return status
	}
	if err := own.box.stop(); err != nil {
		fmt.Fprintf(os.Stderr, "kubetest: %v\n", err)
		return max(status, 1)
	}
	return status
}

// running returns the kubebox of this run.
func running(t testing.TB) *box {
	t.Helper()
	if dir := os.Getenv("KUBEBOX_DIR"); dir != "" {
		program, err := findProgram()
		if err != nil {
			t.Fatalf("kubetest: %v", err)
		}
		return &box{program: program, dir: dir, kubeconfig: os.Getenv("KUBECONFIG")}
	}
	b, err := ownBox()
	if err != nil {
		t.Fatalf("kubetest: %v", err)
	}
	return b
}

// findProgram returns $KUBEBOX_BIN, or bin/kubebox of the module that the test runs in.
func findProgram() (string, error) {
	if program := os.Getenv("KUBEBOX_BIN"); program != "" {
		return exec.LookPath(program)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("look for kubebox: %w", err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if program, err := exec.LookPath(filepath.Join(dir, "bin", "kubebox")); err == nil {
			return program, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errNoProgram
		}
	}
}

// startBox starts a kubebox and returns when its clusters are ready.
func startBox(program string, clusters ...string) (*box, error) {
	parent, err := os.MkdirTemp("", "kubetest-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for kubebox: %w", err)
	}
	// kubebox deletes only a folder that it made itself.
	if err := os.Remove(parent); err != nil {
		return nil, fmt.Errorf("make a folder for kubebox: %w", err)
	}
	b := &box{program: program, dir: parent, kubeconfig: filepath.Join(parent, "kubeconfig")}
	b.process = exec.Command(program, "up", "--dir", b.dir, "--kubeconfig", b.kubeconfig, "--clusters", strings.Join(clusters, ","))
	var said bytes.Buffer
	b.process.Stderr = &said
	out, err := b.process.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start kubebox: %w", err)
	}
	if err := b.process.Start(); err != nil {
		return nil, fmt.Errorf("start kubebox: %w", err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			return b, nil
		}
	}
	err = b.process.Wait()
	return nil, fmt.Errorf("kubebox ended before it was ready (%w):\n%s", err, said.String())
}

// stop ends a kubebox and waits until nothing of it is left.
func (b *box) stop() error {
	if err := b.process.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop kubebox: %w", err)
	}
	return b.process.Wait()
}

// order gives the kubebox an order. Several processes may do so at a time.
func (b *box) order(input, subcommand string, args ...string) error {
	cmd := exec.Command(b.program, append([]string{subcommand, "--dir", b.dir}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("kubebox %s %s: %w\n%s", subcommand, strings.Join(args, " "), err, out)
	}
	return nil
}

func (b *box) mustOrder(t testing.TB, input, subcommand string, args ...string) {
	t.Helper()
	if err := b.order(input, subcommand, args...); err != nil {
		t.Fatal(err)
	}
}
