package sandbox

import (
	"slices"
	"strings"
)

// conversationsList is conversations.list: public channels unless types says otherwise, private ones only as a member.
func conversationsList(s *Sandbox, c *call) (reply, error) {
	types := strings.Split(c.text("types"), ",")
	if c.text("types") == "" {
		types = []string{"public_channel"}
	}
	wanted := map[bool]bool{} // by IsPrivate
	for _, t := range types {
		switch strings.TrimSpace(t) {
		case "public_channel":
			wanted[false] = true
		case "private_channel":
			wanted[true] = true
		case "im", "mpim": // there are none
		default:
			return nil, refuse("invalid_types")
		}
	}
	var rooms []*room
	for _, r := range s.rooms {
		mine := !r.IsPrivate || r.has(s.opt.App.BotUserID)
		if !wanted[r.IsPrivate] || !mine || r.IsArchived && c.flag("exclude_archived") {
			continue
		}
		if err := c.needs(r.readScope()); err != nil {
			return nil, err
		}
		rooms = append(rooms, r)
	}
	rooms, next, err := pageOf(c, rooms, func(r *room) string { return r.ID }, 100)
	if err != nil {
		return nil, err
	}
	channels := make([]map[string]any, 0, len(rooms))
	for _, r := range rooms {
		channels = append(channels, s.conversation(r, true))
	}
	return reply{"channels": channels, nextCursor: next}, nil
}

// conversationsInfo is conversations.info.
func conversationsInfo(s *Sandbox, c *call) (reply, error) {
	r, err := s.roomForBot(c.text("channel"))
	if err != nil {
		return nil, err
	}
	if err := c.needs(r.readScope()); err != nil {
		return nil, err
	}
	return reply{"channel": s.conversation(r, c.flag("include_num_members"))}, nil
}

// conversationsMembers is conversations.members.
func conversationsMembers(s *Sandbox, c *call) (reply, error) {
	r, err := s.roomForBot(c.text("channel"))
	if err != nil {
		return nil, err
	}
	if err := c.needs(r.readScope()); err != nil {
		return nil, err
	}
	members, next, err := pageOf(c, r.Members, func(id string) string { return id }, 100)
	if err != nil {
		return nil, err
	}
	return reply{"members": slices.Clone(members), nextCursor: next}, nil
}

// conversationsJoin is conversations.join, for public channels.
func conversationsJoin(s *Sandbox, c *call) (reply, error) {
	r, err := s.roomForBot(c.text("channel"))
	if err != nil {
		return nil, err
	}
	switch {
	case r.IsArchived:
		return nil, refuse("is_archived")
	case r.IsPrivate:
		return nil, refuse("method_not_supported_for_channel_type")
	case r.has(s.opt.App.BotUserID):
		c.warnings = append(c.warnings, "already_in_channel")
	default:
		s.join(r, s.opt.App.BotUserID, "")
	}
	return reply{"channel": s.conversation(r, false)}, nil
}
