package sandbox

import (
	"regexp"
	"slices"
	"strings"
)

// Person acts in the workspace as one of its users, as they would in Slack's own client.
type Person struct {
	sandbox *Sandbox
	id      string
}

// As returns the person with this user id. Whether they exist and may act shows when they do.
func (s *Sandbox) As(user string) *Person { return &Person{sandbox: s, id: user} }

// Say writes a message as typed: @name, @group, @here and #channel become mentions, &, < and > are escaped. With a
// thread it is a reply. Errors: account_inactive, channel_not_found, not_in_channel, is_archived, no_text, msg_too_long.
func (p *Person) Say(channel, thread, typed string) (Message, error) {
	s := p.sandbox
	s.mu.Lock()
	defer s.mu.Unlock()
	u, r, err := p.in(channel)
	switch {
	case err != nil:
		return Message{}, err
	case strings.TrimSpace(typed) == "":
		return Message{}, refuse("no_text")
	case len([]rune(typed)) > maxText:
		return Message{}, refuse("msg_too_long")
	case thread != "" && r.find(thread) < 0:
		return Message{}, refuse("thread_not_found")
	}
	m := Message{
		Type: "message", ClientMsgID: envelopeID(), User: u.ID, Team: u.TeamID, TS: s.nextTS(), Text: s.encodeTyped(typed),
	}
	return s.post(r, m, thread, false), nil
}

// Join enters a public channel. Guests and strangers cannot.
func (p *Person) Join(channel string) error {
	s := p.sandbox
	s.mu.Lock()
	defer s.mu.Unlock()
	u, err := p.user()
	if err != nil {
		return err
	}
	r, ok := s.room(channel)
	switch {
	case !ok || !r.visibleTo(u):
		return refuse("channel_not_found")
	case r.IsArchived:
		return refuse("is_archived")
	}
	s.join(r, u.ID, "")
	return nil
}

// Invite brings another user, or the bot, into a channel.
func (p *Person) Invite(channel, user string) error {
	s := p.sandbox
	s.mu.Lock()
	defer s.mu.Unlock()
	_, r, err := p.in(channel)
	if err != nil {
		return err
	}
	if _, ok := s.user(user); !ok {
		return refuse("user_not_found")
	}
	s.join(r, user, p.id)
	return nil
}

// React adds an emoji to a message, or takes it away when it is there already.
func (p *Person) React(channel, ts, name string) error {
	s := p.sandbox
	s.mu.Lock()
	defer s.mu.Unlock()
	_, r, err := p.in(channel)
	if err != nil {
		return err
	}
	i := r.find(ts)
	if i < 0 {
		return refuse("message_not_found")
	}
	m, added := reacted(r.messages[i], name, p.id)
	if !added {
		m = unreacted(r.messages[i], name, p.id)
	}
	s.replace(r, i, m)
	return nil
}

func (p *Person) user() (User, error) {
	u, ok := p.sandbox.user(p.id)
	switch {
	case !ok:
		return u, refuse("user_not_found")
	case u.Deleted:
		return u, refuse("account_inactive")
	case u.IsBot:
		return u, refuse("not_allowed_token_type")
	}
	return u, nil
}

// in returns the person and the channel, if they can act there. The caller holds the lock.
func (p *Person) in(channel string) (User, *room, error) {
	u, err := p.user()
	if err != nil {
		return u, nil, err
	}
	r, ok := p.sandbox.room(channel)
	switch {
	case !ok || !r.visibleTo(u):
		return u, nil, refuse("channel_not_found")
	case r.IsArchived:
		return u, nil, refuse("is_archived")
	case !r.has(u.ID):
		return u, nil, refuse("not_in_channel")
	}
	return u, r, nil
}

// encodeTyped turns what a person typed into message text, as Slack's client does.
func (s *Sandbox) encodeTyped(typed string) string {
	text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(typed)
	return regexp.MustCompile(`(^|[^\w@#])([@#])([a-z0-9][a-z0-9._-]*)`).ReplaceAllStringFunc(text, func(found string) string {
		at := strings.IndexAny(found, "@#")
		before, sigil, name := found[:at], found[at], found[at+1:]
		rest := name[len(strings.TrimRight(name, "._-")):] // a full stop ends the sentence, not the name
		name = strings.TrimSuffix(name, rest)
		if mention := s.mention(sigil, name); mention != "" {
			return before + mention + rest
		}
		return found
	})
}

func (s *Sandbox) mention(sigil byte, name string) string {
	if sigil == '#' {
		if i := slices.IndexFunc(s.rooms, func(r *room) bool { return r.Name == name && !r.IsPrivate }); i >= 0 {
			return "<#" + s.rooms[i].ID + "|" + name + ">"
		}
		return ""
	}
	if slices.Contains([]string{"here", "channel", "everyone"}, name) {
		return "<!" + name + ">"
	}
	for _, u := range s.users {
		if u.Name == name {
			return "<@" + u.ID + ">"
		}
	}
	for _, g := range s.groups {
		if g.Handle == name {
			return "<!subteam^" + g.ID + "|@" + name + ">"
		}
	}
	return ""
}
