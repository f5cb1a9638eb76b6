//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package boltkv

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	// mapped is how much address space is set aside. Up to this size the file is never mapped again when it grows, so that
	// the writer does not wait for a long View, nor new readers for the waiting writer.
	mapped = 1 << (24 + 6*(strconv.IntSize/64)) // 1 GiB, or 16 MiB where addresses have 32 bits
	// lockPoll is how often a lock is tried again while waiting for it.
	lockPoll = 50 * time.Millisecond
)

// lock takes the lock that bbolt takes, before anything of the file is believed. bbolt then locks the same open file again,
// which changes nothing. Another's lock gives errHeld after timeout.
func lock(f *os.File, exclusive bool, timeout time.Duration) error {
	how := syscall.LOCK_SH | syscall.LOCK_NB
	if exclusive {
		how = syscall.LOCK_EX | syscall.LOCK_NB
	}
	for deadline := time.Now().Add(timeout); ; {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return os.NewSyscallError("flock", err)
		}
		left := time.Until(deadline)
		if left <= 0 {
			return errHeld
		}
		time.Sleep(min(left, lockPoll))
	}
}

// unlock releases the lock although the file stays mapped, which keeps it open in the kernel's eyes.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// full reports whether err says that there is no space.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// notADirectory reports whether err says that a part of the path is a file.
func notADirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// syncDir makes the entries of a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}
