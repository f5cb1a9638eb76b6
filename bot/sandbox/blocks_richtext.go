package sandbox

// richTextShapes are the parts of a rich_text block.
func (r *blockRules) richTextShapes() map[string]shape {
	inline := oneOf(r.inline)
	section := shape{fields: map[string]field{"elements": must(list(0, 1000, inline))}}
	border := may(integer(0, 1))
	plain := oneOf(map[string]shape{"text": r.inline["text"], "link": r.inline["link"]})
	return map[string]shape{
		"rich_text_section": section,
		"rich_text_quote":   {fields: map[string]field{"elements": must(list(0, 1000, inline)), "border": border}},
		"rich_text_preformatted": {fields: map[string]field{
			"elements": must(list(0, 1000, plain)), "border": border, "language": may(str(0, 50)),
		}},
		"rich_text_list": {fields: map[string]field{
			"style":    must(among("bullet", "ordered")),
			"elements": must(list(0, 1000, oneOf(map[string]shape{"rich_text_section": section}))),
			"indent":   may(integer(0, 8)),
			"offset":   may(integer(0, 1000000)),
			"border":   border,
		}},
	}
}

// inlineShapes are the elements of a line of rich text.
func inlineShapes() map[string]shape {
	style := may(shaped(shape{fields: map[string]field{
		"bold": may(boolean), "italic": may(boolean), "strike": may(boolean), "code": may(boolean), "underline": may(boolean),
		"highlight": may(boolean), "client_highlight": may(boolean), "unlink": may(boolean),
	}}))
	return map[string]shape{
		"text": {fields: map[string]field{"text": must(counted(1, 12000)), "style": style}},
		"link": {fields: map[string]field{
			"url": must(webURL), "text": may(counted(0, 12000)), "unsafe": may(boolean), "style": style,
		}},
		"emoji": {fields: map[string]field{
			"name": must(str(1, 255)), "unicode": may(str(0, 255)), "skin_tone": may(integer(0, 6)), "style": style,
			"display_url": may(str(0, 3000)), "url": may(str(0, 3000)),
		}},
		"user":      {fields: map[string]field{"user_id": must(str(1, 255)), "style": style}},
		"usergroup": {fields: map[string]field{"usergroup_id": must(str(1, 255)), "style": style}},
		"channel":   {fields: map[string]field{"channel_id": must(str(1, 255)), "style": style}},
		"team":      {fields: map[string]field{"team_id": must(str(1, 255)), "style": style}},
		"broadcast": {fields: map[string]field{"range": must(among("here", "channel", "everyone")), "style": style}},
		"color":     {fields: map[string]field{"value": must(str(1, 50)), "style": style}},
		"date": {fields: map[string]field{
			"timestamp": must(integer(0, 1<<40)), "format": must(str(1, 255)), "timezone": may(str(0, 100)),
			"url": may(webURL), "fallback": may(str(0, 255)), "style": style,
		}},
	}
}
