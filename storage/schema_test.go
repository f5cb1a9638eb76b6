package storage

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stuckbot/checks/sweep"
	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
	"stuckbot/storage/kv/kvtest"
	"stuckbot/storage/kv/memkv"
)

// old makes a database of schema 1 with three keys, and returns its path and its bytes.
func old(t *testing.T) (string, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	withBolt(t, path, func(tx kv.Tx) error {
		return errors.Join(tx.Put("schema", []byte("1")), tx.Put("fruit/apple", []byte("3")), tx.Put("fruit/pear", []byte("4")))
	})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}

func withBolt(t *testing.T, path string, fn func(kv.Tx) error) {
	t.Helper()
	s, err := boltkv.Open(path, boltkv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Update(fn), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, store kv.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := store.View(func(tx kv.Tx) error {
		clear(all)
		return tx.Scan("", kv.ScanOptions{}, func(key string, value []byte) (bool, error) {
			all[key] = string(value)
			return true, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var errBroken = errors.New("broken")

// examples are migrations for the tests: fruit is counted in crates, then gets another name; the last one fails half-way.
func examples() []migration {
	rename := func(tx kv.Tx, change func(key, value string) (string, string)) error {
		moved := map[string]string{}
		err := tx.Scan("fruit/", kv.ScanOptions{}, func(key string, value []byte) (bool, error) {
			moved[key] = string(value)
			return true, nil
		})
		for key, value := range moved {
			newKey, newValue := change(key, value)
			err = errors.Join(err, tx.Delete(key), tx.Put(newKey, []byte(newValue)))
		}
		return err
	}
	return []migration{
		{"count in crates", func(tx kv.Tx) error {
			return rename(tx, func(key, value string) (string, string) { return key, value + " crates" })
		}},
		{"fruit is food", func(tx kv.Tx) error {
			return rename(tx, func(key, value string) (string, string) { return "food" + strings.TrimPrefix(key, "fruit"), value })
		}},
		{"half-way", func(tx kv.Tx) error {
			return errors.Join(tx.Put("food/apple", []byte("spoilt")), tx.Delete("food/pear"), errBroken)
		}},
	}
}

func TestANewDatabaseHasTheLatestSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	for range 2 {
		db, err := open(path, Options{}, examples()[:2])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"schema": "3"}, contents(t, db.bolt)); diff != "" {
			t.Errorf("contents (-want +got):\n%s", diff)
		}
		if err := errors.Join(db.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnOldDatabaseIsMigrated(t *testing.T) {
	path, _ := old(t)
	for _, tt := range []struct {
		migrations []migration
		want       map[string]string
	}{
		{examples()[:0], map[string]string{"schema": "1", "fruit/apple": "3", "fruit/pear": "4"}},
		{examples()[:1], map[string]string{"schema": "2", "fruit/apple": "3 crates", "fruit/pear": "4 crates"}},
		{examples()[:2], map[string]string{"schema": "3", "food/apple": "3 crates", "food/pear": "4 crates"}},
		{examples()[:2], map[string]string{"schema": "3", "food/apple": "3 crates", "food/pear": "4 crates"}},
	} {
		db, err := open(path, Options{}, tt.migrations)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, contents(t, db.bolt)); diff != "" {
			t.Errorf("after %d migrations (-want +got):\n%s", len(tt.migrations), diff)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMigrationsHaveNoSideEffectsOutsideTheirTransactions(t *testing.T) {
	store := memkv.New()
	put := func(tx kv.Tx) error {
		return errors.Join(tx.Put("schema", []byte("1")), tx.Put("fruit/apple", []byte("3")))
	}
	if err := store.Update(put); err != nil {
		t.Fatal(err)
	}
	if err := migrate(kvtest.Twice(store), "path", examples()[:2]); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"schema": "3", "food/apple": "3 crates"}, contents(t, store)); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
}

// TestAFailedMigrationLeavesTheFileAsItWas, byte for byte if it is the first one, and after the last that succeeded if not.
func TestAFailedMigrationLeavesTheFileAsItWas(t *testing.T) {
	path, before := old(t)
	_, err := open(path, Options{}, examples()[2:])
	wantSchemaError(t, err, SchemaError{Kind: ErrMigration, Path: path, Found: 1, Supported: 2, Migration: "half-way"})
	if !errors.Is(err, errBroken) {
		t.Errorf("%v; want the reason", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed: %v", err)
	}
	_, err = open(path, Options{}, examples())
	wantSchemaError(t, err, SchemaError{Kind: ErrMigration, Path: path, Found: 3, Supported: 4, Migration: "half-way"})
	db, err := open(path, Options{}, examples()[:2])
	if err != nil {
		t.Fatalf("the program of before cannot open it: %v", err)
	}
	want := map[string]string{"schema": "3", "food/apple": "3 crates", "food/pear": "4 crates"}
	if diff := cmp.Diff(want, contents(t, db.bolt)); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestASchemaThatCannotBeUsedIsRefusedAndLeftAsItWas(t *testing.T) {
	tests := []struct {
		name, schema string
		readOnly     bool
		want         SchemaError
	}{
		{"newer", "3", false, SchemaError{Kind: ErrNewer, Found: 3, Supported: 2}},
		{"newer, read-only", "3", true, SchemaError{Kind: ErrNewer, Found: 3, Supported: 2}},
		{"older, read-only", "1", true, SchemaError{Kind: ErrOlder, Found: 1, Supported: 2}},
		{"no number", "one", false, SchemaError{Kind: ErrNoSchema, Supported: 2}},
		{"zero", "0", false, SchemaError{Kind: ErrNoSchema, Supported: 2}},
		{"empty", "", false, SchemaError{Kind: ErrNoSchema, Supported: 2}},
		{"missing", "-", false, SchemaError{Kind: ErrNoSchema, Supported: 2}},
		{"missing, read-only", "-", true, SchemaError{Kind: ErrNoSchema, Supported: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, _ := old(t)
			withBolt(t, path, func(tx kv.Tx) error {
				if tt.schema == "-" {
					return tx.Delete("schema")
				}
				return tx.Put("schema", []byte(tt.schema))
			})
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			_, err := open(path, Options{ReadOnly: tt.readOnly}, examples()[:1])
			tt.want.Path = path
			wantSchemaError(t, err, tt.want)
			after, err := os.ReadFile(path)
			info, statErr := os.Stat(path)
			if err := errors.Join(err, statErr); err != nil || !bytes.Equal(before, after) || info.Mode() != 0o640 {
				t.Errorf("the file was changed: %v", err)
			}
			if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
				t.Errorf("the folder has %v, %v", entries, err)
			}
			// And the lock is free again.
			withBolt(t, path, func(kv.Tx) error { return nil })
		})
	}
}

func wantSchemaError(t *testing.T, err error, want SchemaError) {
	t.Helper()
	var got *SchemaError
	if !errors.As(err, &got) || !errors.Is(err, want.Kind) {
		t.Errorf("%v; want %v", err, want.Kind)
		return
	}
	facts := *got
	facts.Err = nil
	if facts != want {
		t.Errorf("facts %+v; want %+v", facts, want)
	}
	if !strings.Contains(err.Error(), want.Path) {
		t.Errorf("%q does not name the path", err)
	}
}

func TestErrorsWhileMigratingAreReturned(t *testing.T) {
	for _, op := range []kvtest.Op{kvtest.OpView, kvtest.OpUpdate, kvtest.OpCommit, kvtest.OpPut, kvtest.OpGet, kvtest.OpScan} {
		store := kvtest.Failing(memkv.New(), func(o kvtest.Op, _ string) error {
			if o == op {
				return fmt.Errorf("%s: %w", op, errBroken)
			}
			return nil
		})
		if err := migrate(store, "path", nil); !errors.Is(err, errBroken) {
			t.Errorf("%s fails: %v", op, err)
		}
	}
}

// TestTheProgramsOwnMigrations holds for every list that this package will have.
func TestTheProgramsOwnMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	db, err := Open(path, Options{Program: "test", Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	if err := db.Sweeps().Save(sweep.Result{At: at}); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, db.bolt)["schema"]; got != fmt.Sprint(1+len(migrations())) {
		t.Errorf("schema %q", got)
	}
	var copied bytes.Buffer
	if n, err := db.Backup(&copied); err != nil || n != int64(copied.Len()) {
		t.Fatalf("backup: %d bytes, %v", n, err)
	}
	if _, err := Open(path, Options{ReadOnly: true}); !errors.Is(err, boltkv.ErrLocked) {
		t.Errorf("%v; want ErrLocked", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	restored := filepath.Join(t.TempDir(), "restored.db")
	if err := os.WriteFile(restored, copied.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, restored} {
		db, err := Open(path, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		r, ok, err := db.Sweeps().Latest()
		if err != nil || !ok || !r.At.Equal(at) {
			t.Errorf("%s: %v, %v, %v", path, r, ok, err)
		}
		if err := db.Sweeps().Save(r); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("save: %v; want ErrReadOnly", err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
