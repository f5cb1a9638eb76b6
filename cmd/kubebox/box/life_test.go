package box_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// What a kubebox that was killed leaves is only files, even if an API server was stopped at the time; the next one deletes
// them. When its parent is killed, nothing is left.
func TestKilledBoxLeavesNoProcessAndKilledParentLeavesNothing(t *testing.T) {
	t.Parallel()
	p := prepare(t, nil, "--clusters", "a").start().ready()
	addresses := p.addresses()
	if len(addresses) < 2 {
		t.Fatalf("found only the addresses %v of %s", addresses, p.processes())
	}
	p.mustOrder(t, "pause", "--cluster", "a")
	_ = p.cmd.Process.Kill()
	p.wait()
	await(t, "the children of a killed kubebox to end", func() error { return none(p.processes()) })
	for _, address := range addresses {
		if !refused(address) {
			t.Errorf("somebody still listens on %s", address)
		}
	}
	if out, err := p.order("remove", "a"); err == nil || !strings.Contains(out, "no kubebox runs on this directory any more") {
		t.Errorf("an order to a killed kubebox said %q, %v", out, err)
	}

	again := prepare(t, p, "--clusters", "b").underShell().start().ready()
	if !strings.Contains(again.stderr.String(), "deleted what the kubebox with pid") {
		t.Errorf("the next kubebox does not say that it cleaned up: %s", again.stderr.String())
	}
	if _, err := os.Stat(filepath.Join(p.dir, "a")); !os.IsNotExist(err) {
		t.Errorf("the files of the killed kubebox are still there: %v", err)
	}
	addresses = again.addresses()
	_ = again.cmd.Process.Kill()
	again.wait()
	again.gone(addresses)
}

// When the parent dies, who reads the output often dies with it; writing to nobody must not end kubebox too early.
func TestKilledParentLeavesNothingAlsoWhenNobodyReadsTheOutput(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := prepare(t, nil, "--clusters", "").underShell()
	p.cmd.Stdout, p.cmd.Stderr = write, write
	p.start()
	_ = write.Close()
	for lines := bufio.NewScanner(read); lines.Scan() && lines.Text() != "ready"; {
	}
	_ = read.Close()
	_ = p.cmd.Process.Kill()
	p.wait()
	p.gone(nil)
}

func none(processes []string) error {
	if len(processes) > 0 {
		return errors.New(strings.Join(processes, "\n"))
	}
	return nil
}

func contains(text, want string) error {
	if !strings.Contains(text, want) {
		return fmt.Errorf("%q is missing in %q", want, text)
	}
	return nil
}

// The death of any part ends the box, with the reason.
func TestDeadComponentEndsTheBoxAndItsCommandAndIsNamed(t *testing.T) {
	t.Parallel()
	p := prepare(t, nil, "--clusters", "a", "--", "sh", "-c", "echo running; exec sleep 1000")
	p.start()
	await(t, "the command to run", func() error { return contains(p.stdout.String(), "running") })
	var controllers string
	for _, line := range p.processes() {
		if strings.Contains(line, " kube-controller-manager ") {
			controllers = line
		}
	}
	pid, err := strconv.Atoi(strings.Fields(controllers)[0])
	if err != nil {
		t.Fatal(err)
	}
	addresses := p.addresses()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if status := p.wait(); status != 1 {
		t.Errorf("the exit status is %d, want 1", status)
	}
	for _, want := range []string{"a: kube-controller-manager ended (signal: killed)", "The end of its log:\n  "} {
		if err := contains(p.stderr.String(), want); err != nil {
			t.Error(err)
		}
	}
	p.gone(addresses)
}

func TestCommandGetsTheEnvironmentAndItsStatusIsPassedOn(t *testing.T) {
	t.Parallel()
	p := prepare(t, nil, "--clusters", "", "--", "sh", "-c", `echo "$KUBECONFIG $KUBEBOX_DIR"; exit 7`).start()
	if status := p.wait(); status != 7 {
		t.Errorf("the exit status is %d, want 7; %s", status, p.stderr.String())
	}
	if got, want := p.stdout.String(), p.kubeconfig+" "+p.dir+"\n"; got != want {
		t.Errorf("stdout is %q, want only the command's %q", got, want)
	}
	p.gone(nil)
}

func TestSignalIsPassedOnToTheCommand(t *testing.T) {
	t.Parallel()
	p := prepare(t, nil, "--clusters", "", "--", "sh", "-c", `trap 'exit 9' TERM; echo running; while :; do sleep 0.05; done`).start()
	await(t, "the command to run", func() error { return contains(p.stdout.String(), "running") })
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	if status := p.wait(); status != 9 {
		t.Errorf("the exit status is %d, want 9; %s", status, p.stderr.String())
	}
	p.gone(nil)
}

func TestSignalDuringTheStartEndsItWithoutAnError(t *testing.T) {
	t.Parallel()
	p := prepare(t, nil, "--clusters", "a").start()
	await(t, "a child to run", func() error {
		if len(p.processes()) > 1 {
			return nil
		}
		return os.ErrNotExist
	})
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	if status := p.wait(); status != 0 {
		t.Errorf("the exit status is %d, want 0; %s", status, p.stderr.String())
	}
	p.gone(nil)
}

func TestForeignFilesAreRefusedAndKept(t *testing.T) {
	t.Parallel()
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(kubeconfig, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ dir, kubeconfig, clusters, want string }{
		"directory":  {foreign, filepath.Join(t.TempDir(), "new"), "a", "is not empty and not kubebox's"},
		"kubeconfig": {filepath.Join(t.TempDir(), "new"), kubeconfig, "a", "was not written by kubebox"},
		"name":       {filepath.Join(t.TempDir(), "new"), filepath.Join(t.TempDir(), "new"), "a,Bad_Name", `bad cluster name "Bad_Name"`},
		"twice":      {filepath.Join(t.TempDir(), "new"), filepath.Join(t.TempDir(), "new"), "a,a", "given twice"},
		"no folder":  {filepath.Join(foreign, "no", "such"), filepath.Join(t.TempDir(), "new"), "a", "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(kubebox, "up", "--dir", tt.dir, "--kubeconfig", tt.kubeconfig, "--clusters", tt.clusters)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), tt.want) {
				t.Errorf("it said %q, %v; want %q", out, err, tt.want)
			}
		})
	}
	if data, err := os.ReadFile(filepath.Join(foreign, "thesis.txt")); err != nil || string(data) != "mine" {
		t.Errorf("the foreign file is now %q, %v", data, err)
	}
	if entries, _ := os.ReadDir(foreign); len(entries) != 1 {
		t.Errorf("the foreign directory now has %v", entries)
	}
}

func TestPartsCannotBeStartedByHand(t *testing.T) {
	out, err := exec.Command(kubebox, "kube-apiserver").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is started by `kubebox up`") {
		t.Errorf("it said %q, %v", out, err)
	}
}

func TestEverySubcommandExplainsItself(t *testing.T) {
	for _, name := range []string{"up", "add", "remove", "logs", "pause", "resume", "stop-api", "start-api"} {
		out, err := exec.Command(kubebox, name, "--help").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--dir") {
			t.Errorf("kubebox %s --help said %q, %v", name, out, err)
		}
	}
	if out, err := exec.Command(kubebox, "--version").Output(); err != nil || !strings.Contains(string(out), "Kubernetes v1.") {
		t.Errorf("kubebox --version said %q, %v", out, err)
	}
}
