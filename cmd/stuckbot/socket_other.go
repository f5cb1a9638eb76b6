//go:build !unix

package main

import (
	"errors"
	"net"
)

func listenUnix(string) (net.Listener, error) {
	return nil, errors.New("serve needs a system with sockets in the file system, such as Linux or macOS")
}
