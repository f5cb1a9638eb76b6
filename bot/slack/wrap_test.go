package slack

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		limit      int
		want       []string
	}{
		{"short", "abc", 10, []string{"abc"}},
		{"nothing", "", 10, nil},
		{"at a line break", "aaaa\nbb bb bb", 8, []string{"aaaa\n", "bb bb bb"}},
		{"at a space", "aaaa bbbb cccc", 11, []string{"aaaa bbbb ", "cccc"}},
		{"a space too early is no place", "a bbbbbbbbbbbbb", 10, []string{"a bbbbbbbb", "bbbbb"}},
		{"one long word", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"not before a mark", "abce\u0301fg", 4, []string{"abc", "e\u0301fg"}},
		{"not before a skin tone", "ab👍🏽c", 4, []string{"ab", "👍🏽", "c"}},
		{"not within a flag", "a🇳🇱🇩🇪", 7, []string{"a🇳🇱", "🇩🇪"}},
		{"characters of two units", "𝒳𝒳𝒳𝒳", 4, []string{"𝒳𝒳", "𝒳𝒳"}},
		{"a tower that does not fit", "a\u0301\u0301\u0301\u0301", 2, []string{"a\u0301", "\u0301\u0301", "\u0301"}},
		{"a character that does not fit", "𝒳b", 1, []string{"𝒳", "b"}},
	} {
		if diff := cmp.Diff(tc.want, wrap(tc.text, tc.limit)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("hello world", 3)
	f.Add("🇳🇱🇩🇪 é\u0301", 2)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		text = strings.ToValidUTF8(text, "\ufffd")
		limit = 2 + (limit&0x7fffffff)%100
		pieces := wrap(text, limit)
		if strings.Join(pieces, "") != text {
			t.Fatalf("wrap(%q, %d) loses text: %q", text, limit, pieces)
		}
		for _, p := range pieces {
			if p == "" || units(p) > limit || !utf8.ValidString(p) {
				t.Errorf("wrap(%q, %d) gives %q", text, limit, p)
			}
		}
	})
}
