package boltkv_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
	"stuckbot/storage/kv/kvtest"
)

func TestConformance(t *testing.T) {
	kvtest.Run(t, func(t *testing.T) kv.Store { return open(t, filepath.Join(t.TempDir(), "stuckbot.db")) })
}

func TestReopenFindsWhatWasStored(t *testing.T) {
	path, _ := makeDatabase(t)
	s := open(t, path)
	want := contents(t, s)
	if len(want) != 101 {
		t.Fatalf("%d keys stored", len(want))
	}
	put(t, s, "more", "of it")
	want["more"] = "of it"
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, contents(t, open(t, path))); diff != "" {
		t.Errorf("after reopening (-want +got):\n%s", diff)
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "stuckbot.db"))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fn := func(kv.Tx) error { t.Error("closure ran"); return nil }
	_, backupErr := s.Backup(&bytes.Buffer{})
	for name, err := range map[string]error{"view": s.View(fn), "update": s.Update(fn), "backup": backupErr} {
		if !errors.Is(err, kv.ErrClosed) {
			t.Errorf("%s: %v; want ErrClosed", name, err)
		}
	}
}

func TestCloseWaitsForTransactions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	s := open(t, path)
	closed := make(chan error, 1)
	err := s.Update(func(tx kv.Tx) error {
		go func() { closed <- s.Close() }()
		return tx.Put("a", []byte("1"))
	})
	if err := errors.Join(err, <-closed); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, open(t, path))["a"]; got != "1" {
		t.Errorf("stored %q", got)
	}
}

// TestAKeyThatIsTooLongIsRefused is the limit of bbolt.
func TestAKeyThatIsTooLongIsRefused(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "stuckbot.db"))
	err := s.Update(func(tx kv.Tx) error { return tx.Put(strings.Repeat("k", 32769), nil) })
	if err == nil {
		t.Error("no error")
	}
	put(t, s, strings.Repeat("k", 32768), "fits")
}

// TestBackupIsConsistentWhileInUse writes all the time, both halves of a pair in one transaction, and takes backups.
func TestBackupIsConsistentWhileInUse(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "stuckbot.db"))
	put(t, s, "left", "0", "right", "0")
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				value := fmt.Sprint(i)
				put(t, s, "left", value, "right", value, "pad"+fmt.Sprint(i%50), strings.Repeat("p", 9000))
			}
		}
	})
	for i := range 5 {
		path := filepath.Join(dir, fmt.Sprintf("backup-%d.db", i))
		var copied bytes.Buffer
		n, err := s.Backup(&copied)
		if err != nil || n != int64(copied.Len()) {
			t.Fatalf("backup: %d of %d bytes, %v", n, copied.Len(), err)
		}
		writeFile(t, path, copied.Bytes())
		backup := open(t, path)
		all := contents(t, backup)
		if all["left"] != all["right"] || all["left"] == "" {
			t.Errorf("backup %d has left %q and right %q", i, all["left"], all["right"])
		}
		put(t, backup, "new", "life")
	}
	close(stop)
	writer.Wait()
}

func TestBackupReturnsTheErrorOfItsWriter(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "stuckbot.db"))
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = read.Close(), write.Close()
	if _, err := s.Backup(write); err == nil {
		t.Error("no error")
	}
	put(t, s, "still", "usable")
}

// TestAPageThatCannotBeReadStopsTheStore cuts the file under an open database: reading the mapped page is a memory fault,
// which must neither crash the process nor be taken for an absent key.
func TestAPageThatCannotBeReadStopsTheStore(t *testing.T) {
	path, data := makeDatabase(t)
	s, err := boltkv.Open(path, boltkv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	// Even a closure that ignores the error cannot make it look like success.
	err = s.View(func(tx kv.Tx) error { _, _, _ = tx.Get("key/1/001"); return nil })
	if !errors.Is(err, boltkv.ErrDamaged) {
		t.Errorf("view: %v; want ErrDamaged", err)
	}
	writes := s.Update(func(tx kv.Tx) error { return tx.Put("key/1/001", nil) })
	_, err = s.Backup(&bytes.Buffer{})
	for name, err := range map[string]error{"update": writes, "backup": err} {
		var facts *boltkv.Error
		if !errors.Is(err, boltkv.ErrDamaged) || !errors.As(err, &facts) || facts.Path != path {
			t.Errorf("%s: %v; want ErrDamaged with the path", name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	// The lock and the record are gone: after repair, the same process can open it again.
	if _, err := os.Stat(path + ".pid"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("record of the holder: %v; want none", err)
	}
	writeFile(t, path, data)
	put(t, open(t, path), "again", "usable")
}
