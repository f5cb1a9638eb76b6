package sandbox

import (
	"encoding/json"
	"slices"
)

// Message is a message with Slack's field names.
type Message struct {
	Type            string          `json:"type"`
	Subtype         string          `json:"subtype,omitempty"`
	ClientMsgID     string          `json:"client_msg_id,omitempty"`
	User            string          `json:"user,omitempty"`
	Inviter         string          `json:"inviter,omitempty"`
	BotID           string          `json:"bot_id,omitempty"`
	AppID           string          `json:"app_id,omitempty"`
	BotProfile      *BotProfile     `json:"bot_profile,omitempty"`
	Team            string          `json:"team,omitempty"`
	Text            string          `json:"text"`
	TS              string          `json:"ts"`
	ThreadTS        string          `json:"thread_ts,omitempty"`
	ParentUserID    string          `json:"parent_user_id,omitempty"`
	ReplyCount      int             `json:"reply_count,omitempty"`
	ReplyUsersCount int             `json:"reply_users_count,omitempty"`
	ReplyUsers      []string        `json:"reply_users,omitempty"`
	LatestReply     string          `json:"latest_reply,omitempty"`
	Blocks          json.RawMessage `json:"blocks,omitempty"`
	Attachments     json.RawMessage `json:"attachments,omitempty"`
	Edited          *Edited         `json:"edited,omitempty"`
	Reactions       []Reaction      `json:"reactions,omitempty"`
	Metadata        *Metadata       `json:"metadata,omitempty"`
	IsEphemeral     bool            `json:"is_ephemeral,omitempty"`
}

// BotProfile names the app that wrote a message.
type BotProfile struct {
	ID      string `json:"id"`
	AppID   string `json:"app_id"`
	Name    string `json:"name"`
	TeamID  string `json:"team_id"`
	Deleted bool   `json:"deleted"`
	Updated int64  `json:"updated"`
}

// Edited says who last edited a message, and when.
type Edited struct {
	User string `json:"user"`
	TS   string `json:"ts"`
}

// Reaction is an emoji under a message.
type Reaction struct {
	Name  string   `json:"name"`
	Count int      `json:"count"`
	Users []string `json:"users"`
}

// content is what a caller wants said, after validation.
type content struct {
	text        string
	blocks      json.RawMessage
	attachments json.RawMessage
	metadata    *Metadata
}

func (c content) empty() bool { return c.text == "" && c.blocks == nil && c.attachments == nil }

// isReply reports whether the message is a reply in a thread and not the thread's parent.
func (m Message) isReply() bool { return m.ThreadTS != "" && m.ThreadTS != m.TS }

// inChannel reports whether the message shows in the channel and not only in its thread.
func (m Message) inChannel() bool { return !m.isReply() || m.Subtype == "thread_broadcast" }

// fromBot returns a message of the app. The caller holds the lock.
func (s *Sandbox) fromBot(c content) Message {
	return Message{
		Type: "message", User: s.opt.App.BotUserID, BotID: s.opt.App.BotID, AppID: s.opt.App.ID, Team: s.team.ID,
		BotProfile: &BotProfile{
			ID: s.opt.App.BotID, AppID: s.opt.App.ID, Name: s.opt.App.Name, TeamID: s.team.ID, Updated: s.started.Unix(),
		},
		TS: s.nextTS(), Text: c.text, Blocks: c.blocks, Attachments: c.attachments, Metadata: c.metadata,
	}
}

// post puts a message into the channel, or into the thread it names; broadcast shows a reply in the channel as well.
// A thread whose parent is gone does not stop it: the message then stands in the channel, as at Slack.
func (s *Sandbox) post(r *room, m Message, thread string, broadcast bool) Message {
	if i := r.find(thread); thread != "" && i >= 0 {
		if root := r.messages[i]; root.isReply() { // a reply to a reply belongs to the same thread
			thread = root.ThreadTS
			i = r.find(thread)
		}
		if i >= 0 {
			m.ThreadTS, m.ParentUserID = thread, r.messages[i].User
			if broadcast {
				m.Subtype = "thread_broadcast"
			}
			s.countReply(r, i, m)
		}
	}
	r.add(m, s.opt.Limits.Messages)
	s.publish(Change{Type: ChangeMessage, Channel: r.ID, Message: &m})
	s.messageEvents(r, m)
	return m
}

// countReply notes a new reply on the thread's parent.
func (s *Sandbox) countReply(r *room, i int, reply Message) {
	root := r.messages[i]
	root.ThreadTS = root.TS
	root.ReplyCount++
	root.LatestReply = reply.TS
	if !slices.Contains(root.ReplyUsers, reply.User) {
		root.ReplyUsers = append(slices.Clone(root.ReplyUsers), reply.User)
	}
	root.ReplyUsersCount = len(root.ReplyUsers)
	s.replace(r, i, root)
}

// replace puts a changed message in place of the one at i. The caller holds the lock.
func (s *Sandbox) replace(r *room, i int, m Message) {
	r.messages[i] = m
	s.publish(Change{Type: ChangeMessageChanged, Channel: r.ID, Message: &m})
}

// remove deletes the message at i and takes it off its thread's count. The caller holds the lock.
func (s *Sandbox) remove(r *room, i int) {
	m := r.messages[i]
	r.messages = slices.Delete(slices.Clone(r.messages), i, i+1)
	if root := r.find(m.ThreadTS); m.isReply() && root >= 0 {
		parent := r.messages[root]
		parent.ReplyCount--
		s.replace(r, root, parent)
	}
	s.publish(Change{Type: ChangeMessageDeleted, Channel: r.ID, TS: m.TS, ThreadTS: m.ThreadTS})
	s.deletedEvent(r, m)
}

// postEphemeral shows a message to one person. The caller holds the lock.
func (s *Sandbox) postEphemeral(r *room, user string, m Message, thread string) Message {
	m.IsEphemeral, m.ThreadTS = true, thread
	r.addEphemeral(ephemeral{user: user, Message: m}, s.opt.Limits.Ephemerals)
	s.publish(Change{Type: ChangeMessage, Channel: r.ID, Only: user, Message: &m})
	return m
}

// tell shows a person a line of the workspace's own, as Slackbot does. The caller holds the lock.
func (s *Sandbox) tell(r *room, user, text, thread string) {
	m := Message{Type: "message", User: slackbotID, TS: s.nextTS(), Text: text, Team: s.team.ID}
	s.postEphemeral(r, user, m, thread)
}

// withoutMetadata is the message as it reads without include_all_metadata.
func (m Message) withoutMetadata() Message {
	m.Metadata = nil
	return m
}
