package boltkv

import (
	"slices"
	"strings"
	"testing"
)

func TestParseLocks(t *testing.T) {
	const list = `1: FLOCK  ADVISORY  WRITE 2451 fd:01:1572867 0 EOF
1: -> FLOCK  ADVISORY  WRITE 2460 fd:01:1572867 0 EOF
2: POSIX  ADVISORY  WRITE 99 fd:01:1572867 0 EOF
3: FLOCK  ADVISORY  READ  77 fd:01:1572867 0 EOF
4: FLOCK  ADVISORY  WRITE 13 fd:01:15728670 0 EOF
5: FLOCK  ADVISORY  WRITE 14 08:01:1572867 0 EOF
6: FLOCK  ADVISORY  WRITE 0 fd:01:1572867 0 EOF
7: OFDLCK ADVISORY  READ -1 fd:01:1572867 0 0

junk
8: FLOCK  ADVISORY  WRITE x fd:01:1572867 0 EOF
`
	got := parseLocks(strings.NewReader(list), "fd:01:1572867")
	if want := []int{2451, 77}; !slices.Equal(want, got) {
		t.Errorf("holders %v; want %v", got, want)
	}
}
