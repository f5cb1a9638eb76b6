package slack

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, tc := range []struct{ name, in, line, block string }{
		{"ASCII", "prod-eu <a&b> *x* `y`", "prod-eu <a&b> *x* `y`", "prod-eu <a&b> *x* `y`"},
		{"letters of the world", "Zürich 上海 Ελλάδα عربي हिन्दी 한국", "Zürich 上海 Ελλάδα عربي हिन्दी 한국", "Zürich 上海 Ελλάδα عربي हिन्दी 한국"},
		{"spaces around", " a  b ", " a  b ", " a  b "},
		{"line breaks", "a\nb\r\nc\rd\u2028e\vf", "a b c d e f", "a\nb\nc\nd\ne\nf"},
		{"tab", "a\tb", "a b", "a\tb"},
		{"controls", "a\x00b\x07c\x7fd\u0085e\u0099f", "abcd ef", "abcd\nef"},
		{"colour", "\x1b[31;1mred\x1b[0m", "red", "red"},
		{"cursor", "safe\x1b[2K\x1b[1Aforged", "safeforged", "safeforged"},
		{"eight-bit colour", "\u009b31mred", "red", "red"},
		{"terminal link", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "click", "click"},
		{"window title", "\x1b]0;title\x07text", "text", "text"},
		{"unfinished link", "\x1b]8;;http://evil.example", "8;;http://evil.example", "8;;http://evil.example"},
		{"character set", "\x1b(Btext\x1b=", "text", "text"},
		{"lone escape", "a\x1b", "a", "a"},
		{"bidi", "a\u202egpj.exe\u202c \u2066b\u2069\u200f", "agpj.exe b", "agpj.exe b"},
		{"zero width", "pr\u200bod\u200c-\u200deu\ufeff\u2060\u00ad", "prod-eu", "prod-eu"},
		{"fillers", "a\u115f\u1160\u3164\uffa0b\u034f", "ab", "ab"},
		{"tags", "a\U000e0041\U000e007fb", "ab", "ab"},
		{"selectors on letters", "a\ufe0fb\ufe01\U000e0101", "ab", "ab"},
		{"selector on an emoji", "⚠\ufe0f!", "⚠\ufe0f!", "⚠\ufe0f!"},
		{"noncharacters", "a\ufffe\uffffb\ufdd0", "ab", "ab"},
		{"no UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd", "a\ufffdb\ufffd"},
		{"tower", "a" + strings.Repeat("\u0301", 50) + "b", "a" + strings.Repeat("\u0301", maxMarks) + "b", "a" + strings.Repeat("\u0301", maxMarks) + "b"},
	} {
		if got := cleanLine(tc.in); got != tc.line {
			t.Errorf("%s: line %q, want %q", tc.name, got, tc.line)
		}
		if got := cleanBlock(tc.in); got != tc.block {
			t.Errorf("%s: block %q, want %q", tc.name, got, tc.block)
		}
	}
}

// harmless reports what of a text could do harm.
func harmless(text string, block bool) string {
	if !utf8.ValidString(text) {
		return "it is no UTF-8"
	}
	before := rune(0)
	for _, r := range text {
		switch {
		case block && (r == '\n' || r == '\t'):
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), r == 0x2028, r == 0x2029:
			return "it holds " + string(r)
		case unicode.Is(unicode.Variation_Selector, r) && !unicode.Is(unicode.So, before):
			return "it holds a selector that shows nothing"
		}
		before = r
	}
	return ""
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31mred", "\x1b]8;;x\x07", "\u202e", "⚠\ufe0f\ufe0f", "a\xff", "\x1b\x1b[[m", "\r\n\r", "\u009b\u009d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, block := range []bool{false, true} {
			got := clean(text, block)
			if problem := harmless(got, block); problem != "" {
				t.Errorf("clean(%q) = %q: %s", text, got, problem)
			}
			if again := clean(got, block); again != got {
				t.Errorf("clean(%q) = %q and again %q", text, got, again)
			}
		}
	})
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"<!channel>", "<@U0ALICE>", "&lt;", "a & b", "<http://x|y>", "&amp;lt;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := escape(text)
		if strings.ContainsAny(got, "<>") {
			t.Errorf("escape(%q) = %q", text, got)
		}
		rest := strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(got)
		if strings.Contains(rest, "&") {
			t.Errorf("escape(%q) = %q has an & of its own", text, got)
		}
		if back := unescape(got); back != text {
			t.Errorf("unescape(escape(%q)) = %q", text, back)
		}
	})
}
