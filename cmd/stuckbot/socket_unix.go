//go:build unix

package main

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// listenUnix binds a socket that only the owner may use, from the first moment.
func listenUnix(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	before := syscall.Umask(0o177)
	defer syscall.Umask(before)
	return net.Listen("unix", path)
}
