package box

import (
	"fmt"
	"net/netip"
	"syscall"
)

// childAttributes puts a component into a process group of its own, out of reach of a terminal's Ctrl-C, and has the
// kernel kill it with its parent, even while it is stopped.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// commandAttributes leaves the user's command in the foreground group, so that it keeps the terminal.
func commandAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}

// reservePort finds a free loopback port and keeps it: a socket that is bound and does not listen. Linux gives the port to
// nobody else, refuses connections to it, and still lets a child that asks for exactly this port listen on it, since both
// set SO_REUSEADDR. So there is no moment in which another process can take the port, and a stopped API server comes back
// at its old address.
func reservePort() (*port, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	p := &port{close: func() { _ = syscall.Close(fd) }}
	if p.number, err = bindLoopback(fd); err != nil {
		p.close()
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	return p, nil
}

func bindLoopback(fd int) (uint16, error) {
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, err
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: netip.MustParseAddr(loopback).As4()}); err != nil {
		return 0, err
	}
	address, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	return uint16(address.(*syscall.SockaddrInet4).Port), nil
}
