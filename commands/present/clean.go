package present

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxText bounds an argument of a sentence, in characters. Names in Kubernetes have 253 at most.
	maxText = 400
	// maxMarks bounds combining marks in a row: no language needs more, and towers of them cover other lines.
	maxMarks = 4
)

// Clean makes untrusted text fit for one line of a terminal or a chat, without secrets.
func (p *Printer) Clean(text string) string { return Bound(p.mask(Clean(text)), maxText) }

// Clean takes out of a text what does not print: control characters, escape sequences with what belongs to them,
// characters that change the direction of writing or have no width. Line breaks and other spaces become one space each;
// what is no UTF-8 becomes the replacement character. What is left prints on one line as it reads.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	marks, space := 0, true // leading space is dropped
	for text = skipEscapes(text); text != ""; text = skipEscapes(text) {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case isSpace(r):
			if !space {
				b.WriteByte(' ')
			}
			space, marks = true, 0
			continue
		case invisible(r):
			continue
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		space = false
		b.WriteRune(r)
	}
	return strings.TrimSuffix(b.String(), " ")
}

// plain reports whether a text is printable ASCII with single spaces inside, which almost all text is.
func plain(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' {
			return false
		}
		if c == ' ' && (i == 0 || i == len(text)-1 || text[i-1] == ' ') {
			return false
		}
	}
	return true
}

func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
		return true
	default:
		return unicode.Is(unicode.Zs, r)
	}
}

// invisible reports whether a character prints nothing of its own or changes how others print.
func invisible(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0: // joiners and fillers that count as letters or marks
		return true
	}
	if unicode.Is(unicode.Variation_Selector, r) {
		return true
	}
	return !unicode.IsPrint(r)
}

const escape, csi, osc = '\x1b', '\u009b', '\u009d'

// skipEscapes returns the text after the escape sequences that it begins with.
func skipEscapes(text string) string {
	for {
		r, size := utf8.DecodeRuneInString(text)
		switch r {
		case csi:
			text = skipCSI(text[size:])
		case osc:
			text = skipString(text[size:])
		case escape:
			text = skipEscape(text[size:])
		default:
			return text
		}
	}
}

func skipEscape(text string) string {
	if text == "" {
		return text
	}
	switch text[0] {
	case '[':
		return skipCSI(text[1:])
	case ']', 'P', 'X', '^', '_':
		return skipString(text[1:])
	}
	// Other sequences are intermediate bytes and one final byte.
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 0x20 && c <= 0x2f:
			continue
		case c >= 0x30 && c <= 0x7e:
			return text[i+1:]
		default:
			return text[i:]
		}
	}
	return ""
}

// skipCSI skips parameters, intermediate bytes and the final byte of a control sequence.
func skipCSI(text string) string {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 0x20 && c <= 0x3f:
			continue
		case c >= 0x40 && c <= 0x7e:
			return text[i+1:]
		default:
			return text[i:]
		}
	}
	return ""
}

// skipString skips to the end of a title, link or device string: BEL or the string terminator. One without an end would
// swallow the rest of a message: there only its beginning is skipped.
func skipString(text string) string {
	for i, r := range text {
		switch r {
		case '\a', '\u009c':
			return text[i+utf8.RuneLen(r):]
		case escape:
			return strings.TrimPrefix(text[i+1:], "\\")
		}
	}
	return text
}

// Bound shortens a text to a number of characters, the last of which is an ellipsis.
func Bound(text string, characters int) string {
	if len(text) <= characters || utf8.RuneCountInString(text) <= characters {
		return text
	}
	runes := []rune(text)
	return string(runes[:characters-1]) + "…"
}
