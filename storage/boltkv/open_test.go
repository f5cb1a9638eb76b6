package boltkv_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
)

func TestANewDatabaseIsPrivateAndAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	s, err := boltkv.Open(path, boltkv.Options{Program: "stuckbot\nserve"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Path() != path {
		t.Errorf("path %q", s.Path())
	}
	wantFiles(t, path, "stuckbot.db", "stuckbot.db.pid")
	host, _ := os.Hostname()
	lines := strings.Split(string(readFile(t, path+".pid")), "\n")
	if want := []string{pid(), "stuckbot serve", host, ""}; !cmp.Equal(want, lines) {
		t.Errorf("record of the holder (-want +got):\n%s", cmp.Diff(want, lines))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, path, "stuckbot.db")
}

// TestCloseLeavesAnothersRecord: a record that is no longer its own belongs to the next holder.
func TestCloseLeavesAnothersRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	s := open(t, path)
	writeFile(t, path+".pid", []byte("1\nanother\nhost\n"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, path, "stuckbot.db", "stuckbot.db.pid")
}

// wantFiles wants exactly these files, of mode 0600, in the database's folder.
func wantFiles(t *testing.T, path string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
		if info, err := entry.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", entry.Name(), info.Mode(), err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files in the folder (-want +got):\n%s", diff)
	}
}

// TestARestoredCopyBecomesPrivate: cp and kubectl cp leave the mode that the umask gives.
func TestARestoredCopyBecomesPrivate(t *testing.T) {
	path, _ := makeDatabase(t)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, path)
	wantFiles(t, path, "stuckbot.db", "stuckbot.db.pid")
}

// TestTwoThatCreateAtOnceShareOneDatabase: the slower one finds it locked, or opens it after the other, and loses nothing.
func TestTwoThatCreateAtOnceShareOneDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	var wg sync.WaitGroup
	stored := make(chan string, 8)
	for _, name := range strings.Split("abcdefgh", "") {
		wg.Go(func() {
			s, err := boltkv.Open(path, boltkv.Options{})
			if errors.Is(err, boltkv.ErrLocked) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			put(t, s, name, name)
			stored <- name
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(stored)
	want := map[string]string{}
	for name := range stored {
		want[name] = name
	}
	if diff := cmp.Diff(want, contents(t, open(t, path))); diff != "" || len(want) == 0 {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	wantFiles(t, path, "stuckbot.db", "stuckbot.db.pid")
}

func TestALockedDatabaseNamesItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	held := open(t, path)
	put(t, held, "a", "1")
	for _, readOnly := range []bool{false, true} {
		_, err := boltkv.Open(path, boltkv.Options{ReadOnly: readOnly})
		var facts *boltkv.Error
		if !errors.Is(err, boltkv.ErrLocked) || !errors.As(err, &facts) {
			t.Fatalf("read-only %v: %v; want ErrLocked", readOnly, err)
		}
		if facts.Path != path || facts.Holder.PID != os.Getpid() || facts.Holder.Program != filepath.Base(os.Args[0]) {
			t.Errorf("read-only %v: facts %+v", readOnly, facts)
		}
		for _, part := range []string{path, "locked by", pid(), "nothing was changed", "stop that process"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}
	}
	put(t, held, "b", "2")
	wantFiles(t, path, "stuckbot.db", "stuckbot.db.pid")
}

func TestWaitingForALockEndsWithTheHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	held := open(t, path)
	opened := make(chan error)
	go func() {
		s, err := boltkv.Open(path, boltkv.Options{Timeout: time.Minute})
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

func TestWaitingForALockEndsAfterTheTimeout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	open(t, path)
	synctest.Test(t, func(t *testing.T) {
		for _, timeout := range []time.Duration{0, time.Millisecond, 70 * time.Millisecond, time.Second} {
			began := time.Now()
			_, err := boltkv.Open(path, boltkv.Options{Timeout: timeout})
			if waited := time.Since(began); !errors.Is(err, boltkv.ErrLocked) || waited != timeout {
				t.Errorf("timeout %v: waited %v, %v", timeout, waited, err)
			}
		}
	})
}

func TestReadOnly(t *testing.T) {
	path, data := makeDatabase(t)
	first, err := boltkv.Open(path, boltkv.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	second, err := boltkv.Open(path, boltkv.Options{ReadOnly: true})
	if err != nil {
		t.Fatalf("a second reader: %v", err)
	}
	if len(contents(t, second)) != 101 {
		t.Error("the contents are not all there")
	}
	if err := first.Update(func(kv.Tx) error { return nil }); !errors.Is(err, kv.ErrReadOnly) {
		t.Errorf("update: %v; want ErrReadOnly", err)
	}
	if _, err := boltkv.Open(path, boltkv.Options{}); !errors.Is(err, boltkv.ErrLocked) {
		t.Errorf("a writer beside readers: %v; want ErrLocked", err)
	}
	wantFiles(t, path, "stuckbot.db")
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(data, readFile(t, path)) {
		t.Error("reading changed the file")
	}
}

func TestReadOnlyCreatesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	_, err := boltkv.Open(path, boltkv.Options{ReadOnly: true})
	var facts *boltkv.Error
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, boltkv.ErrNoDirectory) || !errors.As(err, &facts) || facts.Path != path {
		t.Errorf("%v; want fs.ErrNotExist with the path", err)
	}
	wantFiles(t, path)
}

func TestAMissingDirectoryIsNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	writeFile(t, file, nil)
	for _, missing := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "none", "below"), file} {
		for _, readOnly := range []bool{false, true} {
			_, err := boltkv.Open(filepath.Join(missing, "stuckbot.db"), boltkv.Options{ReadOnly: readOnly})
			var facts *boltkv.Error
			if !errors.Is(err, boltkv.ErrNoDirectory) || !errors.As(err, &facts) || facts.Path != missing {
				t.Errorf("in %s: %v; want ErrNoDirectory with the directory", missing, err)
			}
		}
	}
	wantFiles(t, file, "file")
}

