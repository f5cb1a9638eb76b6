package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	maxBlocks = 50 // of a message; a modal has 100
	// maxBlockChars is the sum of characters over all blocks. Slack does not document it; about 13,200 was measured.
	maxBlockChars = 13200
)

// object is a JSON object under validation.
type object = map[string]any

// check looks at one value, notes what is wrong with it, and may fill in what Slack fills in.
type check func(v *validation, ptr string, value any)

// field is one property of a shape.
type field struct {
	required bool
	check    check
}

// shape says which properties an object may have. rest looks at the object as a whole.
type shape struct {
	fields map[string]field
	rest   func(v *validation, ptr string, o object)
}

// blockRules are Block Kit's rules for messages, as far as the sandbox knows them: header, section, context, actions,
// divider, image and rich_text with buttons and images. Other types are refused as unsupported.
type blockRules struct {
	blocks   map[string]shape
	actions  map[string]shape // what stands in an actions block or beside a section
	context  map[string]shape // what stands in a context block
	richText map[string]shape // the parts of a rich_text block
	inline   map[string]shape // what stands in those parts
}

func newBlockRules() *blockRules {
	r := &blockRules{}
	r.actions = map[string]shape{"button": buttonShape(), "image": imageElementShape()}
	r.context = map[string]shape{"image": imageElementShape(), "mrkdwn": textShape(3000), "plain_text": textShape(3000)}
	r.inline = inlineShapes()
	r.richText = r.richTextShapes()
	r.blocks = r.blockShapes()
	return r
}

// validation is one run over the blocks of a message.
type validation struct {
	problems []string
	blockIDs map[string]bool
	chars    int
}

func (v *validation) fail(ptr, format string, args ...any) {
	if len(v.problems) < 100 {
		v.problems = append(v.problems, fmt.Sprintf(format, args...)+" [json-pointer:"+ptr+"]")
	}
}

// parse validates the blocks of a message and returns them as Slack stores them, with the ids it gives those that have
// none. An empty array gives nil. Errors are invalid_blocks_format, invalid_blocks and msg_blocks_too_long.
func (r *blockRules) parse(raw []byte) (json.RawMessage, error) {
	blocks, err := decodeBlocks(raw)
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	v := &validation{blockIDs: map[string]bool{}}
	r.validate(v, "/blocks", blocks)
	if len(v.problems) > 0 {
		return nil, refuse("invalid_blocks", v.problems...)
	}
	if v.chars > maxBlockChars {
		return nil, refuse("msg_blocks_too_long")
	}
	return encodeJSON(blocks)
}

func decodeBlocks(raw []byte) ([]any, error) {
	var blocks []any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&blocks); err != nil || blocks == nil {
		return nil, refuse("invalid_blocks_format")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, refuse("invalid_blocks_format")
	}
	for _, b := range blocks {
		if _, ok := b.(object); !ok {
			return nil, refuse("invalid_blocks_format")
		}
	}
	return blocks, nil
}

func (r *blockRules) validate(v *validation, ptr string, blocks []any) {
	if len(blocks) > maxBlocks {
		v.fail(ptr, "no more than %d items allowed", maxBlocks)
		return
	}
	for i, b := range blocks {
		oneOf(r.blocks)(v, fmt.Sprintf("%s/%d", ptr, i), b)
	}
	for i, b := range blocks { // ids given by Slack must not meet those of the app
		v.fillBlockID(fmt.Sprintf("%s/%d", ptr, i), b.(object))
	}
}

func (v *validation) fillBlockID(ptr string, block object) {
	id, _ := block["block_id"].(string)
	if id == "" {
		for id = randomID(5); v.blockIDs[id]; {
			id = randomID(5)
		}
		block["block_id"] = id
	} else if v.blockIDs[id] {
		v.fail(ptr+"/block_id", "`block_id` %q already exists", id)
	}
	v.blockIDs[id] = true
}

// apply checks an object against a shape.
func (s shape) apply(v *validation, ptr string, o object) {
	for _, name := range sortedKeys(o) {
		if f, ok := s.fields[name]; ok {
			f.check(v, ptr+"/"+name, o[name])
		} else if name != "type" {
			v.fail(ptr, "invalid additional property: %s", name)
		}
	}
	for _, name := range sortedKeys(s.fields) {
		if _, ok := o[name]; !ok && s.fields[name].required {
			v.fail(ptr, "missing required field: %s", name)
		}
	}
	if s.rest != nil {
		s.rest(v, ptr, o)
	}
}

// count adds to the characters of the message.
func (v *validation) count(text string) { v.chars += utf8.RuneCountInString(text) }
