package box_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// deadline bounds every wait of these tests. It is generous: a loaded machine is slow, and no test waits without need.
const deadline = 90 * time.Second

// kubebox is the program under test.
var kubebox string

// TestMain uses the program that $KUBEBOX_BIN names, as `make test` built it, or builds it.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if kubebox = os.Getenv("KUBEBOX_BIN"); kubebox != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "kubebox-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	kubebox = filepath.Join(dir, "kubebox")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", kubebox, "..")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build kubebox:", err)
		return 1
	}
	return m.Run()
}

// program is a started `kubebox up`.
type program struct {
	t              *testing.T
	dir            string
	kubeconfig     string
	cmd            *exec.Cmd
	stdout, stderr output
	ended          chan struct{}
}

// prepare makes `kubebox up` with a directory that does not exist yet, or with that of before.
func prepare(t *testing.T, before *program, args ...string) *program {
	t.Helper()
	p := &program{t: t, ended: make(chan struct{})}
	if before != nil {
		p.dir, p.kubeconfig = before.dir, before.kubeconfig
	} else {
		p.dir, p.kubeconfig = filepath.Join(t.TempDir(), "box"), filepath.Join(t.TempDir(), "kubeconfig")
	}
	p.cmd = exec.Command(kubebox, append([]string{"up", "--dir", p.dir, "--kubeconfig", p.kubeconfig}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	return p
}

// underShell makes a shell the parent of kubebox, so that the parent can be killed.
func (p *program) underShell() *program {
	// The second command keeps the shell from becoming kubebox itself.
	p.cmd.Path, p.cmd.Args = "/bin/sh", append([]string{"sh", "-c", `"$@"; :`, "sh"}, p.cmd.Args...)
	return p
}

func (p *program) start() *program {
	p.t.Helper()
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	p.t.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		<-p.ended
	})
	return p
}

// ready waits for the line that says so.
func (p *program) ready() *program {
	p.t.Helper()
	await(p.t, "kubebox to be ready", func() error {
		if strings.Contains("\n"+p.stdout.String(), "\nready\n") {
			return nil
		}
		select {
		case <-p.ended:
			p.t.Fatalf("kubebox ended instead of becoming ready: %s", p.stderr.String())
		default:
		}
		return fmt.Errorf("it said:\n%s", p.stderr.String())
	})
	return p
}

// wait waits for the end and returns the exit status.
func (p *program) wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(deadline):
		p.t.Fatalf("kubebox does not end; it said:\n%s", p.stderr.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// order runs another subcommand on the same directory and returns its output, of which errors are a part.
func (p *program) order(subcommand string, args ...string) (string, error) {
	out, err := exec.Command(kubebox, append([]string{subcommand, "--dir", p.dir}, args...)...).CombinedOutput()
	return string(out), err
}

func (p *program) mustOrder(t *testing.T, subcommand string, args ...string) string {
	t.Helper()
	out, err := p.order(subcommand, args...)
	if err != nil {
		t.Fatalf("kubebox %s: %s", subcommand, out)
	}
	return out
}

// processes returns the command lines of all running processes that belong to the box.
func (p *program) processes() []string {
	out, err := exec.Command("ps", "-axwwo", "pid=,args=").Output()
	if err != nil {
		p.t.Fatalf("list the processes: %v", err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, p.dir) && !strings.Contains(line, "<defunct>") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

var portFlag = regexp.MustCompile(`--(?:secure-port=|node-port=|etcd-servers=http://127\.0\.0\.1:)(\d+)`)

// addresses returns where the box's processes listen.
func (p *program) addresses() []string {
	var found []string
	for _, m := range portFlag.FindAllStringSubmatch(strings.Join(p.processes(), "\n"), -1) {
		if m[1] != "0" {
			found = append(found, net.JoinHostPort("127.0.0.1", m[1]))
		}
	}
	return found
}

// gone waits until nothing is left of the box: no process, no port and no file.
func (p *program) gone(addresses []string) {
	p.t.Helper()
	await(p.t, "the processes to end", func() error {
		if left := p.processes(); len(left) > 0 {
			return fmt.Errorf("still there: %s", strings.Join(left, "\n"))
		}
		return nil
	})
	for _, address := range addresses {
		if !refused(address) {
			p.t.Errorf("somebody still listens on %s", address)
		}
	}
	for _, path := range []string{p.dir, p.kubeconfig} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			p.t.Errorf("%s is still there (%v)", path, err)
		}
	}
}

func refused(address string) bool {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err == nil {
		_ = c.Close()
		return false
	}
	return strings.Contains(err.Error(), "refused")
}

// await polls until look succeeds.
func await(t *testing.T, what string, look func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		err := look()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("waited too long for %s: %v", what, err)
		case <-tick.C:
		}
	}
}

// output is a buffer that can be read while a process writes it.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
