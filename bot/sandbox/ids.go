package sandbox

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// randomText returns about n characters of lower-case base32, for tokens, tickets and other secrets.
func randomText(n int) string {
	return strings.ToLower(randomID(n))
}

// randomID returns n characters as Slack's ids have them.
func randomID(n int) string {
	raw := make([]byte, n)
	rand.Read(raw) // never fails
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw)[:n]
}

// envelopeID returns a random UUID, the form of Slack's envelope ids.
func envelopeID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// nextTS returns a message timestamp ("seconds.microseconds") that is later than every one before. A ts is the id of a
// message in its channel. The caller holds the lock.
func (s *Sandbox) nextTS() string {
	micros := s.opt.Now().UnixMicro()
	if micros <= s.lastTS {
		micros = s.lastTS + 1
	}
	s.lastTS = micros
	return formatTS(time.UnixMicro(micros))
}

func formatTS(t time.Time) string {
	return fmt.Sprintf("%d.%06d", t.Unix(), t.Nanosecond()/1000)
}
