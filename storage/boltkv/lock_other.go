//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package boltkv

import (
	"os"
	"time"
)

// mapped is left to bbolt: on Windows the file would grow to it.
const mapped = 0

// lock leaves the locking to bbolt, which gives its own timeout error. The file is then inspected without a lock.
func lock(*os.File, bool, time.Duration) error { return nil }

func unlock(*os.File) {}

func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return p.Release() == nil
}

func full(error) bool { return false }

func notADirectory(error) bool { return false }

func syncDir(string) error { return nil }
