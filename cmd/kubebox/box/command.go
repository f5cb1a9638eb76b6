package box

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// commandGrace is how long the user's command may take to end after SIGTERM.
const commandGrace = 10 * time.Second

// ExitStatus is the exit status of the user's command, when it is not 0.
type ExitStatus int

// Error says which status it is.
func (s ExitStatus) Error() string { return fmt.Sprintf("the command exited with status %d", int(s)) }

// command is the user's command that runs inside the box.
type command struct {
	mu  sync.Mutex
	cmd *exec.Cmd
}

// run runs the command until it ends, or until ctx ends; then the command is ended, and the error is ctx's cause.
func (c *command) run(ctx context.Context, f *family, o Options) error {
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+o.Kubeconfig, "KUBEBOX_DIR="+o.Dir, "KUBEBOX_BIN="+f.program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Stdin, o.Stdout, o.Stderr
	cmd.SysProcAttr = commandAttributes()
	if err := c.start(ctx, f, cmd); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return exitStatus(err)
	case <-ctx.Done():
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(commandGrace):
		_ = cmd.Process.Kill()
		<-ended
	}
	return context.Cause(ctx)
}

func (c *command) start(ctx context.Context, f *family, cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := f.spawn(cmd); err != nil {
		return fmt.Errorf("run the command: %w", err)
	}
	c.cmd = cmd
	return nil
}

// signal passes a signal on and reports whether there was a command to pass it to.
func (c *command) signal(s os.Signal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cmd != nil && c.cmd.Process.Signal(s) == nil
}

// exitStatus translates how a command ended: with 128 more than the signal that ended it, as shells do.
func exitStatus(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return ExitStatus(128 + int(status.Signal()))
	}
	return ExitStatus(exit.ExitCode())
}
