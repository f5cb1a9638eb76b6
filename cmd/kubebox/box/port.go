package box

import (
	"net"
	"strconv"
)

// loopback is the only address on which anything listens.
const loopback = "127.0.0.1"

// port is a TCP port of the loopback address that was found free and is held for a child.
type port struct {
	number uint16
	close  func()
}

func (p *port) String() string  { return strconv.Itoa(int(p.number)) }
func (p *port) address() string { return net.JoinHostPort(loopback, p.String()) }
