package box

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// leashFD is where a child finds the read end of its parent's pipe.
const leashFD = 3

// ErrNoLeash is returned by HoldLeash in a process that `kubebox up` did not start.
var ErrNoLeash = errors.New("no pipe to a parent")

// HoldLeash ends this process as soon as the kubebox that started it is gone, however that ended: the kernel then closes
// the pipe. A child that is stopped cannot notice; on Linux the parent-death signal ends it all the same.
func HoldLeash() error {
	leash := os.NewFile(leashFD, "leash")
	if leash == nil {
		return ErrNoLeash
	}
	info, err := leash.Stat()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoLeash, err)
	}
	if info.Mode()&os.ModeNamedPipe == 0 {
		return ErrNoLeash
	}
	go func() {
		_, _ = io.Copy(io.Discard, leash)
		os.Exit(1)
	}()
	return nil
}
