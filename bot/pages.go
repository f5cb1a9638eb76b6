package bot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Split cuts a message into pages, at least one, each of which the platform shows whole. Nothing of the message is lost.
// Cutting the same message again gives the same pages. A platform's transport provides it.
type Split func(Message) []Message

// PageNote is what a page of several says at its end.
func PageNote(page, of int) string { return fmt.Sprintf("page %d of %d", page, of) }

// emptyPage stands where a page was that the message no longer needs.
func emptyPage() Message {
	const text = "This message has become shorter: nothing stands here any more."
	return Message{Summary: text, Blocks: []Block{Note(T(text))}}
}

// Pages cuts messages that are too long. The first page keeps its message's key; the others are replies in its thread
// under that key with #2, #3 and so on, so that the key of a message must not end like that. known looks a key up, as
// MessageStore.Message does: pages that have not changed are left out, and pages that an earlier, longer content needed
// are emptied. Pages must see a message before it is queued, every time.
func Pages(split Split, known func(key string) (Outgoing, bool, error), out []Outgoing) ([]Outgoing, error) {
	if split == nil {
		return out, nil
	}
	var all []Outgoing
	for _, o := range out {
		pages := split(o.Message)
		first := o
		first.Message = pages[0]
		all = append(all, first)
		for n := 2; ; n++ {
			page := reply(o, n)
			old, found, err := known(page.Key)
			if err != nil {
				return nil, fmt.Errorf("look for page %s: %w", page.Key, err)
			}
			if n > len(pages) && !found {
				break
			}
			page.Message = emptyPage()
			if n <= len(pages) {
				page.Message = pages[n-1]
			}
			if !found || old.Dead != "" || !same(old.Message, page.Message) {
				all = append(all, page)
			}
		}
	}
	return all, nil
}

// reply returns the n-th page of a message, without content. What already stands in a thread goes on in that thread.
func reply(o Outgoing, n int) Outgoing {
	page := Outgoing{Key: pageKey(o.Key, n), Place: o.Place, Root: o.Root, Created: o.Created}
	if page.Root == "" && page.Place.Thread == "" {
		page.Root = o.Key
	}
	return page
}

func pageKey(key string, n int) string { return key + "#" + strconv.Itoa(n) }

// pageBefore returns the key of the page that stands before this one, or "" when the key is that of a first page.
func pageBefore(key string) string {
	at := strings.LastIndexByte(key, '#')
	if at < 0 {
		return ""
	}
	n, err := strconv.Atoi(key[at+1:])
	switch {
	case err != nil || n < 2 || pageKey(key[:at], n) != key:
		return ""
	case n == 2:
		return key[:at]
	}
	return pageKey(key[:at], n-1)
}

// same compares messages as they are stored.
func same(a, b Message) bool {
	ja, errA := json.Marshal(a)
	jb, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(ja, jb)
}
