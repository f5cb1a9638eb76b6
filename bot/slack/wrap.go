package slack

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// units is the size of text as Slack's limits count it, taken on the safe side: UTF-16 code units, of which characters
// outside the basic plane need two.
func units(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// wrap cuts text into pieces of at most limit units. Joined together they are the text again. It cuts after a line break
// if there is one in the second half of a piece, else after a space there, else between two characters as people see them.
func wrap(text string, limit int) []string {
	var pieces []string
	for text != "" {
		n := prefix(text, limit)
		if n < len(text) {
			n = cut(text, n)
		}
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

// prefix is the length in bytes of the longest beginning of at most limit units, and at least one character.
func prefix(text string, limit int) int {
	used := 0
	for i, r := range text {
		used++
		if r > 0xffff {
			used++
		}
		if used > limit && i > 0 {
			return i
		}
	}
	return len(text)
}

// cut moves the end of a piece back to a better place.
func cut(text string, n int) int {
	for _, at := range []string{"\n", " "} {
		if i := strings.LastIndex(text[:n], at); i+1 > n/2 {
			return i + 1
		}
	}
	return boundary(text, n)
}

// boundary moves n back to where text may be cut between two characters, if there is such a place nearby.
func boundary(text string, n int) int {
	for i, tries := n, 0; i > 0 && tries < 32; tries++ {
		if between(text, i) {
			return i
		}
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return n
}

// between reports whether text may be cut at i: not before a mark or a skin tone, which belong to what stands before them,
// and not within a flag.
func between(text string, i int) bool {
	next, _ := utf8.DecodeRuneInString(text[i:])
	switch {
	case unicode.Is(unicode.M, next), next >= 0x1f3fb && next <= 0x1f3ff:
		return false
	case !isRegional(next):
		return true
	}
	before := 0
	for rest := text[:i]; ; before++ {
		r, size := utf8.DecodeLastRuneInString(rest)
		if !isRegional(r) {
			break
		}
		rest = rest[:len(rest)-size]
	}
	return before%2 == 0
}

// isRegional says that a character is half of a flag.
func isRegional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }
