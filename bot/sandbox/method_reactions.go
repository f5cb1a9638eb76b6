package sandbox

import (
	"regexp"
	"slices"
)

// reactionsAdd is reactions.add.
func reactionsAdd(s *Sandbox, c *call) (reply, error) {
	name := c.text("name")
	switch {
	case name == "":
		return nil, refuse("no_reaction")
	case !regexp.MustCompile(`^[a-z0-9_+'-]{1,100}(::skin-tone-[2-6])?$`).MatchString(name):
		return nil, refuse("invalid_name")
	}
	r, err := s.roomForBot(c.text("channel"))
	if err != nil {
		return nil, err
	}
	if c.text("timestamp") == "" {
		return nil, refuse("no_item_specified")
	}
	i := r.find(c.text("timestamp"))
	switch {
	case i < 0:
		return nil, refuse("message_not_found")
	case r.IsArchived:
		return nil, refuse("is_archived")
	case !r.has(s.opt.App.BotUserID):
		return nil, refuse("not_in_channel")
	}
	m, added := reacted(r.messages[i], name, s.opt.App.BotUserID)
	if !added {
		return nil, refuse("already_reacted")
	}
	s.replace(r, i, m)
	return reply{}, nil
}

// reacted returns the message with the user's reaction, and whether it is new.
func reacted(m Message, name, user string) (Message, bool) {
	m.Reactions = slices.Clone(m.Reactions)
	for i, re := range m.Reactions {
		if re.Name != name {
			continue
		}
		if slices.Contains(re.Users, user) {
			return m, false
		}
		re.Users = append(slices.Clone(re.Users), user)
		re.Count = len(re.Users)
		m.Reactions[i] = re
		return m, true
	}
	m.Reactions = append(m.Reactions, Reaction{Name: name, Count: 1, Users: []string{user}})
	return m, true
}

// unreacted returns the message without the user's reaction.
func unreacted(m Message, name, user string) Message {
	var left []Reaction
	for _, re := range m.Reactions {
		if re.Name == name {
			re.Users = slices.DeleteFunc(slices.Clone(re.Users), func(u string) bool { return u == user })
			re.Count = len(re.Users)
		}
		if re.Count > 0 {
			left = append(left, re)
		}
	}
	m.Reactions = left
	return m
}
