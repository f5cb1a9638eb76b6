package sandbox

import (
	"slices"
	"sort"
	"strings"
	"time"
)

// Channel describes a channel and who is in it.
type Channel struct {
	ID          string
	Name        string
	Topic       string
	Purpose     string
	Creator     string
	IsPrivate   bool
	IsArchived  bool
	IsExtShared bool     // shared with another organisation
	Members     []string // user ids; the bot's too
}

// room is a channel with what was said in it. Messages are values that are replaced and never changed, so that they can
// be handed out without a copy of what they point to.
type room struct {
	Channel
	created    time.Time
	messages   []Message // ascending by ts, replies included
	ephemerals []ephemeral
}

// ephemeral is a message that one person sees.
type ephemeral struct {
	user string
	Message
}

func (r *room) has(user string) bool { return slices.Contains(r.Members, user) }

// visibleTo reports whether the user may read the channel: members do, and full members may look into public ones.
func (r *room) visibleTo(u User) bool {
	return r.has(u.ID) || !r.IsPrivate && !u.guest()
}

// find returns the index of the message with this ts, or -1.
func (r *room) find(ts string) int {
	i := sort.Search(len(r.messages), func(i int) bool { return r.messages[i].TS >= ts })
	if i < len(r.messages) && r.messages[i].TS == ts {
		return i
	}
	return -1
}

func (r *room) findEphemeral(ts string) int {
	return slices.IndexFunc(r.ephemerals, func(e ephemeral) bool { return e.TS == ts })
}

func (r *room) add(m Message, limit int) {
	r.messages = append(r.messages, m)
	if over := len(r.messages) - limit; over > 0 {
		r.messages = slices.Delete(r.messages, 0, over)
	}
}

func (r *room) addEphemeral(e ephemeral, limit int) {
	r.ephemerals = append(r.ephemerals, e)
	if over := len(r.ephemerals) - limit; over > 0 {
		r.ephemerals = slices.Delete(r.ephemerals, 0, over)
	}
}

// historyScope is the scope one needs to read the channel's messages.
func (r *room) historyScope() string {
	if r.IsPrivate {
		return "groups:history"
	}
	return "channels:history"
}

// readScope is the scope one needs to know of the channel.
func (r *room) readScope() string {
	if r.IsPrivate {
		return "groups:read"
	}
	return "channels:read"
}

// room returns a channel by id. The caller holds the lock.
func (s *Sandbox) room(id string) (*room, bool) {
	for _, r := range s.rooms {
		if r.ID == id {
			return r, true
		}
	}
	return nil, false
}

// roomFor returns the channel that the bot names by id or "#name", when the bot may know of it.
func (s *Sandbox) roomForBot(ref string) (*room, error) {
	if ref == "" {
		return nil, missingArgument("channel")
	}
	name := strings.TrimPrefix(ref, "#")
	for _, r := range s.rooms {
		if (r.ID == ref || r.Name == name) && (!r.IsPrivate || r.has(s.opt.App.BotUserID)) {
			return r, nil
		}
	}
	return nil, refuse("channel_not_found")
}

// conversation is a channel as conversations.* shows it.
func (s *Sandbox) conversation(r *room, numMembers bool) map[string]any {
	c := map[string]any{
		"id": r.ID, "name": r.Name, "name_normalized": r.Name,
		"is_channel": !r.IsPrivate, "is_group": r.IsPrivate, "is_private": r.IsPrivate, "is_im": false, "is_mpim": false,
		"is_archived": r.IsArchived, "is_general": false, "is_member": r.has(s.opt.App.BotUserID),
		"is_shared": r.IsExtShared, "is_ext_shared": r.IsExtShared, "is_org_shared": false, "is_pending_ext_shared": false,
		"created": r.created.Unix(), "creator": r.Creator, "context_team_id": s.team.ID, "unlinked": 0,
		"topic":   map[string]any{"value": r.Topic, "creator": r.Creator, "last_set": r.created.Unix()},
		"purpose": map[string]any{"value": r.Purpose, "creator": r.Creator, "last_set": r.created.Unix()},
	}
	if numMembers {
		c["num_members"] = len(r.Members)
	}
	return c
}

// join makes the user a member, with the message and the event that Slack makes of it. The caller holds the lock.
func (s *Sandbox) join(r *room, user, inviter string) {
	if r.has(user) {
		return
	}
	r.Members = append(r.Members, user)
	subtype := "channel_join"
	if r.IsPrivate {
		subtype = "group_join"
	}
	m := Message{
		Type: "message", Subtype: subtype, User: user, Inviter: inviter, TS: s.nextTS(),
		Text: "<@" + user + "> has joined the channel",
	}
	r.add(m, s.opt.Limits.Messages)
	s.publish(Change{Type: ChangeMembers, Channel: r.ID, User: user})
	s.publish(Change{Type: ChangeMessage, Channel: r.ID, Message: &m})
	s.messageEvents(r, m)
	s.memberJoined(r, user, inviter)
}

// Archive archives or unarchives a channel.
func (s *Sandbox) Archive(channel string, archived bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.room(channel)
	if !ok {
		return refuse("channel_not_found")
	}
	r.IsArchived = archived
	s.publish(Change{Type: ChangeMembers, Channel: r.ID})
	return nil
}

// Leave takes a user out of a channel, without a message.
func (s *Sandbox) Leave(channel, user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.room(channel)
	if !ok {
		return refuse("channel_not_found")
	}
	r.Members = slices.DeleteFunc(slices.Clone(r.Members), func(m string) bool { return m == user })
	s.publish(Change{Type: ChangeMembers, Channel: r.ID, User: user})
	return nil
}
