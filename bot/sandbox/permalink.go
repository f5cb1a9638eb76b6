package sandbox

import (
	"net/url"
	"strings"
)

// permalink is the address of a message. The caller holds the lock.
func (s *Sandbox) permalink(r *room, m Message) string {
	link := s.baseURL + "/archives/" + r.ID + "/p" + strings.ReplaceAll(m.TS, ".", "")
	if m.isReply() {
		link += "?" + url.Values{"thread_ts": {m.ThreadTS}, "cid": {r.ID}}.Encode()
	}
	return link
}
