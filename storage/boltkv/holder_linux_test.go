package boltkv_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"stuckbot/storage/boltkv"
)

// TestTheHolderIsFoundWithoutATrueRecord covers what killed holders, and people, leave beside a database that another
// process holds.
func TestTheHolderIsFoundWithoutATrueRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	c := startChild(t, "hold", path)
	if got := c.line(t); got != "held" {
		t.Fatalf("the child says %q", got)
	}
	before := readFile(t, path)
	host, _ := os.Hostname()
	child := boltkv.Holder{PID: c.Process.Pid, Program: filepath.Base(os.Args[0]), Host: host}
	recorded := boltkv.Holder{PID: c.Process.Pid, Program: "holder", Host: host}
	elsewhere := boltkv.Holder{PID: 1, Program: "stuckbot", Host: "another-" + host}
	tests := []struct {
		name, record string
		want         boltkv.Holder
	}{
		{"its own", string(readFile(t, path+".pid")), recorded},
		{"none", "", child},
		{"of a dead process", fmt.Sprintf("%d\nstuckbot\n%s\n", deadPID(t), host), child},
		{"of a living process that does not hold it", fmt.Sprintf("%d\nstuckbot\n%s\n", os.Getpid(), host), child},
		{"of another host", fmt.Sprintf("1\nstuckbot\n%s\n", elsewhere.Host), elsewhere},
		{"garbage", "\x00\xff\n\n\n\n\n", child},
		{"half", strconv.Itoa(os.Getpid()), child},
		{"with a process id that is none", "-1\nstuckbot\n" + host + "\n", child},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.Remove(path + ".pid"); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if tt.record != "" {
				writeFile(t, path+".pid", []byte(tt.record))
			}
			_, err := boltkv.Open(path, boltkv.Options{})
			var facts *boltkv.Error
			if !errors.Is(err, boltkv.ErrLocked) || !errors.As(err, &facts) || facts.Holder != tt.want {
				t.Errorf("%v; want ErrLocked with the holder %v", err, tt.want)
			}
		})
	}
	c.finish(t)
	if after := readFile(t, path); string(before) != string(after) {
		t.Error("the file was changed")
	}
	// What is left is no obstacle, and is replaced.
	writeFile(t, path+".pid", fmt.Appendf(nil, "%d\nstuckbot\n%s\n", deadPID(t), host))
	open(t, path)
	if record := string(readFile(t, path+".pid")); !strings.HasPrefix(record, pid()+"\n") {
		t.Errorf("record %q", record)
	}
}

// deadPID returns the id of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// TestPermissionDenied opens what another user may not, as that user if the test runs as root.
func TestPermissionDenied(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	unreadable, closed := filepath.Join(dir, "unreadable.db"), filepath.Join(dir, "closed")
	_ = open(t, unreadable).Close()
	data := readFile(t, unreadable)
	if err := errors.Join(os.Chmod(unreadable, 0), os.Mkdir(closed, 0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	tests := map[string]string{
		"a file that may not be read":           unreadable,
		"a file in a directory that is closed":  filepath.Join(closed, "stuckbot.db"),
		"a new file where none may be created":  filepath.Join(dir, "new.db"),
		"a database that may only be read (rw)": filepath.Join(dir, "readable.db"),
	}
	_ = open(t, tests["a database that may only be read (rw)"]).Close()
	if err := errors.Join(os.Chmod(tests["a database that may only be read (rw)"], 0o444), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	for name, path := range tests {
		var err error
		asNobody(func() { _, err = boltkv.Open(path, boltkv.Options{}) })
		var facts *boltkv.Error
		if !errors.Is(err, fs.ErrPermission) || !errors.As(err, &facts) || facts.Path != path || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v; want fs.ErrPermission with the path", name, err)
		}
	}
	asNobody(func() {
		s, err := boltkv.Open(tests["a database that may only be read (rw)"], boltkv.Options{ReadOnly: true})
		if err != nil {
			t.Errorf("read-only: %v", err)
			return
		}
		_ = s.Close()
	})
	if string(data) != string(readFileAsRoot(t, unreadable)) {
		t.Error("the file was changed")
	}
}

func readFileAsRoot(t *testing.T, path string) []byte {
	t.Helper()
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return readFile(t, path)
}

// asNobody runs fn on a thread of its own, whose file accesses are those of another user. The thread ends with its goroutine.
func asNobody(fn func()) {
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread() // and never unlocks
		const nobody = 65534
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSGID, nobody, 0, 0)
		fn()
	})
	wg.Wait()
}
