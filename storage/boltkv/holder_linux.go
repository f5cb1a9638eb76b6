package boltkv

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// lockHolders returns the processes that hold a lock on the file, by the kernel's list. It is empty if the list cannot be
// read, or if the holder lives in another pid namespace.
func lockHolders(info fs.FileInfo) []int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	f, err := os.Open("/proc/locks")
	if err != nil {
		return nil
	}
	defer f.Close()
	// The device is printed as the kernel keeps it, major and minor apart; st_dev has the encoding of glibc's makedev.
	dev := uint64(stat.Dev)
	major := (dev>>8)&0xfff | (dev>>32)&^0xfff
	minor := dev&0xff | (dev>>12)&^0xff
	return parseLocks(f, fmt.Sprintf("%02x:%02x:%d", major, minor, stat.Ino))
}

// parseLocks finds the owners of the flocks on one file in a list like (proc_locks(5))
//
//	1: FLOCK  ADVISORY  WRITE 2451 fd:01:1572867 0 EOF
//	1: -> FLOCK  ADVISORY  WRITE 2460 fd:01:1572867 0 EOF
//
// where the arrow marks one who waits.
func parseLocks(r io.Reader, file string) []int {
	var pids []int
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[1] != "FLOCK" || fields[5] != file {
			continue
		}
		if pid, err := strconv.Atoi(fields[4]); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// programOf returns the name that a process was started by, or "" when it may not be known.
func programOf(pid int) string {
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	name, _, _ := bytes.Cut(cmdline, []byte{0})
	if len(name) == 0 {
		return ""
	}
	return oneLine(filepath.Base(string(name)))
}
