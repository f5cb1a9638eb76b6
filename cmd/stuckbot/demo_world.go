package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"
)

// world is the demo's clusters: child processes and a folder that stop removes.
type world struct {
	dir string
	// config is the bot's configuration for the clusters.
	config string
	box    *exec.Cmd
	exited chan struct{}
	silent net.Listener
}

// startWorld starts the clusters of the scenario and loads it. It says on out what it does.
func startWorld(ctx context.Context, f demoFlags, out io.Writer) (*world, error) {
	kubebox, err := beside(f.kubebox, "kubebox")
	if err != nil {
		return nil, err
	}
	loader, err := beside(f.loader, "scenario")
	if err != nil {
		return nil, err
	}
	scenario := f.scenario
	if scenario == "" {
		scenario = filepath.Join(filepath.Dir(filepath.Dir(kubebox)), "testdata", "scenarios", "helm-releases.yaml")
	}
	names, err := scenarioClusters(scenario)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "stuckbot-demo-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, config: filepath.Join(dir, "bot", "stuckbot.yaml"), exited: make(chan struct{})}
	if err := w.start(ctx, kubebox, loader, scenario, names, out); err != nil {
		return nil, errors.Join(err, w.stop())
	}
	return w, nil
}

func (w *world) start(ctx context.Context, kubebox, loader, scenario string, names []string, out io.Writer) error {
	admin := filepath.Join(w.dir, "admin.kubeconfig")
	fmt.Fprintf(out, "Starting %d Kubernetes control planes: %s\n", len(names), strings.Join(names, ", "))
	w.box = exec.Command(kubebox, "up", "--dir", filepath.Join(w.dir, "kubebox"), "--clusters", strings.Join(names, ","), "--kubeconfig", admin)
	w.box.Stderr = &prefixed{out: out}
	// A terminal's interrupt goes to the whole group; the clusters are ended in order by stop.
	w.box.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := w.box.StdoutPipe()
	if err != nil {
		return err
	}
	if err := w.box.Start(); err != nil {
		return fmt.Errorf("kubebox: %w", err)
	}
	ready := make(chan bool, 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if lines.Text() == "ready" {
				ready <- true
			}
		}
		close(ready)
	})
	go func() {
		reading.Wait()
		_ = w.box.Wait() // its status is that of the signal that ended it
		close(w.exited)
	}()
	select {
	case ok := <-ready:
		if !ok {
			return errors.New("kubebox ended before its clusters were ready: what it said is above")
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	if w.silent, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	fmt.Fprintln(out, "Loading the scenario with the real Helm; some of its processes are killed on purpose")
	load := exec.CommandContext(ctx, loader, "load", "--file", scenario, "--kubeconfig", admin,
		"--out", filepath.Dir(w.config), "--silent", "https://"+w.silent.Addr().String())
	load.Stdout, load.Stderr = &prefixed{out: out}, &prefixed{out: out}
	if err := load.Run(); err != nil {
		return fmt.Errorf("loading the scenario: %w: what it said is above", err)
	}
	return nil
}

// stop ends the clusters and removes every file.
func (w *world) stop() error {
	if w.silent != nil {
		_ = w.silent.Close() // nothing depends on it any more
	}
	if w.box != nil && w.box.Process != nil {
		_ = w.box.Process.Signal(syscall.SIGTERM) // one that is gone already is what is wanted
		select {
		case <-w.exited:
		case <-time.After(20 * time.Second):
			_ = w.box.Process.Kill()
			<-w.exited
		}
	}
	return os.RemoveAll(w.dir)
}

// beside returns the path that was given, or that of a program in the same folder as this one.
func beside(given, name string) (string, error) {
	path := given
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		path = filepath.Join(filepath.Dir(self), name)
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("the demo needs the program %s at %s: run `make demo`, which builds it", name, path)
	}
	return path, nil
}

// scenarioClusters reads the names of a scenario's clusters; the loader reads and checks the rest.
func scenarioClusters(file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--scenario: %w", err)
	}
	var scenario struct {
		Clusters []struct {
			Name string `yaml:"name"`
		} `yaml:"clusters"`
	}
	if err := yaml.Unmarshal(data, &scenario); err != nil {
		return nil, fmt.Errorf("--scenario: %s: %w", file, err)
	}
	var names []string
	for _, c := range scenario.Clusters {
		names = append(names, c.Name)
	}
	return names, nil
}

// prefixed indents what a child process says.
type prefixed struct {
	out io.Writer
	mid bool
}

// Write implements io.Writer.
func (p *prefixed) Write(data []byte) (int, error) {
	var b strings.Builder
	for _, c := range string(data) {
		if !p.mid {
			b.WriteString("  ")
		}
		b.WriteRune(c)
		p.mid = c != '\n'
	}
	if _, err := io.WriteString(p.out, b.String()); err != nil {
		return 0, err
	}
	return len(data), nil
}
