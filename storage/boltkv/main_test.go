package boltkv_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
)

// The test binary is started again as another process, with what to do in childVar and the database in pathVar.
const (
	childVar = "BOLTKV_TEST_CHILD"
	pathVar  = "BOLTKV_TEST_PATH"
)

func TestMain(m *testing.M) {
	children := map[string]func(path string) error{
		"hold":  childHold,
		"crash": childCrash,
		"full":  childFull,
	}
	name := os.Getenv(childVar)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := children[name](os.Getenv(pathVar)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child is a running process of the test binary.
type child struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *strings.Builder
}

func startChild(t *testing.T, name, path string) *child {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{Cmd: exec.Command(program), stderr: &strings.Builder{}}
	c.Env = append(os.Environ(), childVar+"="+name, pathVar+"="+path)
	c.Stderr = c.stderr
	c.stdin, err = c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdout = bufio.NewReader(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c
}

// line returns the next line that the child printed.
func (c *child) line(t *testing.T) string {
	t.Helper()
	line, err := c.stdout.ReadString('\n')
	if err != nil {
		t.Fatalf("reading from the child: %v\n%s", err, c.stderr)
	}
	return strings.TrimSpace(line)
}

// finish closes the child's input, which ends it, and waits for it.
func (c *child) finish(t *testing.T) {
	t.Helper()
	_ = c.stdin.Close()
	rest, _ := io.ReadAll(c.stdout)
	if err := c.Wait(); err != nil {
		t.Fatalf("child: %v\n%s%s", err, rest, c.stderr)
	}
}

// childHold opens the database, says so, and holds it until its input ends.
func childHold(path string) error {
	s, err := boltkv.Open(path, boltkv.Options{Program: "holder"})
	if err != nil {
		return err
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return s.Close()
}

func open(t testing.TB, path string) *boltkv.Store {
	t.Helper()
	s, err := boltkv.Open(path, boltkv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func put(t testing.TB, s kv.Store, pairs ...string) {
	t.Helper()
	err := s.Update(func(tx kv.Tx) error {
		var errs []error
		for i := 0; i < len(pairs); i += 2 {
			errs = append(errs, tx.Put(pairs[i], []byte(pairs[i+1])))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func contents(t testing.TB, s kv.Store) map[string]string {
	t.Helper()
	all, err := readAll(s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readAll(s kv.Store) (map[string]string, error) {
	all := map[string]string{}
	err := s.View(func(tx kv.Tx) error {
		clear(all)
		return tx.Scan("", kv.ScanOptions{}, func(key string, value []byte) (bool, error) {
			all[key] = string(value)
			return true, nil
		})
	})
	return all, err
}

// makeDatabase returns the path of a closed database with some hundred keys on several pages, and its bytes.
func makeDatabase(t testing.TB) (string, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	s := open(t, path)
	for round := range 4 {
		var pairs []string
		for i := range 100 {
			pairs = append(pairs, fmt.Sprintf("key/%d/%03d", i%7, i), strings.Repeat("v", 10+i*round))
		}
		put(t, s, append(pairs, "large", strings.Repeat("L", 10_000))...)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data := readFile(t, path)
	pages := binary.NativeEndian.Uint64(newestMeta(data, os.Getpagesize())[40:])
	data = data[:int(pages)*os.Getpagesize()] // without the space to grow into
	writeFile(t, path, data)
	return path, data
}

// newestMeta returns the record of the meta page that counts.
func newestMeta(data []byte, pageSize int) []byte {
	e := binary.NativeEndian
	newest := data[16:]
	if other := data[pageSize+16:]; e.Uint64(other[48:]) > e.Uint64(newest[48:]) {
		newest = other
	}
	return newest
}

func pid() string { return strconv.Itoa(os.Getpid()) }

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
