package sandbox

import (
	"regexp"
	"slices"
)

// conversationsHistory is conversations.history: newest first, without replies, at most 999 at a time.
func conversationsHistory(s *Sandbox, c *call) (reply, error) {
	r, err := s.readable(c)
	if err != nil {
		return nil, err
	}
	messages, err := inWindow(c, r.messages)
	if err != nil {
		return nil, err
	}
	messages = slices.DeleteFunc(messages, func(m Message) bool { return !m.inChannel() })
	slices.Reverse(messages)
	return messagesPage(c, messages, 100, 999)
}

// conversationsReplies is conversations.replies: the parent first, then its replies, oldest first.
func conversationsReplies(s *Sandbox, c *call) (reply, error) {
	r, err := s.readable(c)
	if err != nil {
		return nil, err
	}
	ts := c.text("ts")
	if ts == "" {
		return nil, missingArgument("ts")
	}
	i := r.find(ts)
	if i < 0 {
		return nil, refuse("thread_not_found")
	}
	root := r.messages[i]
	replies := slices.DeleteFunc(slices.Clone(r.messages), func(m Message) bool { return !m.isReply() || m.ThreadTS != root.TS })
	if replies, err = inWindow(c, replies); err != nil {
		return nil, err
	}
	return messagesPage(c, append([]Message{root}, replies...), 1000, 1000)
}

// readable returns the channel whose messages the caller wants, if it may read them.
func (s *Sandbox) readable(c *call) (*room, error) {
	r, err := s.roomForBot(c.text("channel"))
	if err != nil {
		return nil, err
	}
	if err := c.needs(r.historyScope()); err != nil {
		return nil, err
	}
	if !r.has(s.opt.App.BotUserID) {
		return nil, refuse("not_in_channel")
	}
	return r, nil
}

// inWindow keeps the messages between oldest and latest.
func inWindow(c *call, messages []Message) ([]Message, error) {
	oldest, latest := c.text("oldest"), c.text("latest")
	inclusive := c.flag("inclusive")
	low, okLow := padTS(oldest, "0")
	high, okHigh := padTS(latest, "99999999999.000000")
	switch {
	case !okLow:
		return nil, refuse("invalid_ts_oldest")
	case !okHigh:
		return nil, refuse("invalid_ts_latest")
	}
	return slices.DeleteFunc(slices.Clone(messages), func(m Message) bool {
		ts, _ := padTS(m.TS, "")
		if inclusive {
			return ts < low || ts > high
		}
		return ts <= low || ts >= high
	}), nil
}

// padTS brings a timestamp to a form that sorts as text.
func padTS(ts, standard string) (string, bool) {
	if ts == "" {
		ts = standard
	}
	parts := regexp.MustCompile(`^(\d{1,11})(?:\.(\d{1,6}))?$`).FindStringSubmatch(ts)
	if parts == nil {
		return "", false
	}
	const zeros = "00000000000"
	return zeros[len(parts[1]):] + parts[1] + "." + parts[2] + zeros[:6-len(parts[2])], true
}

func messagesPage(c *call, messages []Message, standard, most int) (reply, error) {
	if n, _ := c.number("limit", standard); n > most {
		return nil, refuse("invalid_limit")
	}
	cut, next, err := pageOf(c, messages, func(m Message) string { return m.TS }, standard)
	if err != nil {
		return nil, err
	}
	shown := make([]Message, 0, len(cut))
	for _, m := range cut {
		if !c.flag("include_all_metadata") {
			m = m.withoutMetadata()
		}
		shown = append(shown, m)
	}
	out := reply{"messages": shown, "has_more": next != "", "pin_count": 0}
	if next != "" {
		out[nextCursor] = next
	}
	return out, nil
}
