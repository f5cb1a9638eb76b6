package box

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
)

// The components of a control plane: the first argument with which this binary runs one of them.
const (
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Kwok              = "kwok"
)

// family starts child processes that cannot outlive this one: each holds the read end of a pipe whose write end only this
// process has, and exits when it is closed.
type family struct {
	program string
	leash   *os.File
	hold    *os.File
	start   chan func()
}

func newFamily() (*family, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program's own file: %w", err)
	}
	leash, hold, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make the pipe that ends the children: %w", err)
	}
	f := &family{program: program, leash: leash, hold: hold, start: make(chan func())}
	go f.starter()
	return f, nil
}

// starter starts all children from one thread that lives as long as the program, because Linux's parent-death signal
// fires when the thread that started a child ends.
func (f *family) starter() {
	runtime.LockOSThread()
	for start := range f.start {
		start()
	}
}

// spawn starts cmd.
func (f *family) spawn(cmd *exec.Cmd) error {
	result := make(chan error)
	f.start <- func() { result <- cmd.Start() }
	return <-result
}

// process is one running component of a cluster.
type process struct {
	cluster   string
	component string
	log       string
	cmd       *exec.Cmd
	done      chan struct{}
	ending    atomic.Bool
}

// run starts a component with its output appended to <dir>/<component>.log, and calls died if it ends without having been
// told to. Its environment is minimal, so that nothing of the caller's (proxies, KUBECONFIG, ~/.kwok) changes what it
// does.
func (f *family) run(cluster, component, dir string, args []string, died func(*process)) (*process, error) {
	p := &process{cluster: cluster, component: component, done: make(chan struct{})}
	p.log = filepath.Join(dir, component+".log")
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", component, err)
	}
	defer out.Close()
	p.cmd = exec.Command(f.program, append([]string{component}, args...)...)
	p.cmd.Dir = dir
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	if component != APIServer {
		// They have little to do, and one thread does it with the least ado.
		p.cmd.Env = append(p.cmd.Env, "GOMAXPROCS=1")
	}
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.ExtraFiles = []*os.File{f.leash}
	p.cmd.SysProcAttr = childAttributes()
	if err := f.spawn(p.cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", component, err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in its ProcessState
		close(p.done)
		if !p.ending.Load() {
			died(p)
		}
	}()
	return p, nil
}

// kill ends the process and waits until it is gone. It is SIGKILL, which also ends a stopped process; a control plane
// whose data is deleted next has nothing to save.
func (p *process) kill() {
	p.ending.Store(true)
	_ = p.cmd.Process.Kill()
	<-p.done
}

// alive reports whether the process still runs.
func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// failure says how a process ended and what it said last. The log is quoted because it is deleted with everything else.
func (p *process) failure() error {
	return fmt.Errorf("%s: %s ended (%s). The end of its log:\n%s",
		p.cluster, p.component, p.cmd.ProcessState, tail(p.log, logTailLines))
}
