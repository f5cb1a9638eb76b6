package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

const (
	maxText        = 40000 // characters of a message's text
	maxAttachments = 100
)

// readContent reads what a message is to say from the arguments of chat.*, of a response_url or of an acknowledgement.
// Its warnings are Slack's.
func (s *Sandbox) readContent(a args) (c content, warnings []string, err error) {
	c.text = a.text("text")
	if utf8.RuneCountInString(c.text) > maxText {
		return c, nil, refuse("msg_too_long")
	}
	if raw := a.raw("blocks"); len(raw) > 0 {
		if c.blocks, err = s.blocks.parse(raw); err != nil {
			return c, nil, err
		}
	}
	if raw := a.raw("attachments"); len(raw) > 0 {
		if c.attachments, err = s.readAttachments(raw); err != nil {
			return c, nil, err
		}
	}
	if raw := a.raw("metadata"); len(raw) > 0 {
		var warning string
		if c.metadata, warning, err = parseMetadata(raw); err != nil {
			return c, nil, err
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	return c, warnings, nil
}

// readAttachments reads legacy attachments. Only their blocks are validated; Slack passes over what is no array.
func (s *Sandbox) readAttachments(raw []byte) (json.RawMessage, error) {
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return nil, nil
	}
	if len(list) > maxAttachments {
		return nil, refuse("too_many_attachments")
	}
	for i, att := range list {
		if att == nil { // null
			return nil, nil
		}
		id, err := json.Marshal(i + 1)
		if err != nil {
			return nil, err
		}
		att["id"] = id
		blocks, ok := att["blocks"]
		if !ok || bytes.Equal(blocks, []byte("null")) {
			continue
		}
		if att["blocks"], err = s.blocks.parse(blocks); err != nil {
			if e := new(Error); errors.As(err, &e) && len(e.Problems) > 0 {
				return nil, refuse("invalid_blocks", fmt.Sprintf("attachment %d: %s", i, e.Problems[0]))
			}
			return nil, err
		}
		if att["blocks"] == nil {
			delete(att, "blocks")
		}
	}
	return encodeJSON(list)
}
