package box

import (
	"bytes"
	"io"
	"os"
	"strings"
)

const (
	logTailLines = 15
	logTailBytes = 16 << 10
	logLineBytes = 400
)

// tail returns the last lines of a file, indented, each cut to what fits a screen, or a sentence when there are none.
func tail(path string, lines int) string {
	text, err := readEnd(path, logTailBytes)
	if err != nil {
		return "  (the log cannot be read: " + err.Error() + ")"
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return "  (it wrote nothing)"
	}
	all := strings.Split(string(text), "\n")
	all = all[max(0, len(all)-lines):]
	for i, line := range all {
		if len(line) > logLineBytes {
			line = strings.ToValidUTF8(line[:logLineBytes], "") + "…"
		}
		all[i] = "  " + line
	}
	return strings.Join(all, "\n")
}

func readEnd(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > limit {
		if _, err := f.Seek(-limit, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