func TestWhatIsNoFileIsForeign(t *testing.T) {
	_, err := boltkv.Open(t.TempDir(), boltkv.Options{})
	if !errors.Is(err, boltkv.ErrForeign) {
		t.Errorf("a directory: %v; want ErrForeign", err)
	}
}

func TestSymbolicLinks(t *testing.T) {
	path, _ := makeDatabase(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if got := len(contents(t, open(t, link))); got != 101 {
		t.Errorf("%d keys through a link", got)
	}
	dangling := filepath.Join(t.TempDir(), "dangling.db")
	if err := os.Symlink(filepath.Join(filepath.Dir(dangling), "nowhere", "x.db"), dangling); err != nil {
		t.Fatal(err)
	}
	_, err := boltkv.Open(dangling, boltkv.Options{})
	var facts *boltkv.Error
	if !errors.As(err, &facts) || facts.Path != dangling {
		t.Errorf("a link to nowhere: %v; want an error with the path", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(dangling)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestWhatIsNotAcceptedIsLeftAsItWas: Accept decides before the record is written or the mode narrowed.
func TestWhatIsNotAcceptedIsLeftAsItWas(t *testing.T) {
	path, data := makeDatabase(t)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	_, err := boltkv.Open(path, boltkv.Options{Accept: func(tx kv.Tx) error {
		if _, ok, err := tx.Get("large"); !ok || err != nil {
			t.Errorf("accept cannot read: %v, %v", ok, err)
		}
		if err := tx.Put("a", nil); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("accept can write: %v", err)
		}
		if _, err := os.Stat(path + ".pid"); err == nil {
			t.Error("the record was written before")
		}
		return refused
	}})
	if err != refused { //nolint:errorlint // identity is what is promised
		t.Errorf("%v; want the very error of Accept", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 || !bytes.Equal(data, readFile(t, path)) {
		t.Errorf("the file was changed: %v, %v", info.Mode(), err)
	}
	open(t, path)
}

// TestAnUnconfirmedWriteStopsTheStore: the last step of a commit failed after the new state became visible.
func TestAnUnconfirmedWriteStopsTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	s := open(t, path)
	put(t, s, "a", "1")
	broken := errors.New("input/output error")
	last := s.LastTransaction()
	err := s.CommitFailed(last+1, broken)
	if !errors.Is(err, boltkv.ErrNotStored) || !errors.Is(err, broken) || errors.Is(err, kv.ErrUncertain) {
		t.Errorf("a transaction that did not become visible: %v; want ErrNotStored", err)
	}
	put(t, s, "b", "2")
	err = s.CommitFailed(s.LastTransaction(), broken)
	if !errors.Is(err, kv.ErrUncertain) || !errors.Is(err, broken) {
		t.Errorf("a transaction that became visible: %v; want ErrUncertain", err)
	}
	for name, err := range map[string]error{
		"view":   s.View(func(kv.Tx) error { t.Error("closure ran"); return nil }),
		"update": s.Update(func(kv.Tx) error { t.Error("closure ran"); return nil }),
	} {
		if !errors.Is(err, kv.ErrUncertain) {
			t.Errorf("%s afterwards: %v; want ErrUncertain", name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "2"}, contents(t, open(t, path))); diff != "" {
		t.Errorf("after opening it again (-want +got):\n%s", diff)
	}
}
