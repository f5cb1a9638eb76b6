package boltkv_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
)

// BenchmarkPut is one small transaction, durable: two fdatasync of the disk under the temporary folder.
func BenchmarkPut(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "stuckbot.db"))
	value := bytes.Repeat([]byte("v"), 1000)
	for i := 0; b.Loop(); i++ {
		if err := s.Update(func(tx kv.Tx) error { return tx.Put(fmt.Sprintf("key/%09d", i), value) }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	s := tenThousand(b)
	for i := 0; b.Loop(); i++ {
		err := s.View(func(tx kv.Tx) error {
			_, _, err := tx.Get(fmt.Sprintf("key/%09d", i%10_000))
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan10k(b *testing.B) {
	s := tenThousand(b)
	for name, o := range map[string]kv.ScanOptions{
		"forward": {}, "reverse": {Reverse: true}, "keys only": {KeysOnly: true},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				err := s.View(func(tx kv.Tx) error {
					return tx.Scan("key/", o, func(string, []byte) (bool, error) { n++; return true, nil })
				})
				if err != nil || n != 10_000 {
					b.Fatal(n, err)
				}
			}
		})
	}
}

// BenchmarkOpen is opening and closing a database of 256 MiB: nearly all of it is the inspection.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "stuckbot.db")
	s := open(b, path)
	value := bytes.Repeat([]byte("v"), 1000)
	for batch := range 16 {
		err := s.Update(func(tx kv.Tx) error {
			for i := range 16_000 / 2 {
				if err := tx.Put(fmt.Sprintf("key/%02d/%06d", batch, i), value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	_ = s.Close()
	b.SetBytes(int64(len(readFile(b, path))))
	for b.Loop() {
		s, err := boltkv.Open(path, boltkv.Options{})
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

func tenThousand(b *testing.B) *boltkv.Store {
	b.Helper()
	s := open(b, filepath.Join(b.TempDir(), "stuckbot.db"))
	value := bytes.Repeat([]byte("v"), 200)
	err := s.Update(func(tx kv.Tx) error {
		for i := range 10_000 {
			if err := tx.Put(fmt.Sprintf("key/%09d", i), value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return s
}
