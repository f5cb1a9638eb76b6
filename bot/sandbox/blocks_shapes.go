package sandbox

import "fmt"

const maxIDChars = 255 // of action_id and block_id

// blockShapes are the blocks a message may have.
func (r *blockRules) blockShapes() map[string]shape {
	blockID := may(str(0, maxIDChars))
	return map[string]shape{
		"divider": {fields: map[string]field{"block_id": blockID}},
		"header": {fields: map[string]field{
			"block_id": blockID, "text": must(text(1, 150, "plain_text")), "level": may(integer(1, 4)),
		}},
		"section": {
			fields: map[string]field{
				"block_id":  blockID,
				"text":      may(text(1, 3000, "plain_text", "mrkdwn")),
				"fields":    may(list(1, 10, text(1, 2000, "plain_text", "mrkdwn"))),
				"accessory": may(oneOf(r.actions)),
				"expand":    may(boolean),
			},
			rest: sectionNeedsText,
		},
		"context": {fields: map[string]field{"block_id": blockID, "elements": must(list(1, 10, oneOf(r.context)))}},
		"actions": {
			fields: map[string]field{"block_id": blockID, "elements": must(list(1, 25, r.interactive()))},
			rest:   uniqueActionIDs,
		},
		"image": {fields: map[string]field{
			"block_id": blockID, "image_url": must(webURL), "alt_text": must(str(1, 2000)), "title": may(text(1, 2000, "plain_text")),
		}},
		"rich_text": {fields: map[string]field{"block_id": blockID, "elements": must(list(1, 1000, oneOf(r.richText)))}},
	}
}

// interactive is what an actions block may hold: not an image.
func (r *blockRules) interactive() check {
	return oneOf(map[string]shape{"button": r.actions["button"]})
}

func sectionNeedsText(v *validation, ptr string, o object) {
	if o["text"] == nil && o["fields"] == nil {
		v.fail(ptr, "missing required field: text")
	}
	if button, ok := o["accessory"].(object); ok {
		fillActionID(button, map[string]bool{})
	}
}

// uniqueActionIDs refuses the same action_id twice in one block. In two blocks it may occur.
func uniqueActionIDs(v *validation, ptr string, o object) {
	elements, _ := o["elements"].([]any)
	seen := map[string]bool{}
	for i, e := range elements {
		el, ok := e.(object)
		if !ok {
			continue
		}
		id, _ := el["action_id"].(string)
		if id != "" && seen[id] {
			v.fail(fmt.Sprintf("%s/elements/%d/action_id", ptr, i), "`action_id` %q already exists", id)
		}
		seen[id] = true
	}
	for _, e := range elements {
		if el, ok := e.(object); ok {
			fillActionID(el, seen)
		}
	}
}

// fillActionID gives an interactive element the action_id that the app left out, as Slack does.
func fillActionID(el object, taken map[string]bool) {
	if id, _ := el["action_id"].(string); el["type"] == "image" || id != "" {
		return
	}
	id := randomID(5)
	for taken[id] {
		id = randomID(5)
	}
	taken[id] = true
	el["action_id"] = id
}

func buttonShape() shape {
	return shape{fields: map[string]field{
		"text":                must(text(1, 75, "plain_text")),
		"action_id":           may(str(0, maxIDChars)),
		"value":               may(str(0, 2000)),
		"url":                 may(webURL),
		"style":               may(among("primary", "danger")),
		"confirm":             may(shaped(confirmShape())),
		"accessibility_label": may(str(1, 75)),
	}}
}

func confirmShape() shape {
	return shape{fields: map[string]field{
		"title":   must(text(1, 100, "plain_text")),
		"text":    must(text(1, 300, "plain_text", "mrkdwn")),
		"confirm": must(text(1, 30, "plain_text")),
		"deny":    must(text(1, 30, "plain_text")),
		"style":   may(among("primary", "danger")),
	}}
}

func imageElementShape() shape {
	return shape{fields: map[string]field{"image_url": must(webURL), "alt_text": must(str(1, 2000))}}
}

// textShape is a text object. emoji belongs to plain_text, verbatim to mrkdwn.
func textShape(high int) shape {
	return shape{
		fields: map[string]field{"text": must(counted(1, high)), "emoji": may(boolean), "verbatim": may(boolean)},
		rest: func(v *validation, ptr string, o object) {
			switch o["type"] {
			case "mrkdwn":
				refuseProperty(v, ptr, o, "emoji")
				fill(o, "verbatim", false)
			case "plain_text":
				refuseProperty(v, ptr, o, "verbatim")
				fill(o, "emoji", true)
			}
		},
	}
}

// text wants a text object of one of the kinds.
func text(low, high int, kinds ...string) check {
	shapes := map[string]shape{}
	for _, k := range kinds {
		s := textShape(high)
		s.fields["text"] = must(counted(low, high))
		shapes[k] = s
	}
	return func(v *validation, ptr string, value any) {
		before := len(v.problems)
		oneOf(shapes)(v, ptr, value)
		if len(v.problems) > before && len(kinds) > 1 { // Slack says first that no kind of text fits
			v.problems = append(v.problems[:before], append([]string{
				"failed to match all allowed schemas [json-pointer:" + ptr + "]"}, v.problems[before:]...)...)
		}
	}
}

func refuseProperty(v *validation, ptr string, o object, name string) {
	if _, ok := o[name]; ok {
		v.fail(ptr, "invalid additional property: %s", name)
	}
}

func fill(o object, name string, value any) {
	if _, ok := o[name]; !ok {
		o[name] = value
	}
}
