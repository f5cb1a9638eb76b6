package box

import (
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestReservedPortIsFreeForItsOwnerAndRefusesOthers(t *testing.T) {
	p, err := reservePort()
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if c, err := net.DialTimeout("tcp", p.address(), time.Second); err == nil {
		_ = c.Close()
		t.Error("a reserved port accepts connections")
	}
	// Go sets SO_REUSEADDR, as the components do.
	l, err := net.Listen("tcp4", p.address())
	if err != nil {
		t.Fatalf("the owner cannot listen: %v", err)
	}
	_ = l.Close()
	if runtime.GOOS != "linux" {
		return
	}
	for range 200 {
		other, err := reservePort()
		if err != nil {
			t.Fatal(err)
		}
		other.close()
		if other.number == p.number {
			t.Fatal("a reserved port was given to another")
		}
	}
}

func TestClusterNames(t *testing.T) {
	for names, ok := range map[string]bool{
		"": true, "a": true, "prod-eu,prod-us": true, "1": true,
		"a,a": false, "A": false, "a_b": false, "-a": false, "a.b": false, "../a": false, "etcd": false, "ü": false,
		strings.Repeat("a", 63): true, strings.Repeat("a", 64): false,
	} {
		var list []string
		if names != "" {
			list = strings.Split(names, ",")
		}
		if err := validNames(list); (err == nil) != ok || err != nil && !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", names, err)
		}
	}
}

func TestTailQuotesTheEndOfALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if got := tail(path, 3); !strings.Contains(got, "cannot be read") {
		t.Errorf("of no file: %q", got)
	}
	write(t, path, " \n")
	if got := tail(path, 3); got != "  (it wrote nothing)" {
		t.Errorf("of an empty file: %q", got)
	}
	write(t, path, strings.Repeat("old\n", 10_000)+strings.Repeat("é", 300)+"\nlast\n")
	lines := strings.Split(tail(path, 3), "\n")
	if len(lines) != 3 || lines[0] != "  old" || lines[2] != "  last" || !strings.HasSuffix(lines[1], "é…") || len(lines[1]) > logLineBytes+8 {
		t.Errorf("the tail is %q", lines)
	}
}
