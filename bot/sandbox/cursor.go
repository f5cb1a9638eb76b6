package sandbox

import (
	"encoding/base64"
	"strings"
)

// nextCursor marks the cursor in a handler's reply; the answer moves it to response_metadata.
const nextCursor = "\x00next_cursor"

// A cursor is opaque: it names the id of the first item of the next page, in base64, as Slack's do.
func encodeCursor(id string) string {
	return base64.StdEncoding.EncodeToString([]byte("next_id:" + id))
}

func decodeCursor(cursor string) (id string, err error) {
	raw, err := base64.StdEncoding.DecodeString(cursor)
	if err != nil {
		return "", refuse("invalid_cursor")
	}
	id, ok := strings.CutPrefix(string(raw), "next_id:")
	if !ok {
		return "", refuse("invalid_cursor")
	}
	return id, nil
}

// page cuts the page that the call asks for out of items, by cursor and limit. Slack's limit is at most 1000.
func pageOf[T any](c *call, items []T, id func(T) string, standard int) (cut []T, next string, err error) {
	limit, err := c.number("limit", standard)
	if err != nil {
		return nil, "", err
	}
	if limit == 0 {
		limit = standard
	}
	if limit < 0 || limit > 1000 {
		return nil, "", refuse("invalid_limit")
	}
	start := 0
	if cursor := c.text("cursor"); cursor != "" {
		first, err := decodeCursor(cursor)
		if err != nil {
			return nil, "", err
		}
		for start < len(items) && id(items[start]) != first {
			start++
		}
		if start == len(items) {
			return nil, "", refuse("invalid_cursor")
		}
	}
	items = items[start:]
	if len(items) > limit {
		return items[:limit], encodeCursor(id(items[limit])), nil
	}
	return items, "", nil
}
