package box

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestLogLinesBecomeThoseOfAKubelet(t *testing.T) {
	now := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ name, in, file, text string }{
		{"nothing", "", "", ""},
		{"plain", "a\nb\n", "2026-11-30T20:00:00.000000000Z stdout F a\n2026-11-30T20:00:00.000001000Z stdout F b\n", "a\nb\n"},
		{"no newline at the end", "a", "2026-11-30T20:00:00.000000000Z stdout F a\n", "a\n"},
		{"empty line", "\n", "2026-11-30T20:00:00.000000000Z stdout F \n", "\n"},
		{"windows", "a\r\n", "2026-11-30T20:00:00.000000000Z stdout F a\n", "a\n"},
		{"kubelet's", "2020-01-01T00:00:00Z stderr F x y\n", "2020-01-01T00:00:00Z stderr F x y\n", "x y\n"},
		{"kubelet's parts", "2020-01-01T00:00:00Z stdout P x\n2020-01-01T00:00:00Z stdout F:t y\n", "2020-01-01T00:00:00Z stdout P x\n2020-01-01T00:00:00Z stdout F:t y\n", "xy\n"},
		{"a time alone is plain", "2020-01-01T00:00:00Z hello", "2026-11-30T20:00:00.000000000Z stdout F 2020-01-01T00:00:00Z hello\n", "2020-01-01T00:00:00Z hello\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file, text := toCRI([]byte(tt.in), now)
			if string(file) != tt.file || string(text) != tt.text {
				t.Errorf("the file is %q and reads %q,\nwant        %q that reads %q", file, text, tt.file, tt.text)
			}
		})
	}
}

// Whatever a log file holds, all that kwok gets are lines that it can read, and they stay as they are when read again.
func FuzzEveryLogBecomesOneThatKwokCanRead(f *testing.F) {
	f.Add("plain\nlines")
	f.Add("2020-01-01T00:00:00Z stdout P part\n")
	f.Add("2020-01-01T00:00:00Z stdout F\n\xff\x00")
	f.Fuzz(func(t *testing.T, in string) {
		file, text := toCRI([]byte(in), time.Now())
		for line := range bytes.Lines(file) {
			if _, _, ok := parseCRI(bytes.TrimSuffix(line, []byte("\n"))); !ok {
				t.Errorf("%q is not a kubelet's line", line)
			}
		}
		if again, same := toCRI(file, time.Now()); !bytes.Equal(again, file) || !bytes.Equal(same, text) {
			t.Errorf("%q becomes %q when read again", file, again)
		}
		if strings.Count(in, "\n") > bytes.Count(file, []byte("\n")) {
			t.Errorf("%q lost lines: %q", in, file)
		}
	})
}
