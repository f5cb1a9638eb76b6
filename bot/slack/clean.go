package slack

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks may stand on one character. More are towers that cover other lines.
const maxMarks = 6

// cleanLine makes text fit for one line: what does not print is taken out, line breaks and tabs become spaces.
func cleanLine(text string) string { return clean(text, false) }

// cleanBlock does the same and keeps line breaks and tabs, for preformatted text.
func cleanBlock(text string) string { return clean(text, true) }

// clean takes out control characters, terminal escape sequences, and characters that have no width or change the
// direction of writing. What is no UTF-8 becomes the replacement character. Cleaning clean text changes nothing.
func clean(text string, block bool) string {
	if prints(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	marks, before := 0, rune(0)
	for text != "" {
		if n := escapeSequence(text); n > 0 {
			text = text[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case r == '\r' && strings.HasPrefix(text, "\n"):
			continue
		case breaks(r):
			r = '\n'
		case isSelector(r):
			if !unicode.Is(unicode.So, before) || r < 0xfe0e || r > 0xfe0f {
				continue
			}
		case r != '\t' && hidden(r):
			continue
		}
		if !block && (r == '\n' || r == '\t') {
			r = ' '
		}
		if unicode.Is(unicode.M, r) {
			if marks++; marks > maxMarks {
				continue
			}
		} else {
			marks = 0
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// prints reports whether the text is printable ASCII, which almost all text is.
func prints(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

func breaks(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

func isSelector(r rune) bool { return unicode.Is(unicode.Variation_Selector, r) }

// hidden reports whether a character shows nothing of its own. Characters of format (Cf) are the zero-width ones, those of
// direction, the tags; the others listed count as letters or marks and show nothing all the same.
func hidden(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2065, 0x3164, 0xffa0:
		return true
	}
	nonCharacter := r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef
	unassigned := r >= 0xfff0 && r <= 0xfff8 || r >= 0xe0000 && r <= 0xe0fff
	return nonCharacter || unassigned || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)
}

// escapeSequence returns the length of the terminal escape sequence that the text begins with, or 0.
func escapeSequence(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	rest := text[size:]
	switch r {
	case 0x9b:
		return size + controlSequence(rest)
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return size + controlString(rest)
	case 0x1b:
	default:
		return 0
	}
	if rest == "" {
		return size
	}
	switch rest[0] {
	case '[':
		return size + 1 + controlSequence(rest[1:])
	case ']', 'P', 'X', '^', '_':
		return size + 1 + controlString(rest[1:])
	}
	// Any other one is intermediate bytes and a final byte.
	n := span(rest, 0x20, 0x2f)
	if n < len(rest) && rest[n] >= 0x30 && rest[n] <= 0x7e {
		n++
	}
	return size + n
}

// controlSequence is the length of what follows a CSI: parameters, intermediate bytes, a final byte. It sets colours and
// moves the cursor.
func controlSequence(text string) int {
	n := span(text, 0x30, 0x3f)
	n += span(text[n:], 0x20, 0x2f)
	if n < len(text) && text[n] >= 0x40 && text[n] <= 0x7e {
		n++
	}
	return n
}

// controlString is the length of what follows the start of a title or a terminal link, up to its end on the same line. One
// without an end would swallow the rest of the text: it is not skipped, and so stays readable.
func controlString(text string) int {
	for i, r := range text {
		switch {
		case r == 0x07 || r == 0x9c:
			return i + utf8.RuneLen(r)
		case r == 0x1b && strings.HasPrefix(text[i+1:], "\\"):
			return i + 2
		case r == '\n' || r == 0x1b:
			return 0
		}
	}
	return 0
}

// span counts the bytes at the beginning of the text that lie between low and high.
func span(text string, low, high byte) int {
	n := 0
	for n < len(text) && text[n] >= low && text[n] <= high {
		n++
	}
	return n
}
