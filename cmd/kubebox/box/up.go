package box

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options say what to run.
type Options struct {
	// Dir is the directory for everything that kubebox writes. It is made when it does not exist.
	Dir string
	// Kubeconfig is the file to write, with one context per cluster.
	Kubeconfig string
	// Clusters are the names of the clusters to start with.
	Clusters []string
	// Command is run once everything is ready, and the box ends with it; empty to run until a signal.
	Command []string
	// Timeout bounds the start of each cluster.
	Timeout time.Duration
	// Signals ends the box, or is passed on to the command.
	Signals <-chan os.Signal
	// Stdin and Stdout are the command's. Without one, "ready" is written to Stdout.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// complete checks the options and makes the paths absolute.
func (o *Options) complete() error {
	if err := validNames(o.Clusters); err != nil {
		return err
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return fmt.Errorf("make the directory absolute: %w", err)
	}
	if o.Kubeconfig, err = filepath.Abs(o.Kubeconfig); err != nil {
		return fmt.Errorf("make the kubeconfig's path absolute: %w", err)
	}
	return nil
}

// Up runs clusters until it is told to stop, its parent dies, one of its parts dies, or the command ends. Then nothing of
// it is left. The error is an ExitStatus when the command failed, and nil when Up was told to stop.
func Up(o Options) (err error) {
	if err := o.complete(); err != nil {
		return err
	}
	began := time.Now()
	b, err := open(o)
	if err != nil {
		return err
	}
	defer func() {
		if left := b.close(); left != nil {
			err = errors.Join(err, left)
			return
		}
		b.say("stopped; nothing is left of it")
	}()
	var cmd command
	go b.obey(o.Signals, &cmd)
	go watchParent(b.ctx, func() { b.cancel(errOrphaned) })

	if err := b.launch(o.Clusters); err != nil {
		return asked(b.reason(err))
	}
	s, err := serve(b)
	if err != nil {
		return err
	}
	defer s.close()
	names := cmp.Or(strings.Join(o.Clusters, ", "), "no clusters yet")
	b.say("ready in %.1fs: %s in %s", time.Since(began).Seconds(), names, o.Kubeconfig)
	if len(o.Command) > 0 {
		err := cmd.run(b.ctx, b.family, o)
		b.cancel(errStopped)
		return asked(err)
	}
	fmt.Fprintln(o.Stdout, "ready")
	<-b.ctx.Done()
	return asked(context.Cause(b.ctx))
}

// reason returns why the box ended, which err may be only a consequence of, or err when it has not ended.
func (b *box) reason(err error) error {
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	return err
}

// asked turns an end that was asked for into no error.
func asked(err error) error {
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// open claims the directory and checks that the kubeconfig can be written, before anything is started for it.
func open(o Options) (*box, error) {
	if err := checkKubeconfig(o.Kubeconfig, o.Dir); err != nil {
		return nil, err
	}
	family, err := newFamily()
	if err != nil {
		return nil, err
	}
	home, err := claim(o.Dir, o.Kubeconfig)
	if err != nil {
		return nil, err
	}
	// Only now, because the kubeconfig's folder may be the directory that was just made.
	if _, err := os.Stat(filepath.Dir(o.Kubeconfig)); err != nil {
		return nil, errors.Join(fmt.Errorf("the folder of the kubeconfig: %w", err), home.release())
	}
	b := &box{
		home: home, kubeconfig: o.Kubeconfig, timeout: o.Timeout, family: family,
		say: printer(o.Stderr), clusters: map[string]*member{},
	}
	b.ctx, b.cancel = context.WithCancelCause(context.Background())
	if home.stale != 0 {
		b.say("deleted what the kubebox with pid %d left when it was killed", home.stale)
	}
	return b, nil
}

// printer writes lines for people, one at a time.
func printer(w io.Writer) func(string, ...any) {
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(w, format+"\n", args...)
	}
}

// obey passes signals on to the command, or ends the box when there is none.
func (b *box) obey(signals <-chan os.Signal, cmd *command) {
	for {
		select {
		case <-b.ctx.Done():
			return
		case s := <-signals:
			if cmd.signal(s) {
				continue
			}
			b.say("stopping: %s", s)
			b.cancel(errStopped)
		}
	}
}

// Ends of a box that are not its own failures.
var (
	errStopped  = errors.New("kubebox was told to stop")
	errOrphaned = errors.New("the process that started kubebox is gone")
)
