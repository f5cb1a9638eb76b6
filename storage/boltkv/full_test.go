//go:build unix

package boltkv_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
)

// TestAFullDiskLosesNothing fills a small file system where the test may mount one, which it may as root, and always a file
// up to the size limit of a process.
func TestAFullDiskLosesNothing(t *testing.T) {
	t.Run("limit on the file's size", func(t *testing.T) {
		startChild(t, "full", filepath.Join(t.TempDir(), "stuckbot.db")).finish(t)
	})
	dir := t.TempDir()
	if err := mountSmall(dir, 4<<20); err != nil {
		t.Logf("only the limit on the file's size was tried: a small file system cannot be mounted: %v", err)
		return
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	t.Run("full file system", func(t *testing.T) {
		ballast := filepath.Join(dir, "ballast")
		writeFile(t, ballast, make([]byte, 1<<20))
		makeRoom := func() error {
			wantNoNewDatabase(t, filepath.Join(dir, "new.db"))
			return os.Remove(ballast)
		}
		if err := fill(filepath.Join(dir, "stuckbot.db"), boltkv.ErrFull, makeRoom); err != nil {
			t.Fatal(err)
		}
	})
}

// wantNoNewDatabase creates a database where there is no space.
func wantNoNewDatabase(t *testing.T, path string) {
	t.Helper()
	before, _ := os.ReadDir(filepath.Dir(path))
	_, err := boltkv.Open(path, boltkv.Options{})
	var facts *boltkv.Error
	if !errors.Is(err, boltkv.ErrFull) || !errors.As(err, &facts) || facts.Path != path {
		t.Errorf("creating on a full disk: %v; want ErrFull with the path", err)
	}
	if after, _ := os.ReadDir(filepath.Dir(path)); len(after) != len(before) {
		t.Errorf("left behind: %v", after)
	}
}

// childFull runs the scenario under a limit of 4 MiB, which it lifts to make room. The limit meets bbolt when it makes the
// file longer, where it hides the reason, so that ErrFull is not to be had.
func childFull(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	small := syscall.Rlimit{Cur: 4 << 20, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return err
	}
	return fill(path, boltkv.ErrNotStored, func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) })
}

// fill writes until there is no space, and returns an error unless nothing is lost and the store stays usable: for reading
// at once, also after it is opened again, and for writing when there is room.
func fill(path string, wantErr error, makeRoom func() error) error {
	s, err := boltkv.Open(path, boltkv.Options{})
	if err != nil {
		return err
	}
	want := map[string]string{}
	for i := 0; ; i++ {
		more := map[string]string{fmt.Sprintf("fill/%04d", i): strings.Repeat("f", 50_000), "count": fmt.Sprint(i)}
		if err = putAll(s, more); err != nil {
			break
		}
		maps.Copy(want, more)
		if i > 1000 {
			return errors.New("the disk does not fill up")
		}
	}
	var facts *boltkv.Error
	if !errors.Is(err, boltkv.ErrNotStored) || !errors.Is(err, wantErr) || !errors.As(err, &facts) || facts.Path != path {
		return fmt.Errorf("update on a full disk: %w; want ErrNotStored, %w and the path", err, wantErr)
	}
	for i := range 8 {
		if err := putAll(s, map[string]string{"fill/0000": "x", "again": strings.Repeat("g", (i+1)*700_000)}); err == nil {
			return errors.New("an update that does not fit had no error")
		}
		if err := wantContents(s, want); err != nil {
			return fmt.Errorf("after failed update %d: %w", i, err)
		}
	}
	if s, err = reopen(s, path, want); err != nil {
		return fmt.Errorf("on the full disk: %w", err)
	}
	if err := makeRoom(); err != nil {
		return err
	}
	more := map[string]string{"fill/0000": "x", "room": strings.Repeat("r", 300_000)}
	if err := putAll(s, more); err != nil {
		return fmt.Errorf("after making room: %w", err)
	}
	maps.Copy(want, more)
	s, err = reopen(s, path, want)
	if err != nil {
		return fmt.Errorf("after making room: %w", err)
	}
	return s.Close()
}

func putAll(s kv.Store, pairs map[string]string) error {
	return s.Update(func(tx kv.Tx) error {
		for key, value := range pairs {
			if err := tx.Put(key, []byte(value)); err != nil {
				return err
			}
		}
		return nil
	})
}

func wantContents(s kv.Store, want map[string]string) error {
	got, err := readAll(s)
	if err != nil {
		return err
	}
	if !maps.Equal(want, got) {
		return fmt.Errorf("contents (-want +got):\n%.2000s", cmp.Diff(want, got))
	}
	return nil
}

func reopen(s *boltkv.Store, path string, want map[string]string) (*boltkv.Store, error) {
	if err := s.Close(); err != nil {
		return nil, err
	}
	s, err := boltkv.Open(path, boltkv.Options{})
	if err != nil {
		return nil, err
	}
	return s, wantContents(s, want)
}
