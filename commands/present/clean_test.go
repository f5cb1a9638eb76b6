package present

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestCleanLeavesWhatPrintsAndNothingElse(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain text":               {"payments/checkout-api", "payments/checkout-api"},
		"other scripts":            {"发布 größer αβγ שלום", "发布 größer αβγ שלום"},
		"colour":                   {"\x1b[31mred\x1b[0m", "red"},
		"cursor movement":          {"ok\x1b[2K\x1b[1A\rFAILED", "ok FAILED"},
		"window title, BEL":        {"a\x1b]0;title\ab", "ab"},
		"link, string terminator":  {"a\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\b", "atextb"},
		"unterminated title":       {"before\x1b]0;after", "before0;after"},
		"unterminated colour":      {"before\x1b[31", "before"},
		"C1 control sequence":      {"a\u009b31mb", "ab"},
		"C1 title":                 {"a\u009d0;t\u009cb", "ab"},
		"charset switch":           {"a\x1b(0b", "ab"},
		"reset":                    {"a\x1bcb", "ab"},
		"lone escape at the end":   {"a\x1b", "a"},
		"escape inside a sequence": {"a\x1b[\x1b[31mb", "ab"},
		"device string":            {"a\x1bPq#0\x1b\\b", "ab"},
		"line breaks":              {"a\r\nb\n\n\tc", "a b c"},
		"line separators":          {"a\u2028b\u2029c\u0085d", "a b c d"},
		"outer and double space":   {"  a   b  ", "a b"},
		"odd spaces":               {"a\u00a0b\u3000c", "a b c"},
		"NUL and backspace":        {"a\x00b\x08c\x7f", "abc"},
		"right-to-left override":   {"admin\u202egnp.exe", "admingnp.exe"},
		"bidi isolates and marks":  {"a\u2066b\u2069c\u200ed\u200fe\u061cf", "abcdef"},
		"zero width":               {"pro\u200bd\u200c-\u200deu\ufeff\u2060", "prod-eu"},
		"soft hyphen, tag letters": {"a\u00adb\U000e0041", "ab"},
		"variation selectors":      {"a\ufe0fb\U000e0100", "ab"},
		"invisible letters":        {"a\u3164b\u115fc\uffa0d\u2800", "abcd"},
		"a tower of marks":         {"a" + strings.Repeat("\u0301", 40) + "b", "a" + strings.Repeat("\u0301", 4) + "b"},
		"no UTF-8":                 {"a\xffb\xc3", "a\ufffdb\ufffd"},
		"private and unassigned":   {"a\ue000b\U0003ffffc", "abc"},
		"nothing":                  {"", ""},
		"only controls":            {"\x1b[0m\x00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Clean(c.in); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"plain", "\x1b[31mred", "\x1b]0;t\a", "\u202e", "a\xff", "\u009b1m", "\x1b\x1b]\x1b", "a  b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) {
				t.Fatalf("%U is left in %q", r, got)
			}
		}
		if again := Clean(got); again != got {
			t.Fatalf("cleaning twice changes %q to %q", got, again)
		}
		if strings.TrimSpace(got) != got || strings.Contains(got, "  ") {
			t.Fatalf("spaces are left in %q", got)
		}
	})
}

func TestBoundShowsThatItCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"发布成功", 3, "发布…"}, {"", 3, ""}} {
		if got := Bound(c.in, c.n); got != c.want {
			t.Errorf("Bound(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
