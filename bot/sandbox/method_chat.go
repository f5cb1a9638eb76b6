package sandbox

import "slices"

// chatPostMessage is chat.postMessage.
func chatPostMessage(s *Sandbox, c *call) (reply, error) {
	r, err := s.postable(c)
	if err != nil {
		return nil, err
	}
	body, warnings, err := s.readContent(c.args)
	if err != nil {
		return nil, err
	}
	c.warnings = append(c.warnings, warnings...)
	if body.empty() {
		return nil, refuse("no_text")
	}
	m := s.post(r, s.fromBot(body), c.text("thread_ts"), c.flag("reply_broadcast"))
	return reply{"channel": r.ID, "ts": m.TS, "message": m}, nil
}

// postable returns the channel that the call wants to write to, if the bot may.
func (s *Sandbox) postable(c *call) (*room, error) {
	r, err := s.roomForBot(c.text("channel"))
	switch {
	case err != nil:
		return nil, err
	case r.IsArchived:
		return nil, refuse("is_archived")
	case !r.has(s.opt.App.BotUserID) && !slices.Contains(c.scopes, "chat:write.public"):
		return nil, refuse("not_in_channel")
	}
	return r, nil
}

// chatPostEphemeral is chat.postEphemeral: the user must be in the channel.
func chatPostEphemeral(s *Sandbox, c *call) (reply, error) {
	r, err := s.postable(c)
	if err != nil {
		return nil, err
	}
	user := c.text("user")
	if user == "" {
		return nil, missingArgument("user")
	}
	if u, ok := s.user(user); !ok || u.Deleted {
		return nil, refuse("user_not_found")
	}
	if !r.has(user) {
		return nil, refuse("user_not_in_channel")
	}
	body, warnings, err := s.readContent(c.args)
	if err != nil {
		return nil, err
	}
	c.warnings = append(c.warnings, warnings...)
	if body.empty() {
		return nil, refuse("no_text")
	}
	m := s.postEphemeral(r, user, s.fromBot(body), c.text("thread_ts"))
	return reply{"message_ts": m.TS}, nil
}

// chatUpdate is chat.update. What is not sent stays as it is, but text without blocks takes the blocks away; the mark
// of an edit shows only when the blocks were not sent.
func chatUpdate(s *Sandbox, c *call) (reply, error) {
	r, i, err := s.ownMessage(c, "cant_update_message")
	if err != nil {
		return nil, err
	}
	if r.IsArchived {
		return nil, refuse("is_archived")
	}
	body, warnings, err := s.readContent(c.args)
	if err != nil {
		return nil, err
	}
	c.warnings = append(c.warnings, warnings...)
	if !c.has("text") && !c.has("blocks") && !c.has("attachments") {
		return nil, refuse("no_text")
	}
	before := r.messages[i]
	m := edit(before, c.args, body)
	if m.Text == "" && m.Blocks == nil && m.Attachments == nil {
		return nil, refuse("no_text")
	}
	if !c.has("blocks") {
		m.Edited = &Edited{User: s.opt.App.BotUserID, TS: s.nextTS()}
	}
	s.replace(r, i, m)
	s.changedEvent(r, m, before)
	return reply{"channel": r.ID, "ts": m.TS, "text": m.Text, "message": m}, nil
}

// edit returns the message with what the arguments change.
func edit(m Message, a args, body content) Message {
	switch {
	case a.has("blocks"):
		m.Blocks = body.blocks
	case a.has("text"):
		m.Blocks = nil
	}
	if a.has("text") {
		m.Text = body.text
	}
	if a.has("attachments") {
		m.Attachments = body.attachments
	}
	if a.has("metadata") {
		m.Metadata = body.metadata
	}
	return m
}

// chatDelete is chat.delete.
func chatDelete(s *Sandbox, c *call) (reply, error) {
	r, i, err := s.ownMessage(c, "cant_delete_message")
	if err != nil {
		return nil, err
	}
	ts := r.messages[i].TS
	s.remove(r, i)
	return reply{"channel": r.ID, "ts": ts}, nil
}

// ownMessage finds the message that the call names by channel and ts, if it is the app's own.
func (s *Sandbox) ownMessage(c *call, notOwn string) (*room, int, error) {
	r, err := s.roomForBot(c.text("channel"))
	if err != nil {
		return nil, 0, err
	}
	if c.text("ts") == "" {
		return nil, 0, missingArgument("ts")
	}
	i := r.find(c.text("ts"))
	if i < 0 {
		return nil, 0, refuse("message_not_found")
	}
	if r.messages[i].BotID != s.opt.App.BotID {
		return nil, 0, refuse(notOwn)
	}
	return r, i, nil
}

// chatGetPermalink is chat.getPermalink. The page serves the address.
func chatGetPermalink(s *Sandbox, c *call) (reply, error) {
	r, err := s.roomForBot(c.text("channel"))
	if err != nil {
		return nil, err
	}
	ts := c.text("message_ts")
	if ts == "" {
		return nil, missingArgument("message_ts")
	}
	i := r.find(ts)
	if i < 0 {
		return nil, refuse("message_not_found")
	}
	return reply{"channel": r.ID, "permalink": s.permalink(r, r.messages[i])}, nil
}
