package boltkv

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Holder is who has a database open. Fields that could not be found out are empty.
type Holder struct {
	PID     int
	Program string
	// Host is the name of the holder's host, or container: the PID is meaningful only there.
	Host string
}

// String returns for example "stuckbot (pid 4711 on host-a)".
func (h Holder) String() string {
	s := h.Program
	if s == "" {
		s = "an unknown program"
	}
	if h.PID == 0 {
		return s
	}
	if h.Host == "" {
		return fmt.Sprintf("%s (pid %d)", s, h.PID)
	}
	return fmt.Sprintf("%s (pid %d on %s)", s, h.PID, h.Host)
}

// recordPath is where the holder of the database at path writes who it is: three lines with its process id, its program's
// name and its host's name.
func recordPath(path string) string { return path + ".pid" }

// writeRecord replaces the record. It is written to a new file first, so that nobody reads half of it.
func writeRecord(path string, h Holder) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".pid-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d\n%s\n%s\n", h.PID, oneLine(h.Program), oneLine(h.Host))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), recordPath(path))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// removeRecord removes the record if it is h's own.
func removeRecord(path string, h Holder) error {
	if recorded, ok := readRecord(path); !ok || recorded != h {
		return nil
	}
	return os.Remove(recordPath(path))
}

func readRecord(path string) (Holder, bool) {
	data, err := os.ReadFile(recordPath(path))
	if err != nil {
		return Holder{}, false
	}
	lines := strings.Split(string(data), "\n")
	if len(lines) != 4 || lines[3] != "" {
		return Holder{}, false
	}
	pid, err := strconv.Atoi(lines[0])
	if err != nil || pid <= 0 {
		return Holder{}, false
	}
	return Holder{PID: pid, Program: lines[1], Host: lines[2]}, true
}

// oneLine keeps a name from breaking the record's lines.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, name)
}

// self is who this process is. program is empty for the name that it was started by.
func self(program string) Holder {
	if program == "" {
		program = filepath.Base(os.Args[0])
	}
	host, _ := os.Hostname()
	return Holder{PID: os.Getpid(), Program: oneLine(program), Host: oneLine(host)}
}

// findHolder says who holds the lock on the database at path, whose file is info. The kernel's list of locks is believed
// before the record, which a killed holder leaves behind; but only the record knows about other hosts and containers.
func findHolder(path string, info fs.FileInfo) Holder {
	recorded, ok := readRecord(path)
	host, _ := os.Hostname()
	if ok && recorded.Host != "" && recorded.Host != oneLine(host) {
		return recorded
	}
	pids := lockHolders(info)
	for _, pid := range pids {
		if ok && pid == recorded.PID {
			return recorded
		}
	}
	for _, pid := range pids {
		if alive(pid) {
			return Holder{PID: pid, Program: programOf(pid), Host: host}
		}
	}
	if ok && alive(recorded.PID) {
		return recorded
	}
	return Holder{}
}
