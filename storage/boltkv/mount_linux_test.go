package boltkv_test

import (
	"fmt"
	"syscall"
)

// mountSmall mounts an empty file system of so many bytes.
func mountSmall(dir string, size int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
}
