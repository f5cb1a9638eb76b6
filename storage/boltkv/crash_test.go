package boltkv_test

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
)

// crashParts is how many keys each transaction of the crash test writes.
const crashParts = 20

// childCrash writes one transaction after the other, each with all of its parts, the removal of older ones and its number,
// and prints the number when it is stored. It never ends by itself.
func childCrash(path string) error {
	s, err := boltkv.Open(path, boltkv.Options{})
	if err != nil {
		return err
	}
	for {
		var number int
		err := s.Update(func(tx kv.Tx) error {
			last, _, err := tx.Get("number")
			if err != nil {
				return err
			}
			number, _ = strconv.Atoi(string(last))
			number++
			for key, value := range crashState(number) {
				if err := tx.Put(key, []byte(value)); err != nil {
					return err
				}
			}
			for key := range crashState(number - 3) {
				if key != "number" {
					if err := tx.Delete(key); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		fmt.Println(number)
	}
}

// crashState is what transaction number n writes.
func crashState(n int) map[string]string {
	state := map[string]string{"number": strconv.Itoa(n)}
	for part := range crashParts {
		state[fmt.Sprintf("part/%06d/%02d", n, part)] = strings.Repeat(strconv.Itoa(n%10), 700)
	}
	return state
}

// TestAKilledProcessLeavesWholeTransactions kills a writer with SIGKILL in the middle of its updates, again and again, and
// finds every transaction whole: all that were acknowledged, at most one that was not, and no part of another.
func TestAKilledProcessLeavesWholeTransactions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	for round := range 12 {
		c := startChild(t, "crash", path)
		acknowledged := 0
		for range 3 + 2*round {
			acknowledged = number(t, c.line(t))
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(c.stdout) // what it printed before it died
		_ = c.Wait()
		if lines := strings.Fields(string(rest)); len(lines) > 0 {
			acknowledged = number(t, lines[len(lines)-1])
		}
		checkAfterCrash(t, path, acknowledged)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func checkAfterCrash(t *testing.T, path string, acknowledged int) {
	t.Helper()
	s := open(t, path) // which finds the record of a dead holder, and a file in order
	got := contents(t, s)
	last := number(t, got["number"])
	if last != acknowledged && last != acknowledged+1 {
		t.Errorf("the last transaction is %d; %d was acknowledged", last, acknowledged)
	}
	want := map[string]string{}
	for n := max(1, last-2); n <= last; n++ {
		for key, value := range crashState(n) {
			want[key] = value
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after transaction %d (-want +got):\n%s", last, diff)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
