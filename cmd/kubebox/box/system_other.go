//go:build !linux

package box

import (
	"fmt"
	"net"
	"syscall"
)

// childAttributes puts a component into a process group of its own, out of reach of a terminal's Ctrl-C. When its parent
// dies while it is stopped, POSIX has the kernel hang it up, since its group is orphaned then.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func commandAttributes() *syscall.SysProcAttr { return nil }

// reservePort finds a free loopback port. Unlike on Linux another process could take it before it is used.
func reservePort() (*port, error) {
	l, err := net.Listen("tcp4", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return &port{number: uint16(l.Addr().(*net.TCPAddr).Port), close: func() {}}, nil
}
