package box

import (
	"bytes"
	"time"
)

// criTime is how a kubelet's log files write times.
const criTime = "2006-01-02T15:04:05.000000000Z"

// toCRI converts the content of a log file to the form of a kubelet's log files, which is what kwok reads: lines that are
// in it already stay as they are, plain lines become output at the time now, each a microsecond after the one before so
// that their order is in their times too. It also returns the text that a client gets when it reads the log.
func toCRI(data []byte, now time.Time) (file, text []byte) {
	now = now.UTC()
	for line := range bytes.Lines(data) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		content, partial, ok := parseCRI(line)
		if !ok {
			content, partial = bytes.TrimSuffix(line, []byte("\r")), false
			line = append([]byte(now.Format(criTime)+" stdout F "), content...)
			now = now.Add(time.Microsecond)
		}
		file = append(append(file, line...), '\n')
		text = append(text, content...)
		if !partial {
			text = append(text, '\n')
		}
	}
	return file, text
}

// parseCRI splits a line of the form "TIME stdout|stderr TAGS CONTENT", where the first of the tags, separated by colons,
// is P when the line goes on in the next one and F when it ends.
func parseCRI(line []byte) (content []byte, partial, ok bool) {
	stamp, rest, found := bytes.Cut(line, []byte(" "))
	if !found {
		return nil, false, false
	}
	if _, err := time.Parse(time.RFC3339Nano, string(stamp)); err != nil {
		return nil, false, false
	}
	stream, rest, found := bytes.Cut(rest, []byte(" "))
	if !found || string(stream) != "stdout" && string(stream) != "stderr" {
		return nil, false, false
	}
	tags, content, found := bytes.Cut(rest, []byte(" "))
	first, _, _ := bytes.Cut(tags, []byte(":"))
	if !found || string(first) != "F" && string(first) != "P" {
		return nil, false, false
	}
	return content, string(first) == "P", true
}
