package box

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

const (
	lockName    = "kubebox.lock"
	controlName = "control.json"
	etcdName    = "etcd"
)

// Reasons why a directory is refused.
var (
	// ErrInUse: another kubebox runs on the directory.
	ErrInUse = errors.New("in use")
	// ErrForeign: the directory holds files that kubebox did not make.
	ErrForeign = errors.New("not kubebox's")
)

// home is the directory of a running kubebox. A lock that the kernel releases with the process says that it is in use;
// the control file in it says what kubebox made there, and only that is ever deleted.
type home struct {
	dir  string
	lock *os.File
	// stale is the pid of the killed kubebox whose remains were deleted, or 0.
	stale int

	mu      sync.Mutex
	control control
}

// claim takes dir, which is made when it does not exist, for this process. What a killed kubebox left in it is deleted.
func claim(dir, kubeconfig string) (*home, error) {
	created, err := makeDir(dir)
	if err != nil {
		return nil, err
	}
	h := &home{dir: dir, control: control{Program: program, PID: os.Getpid(), Created: created, Kubeconfig: kubeconfig}}
	if err := h.take(); err != nil {
		if created {
			_ = os.Remove(dir)
		}
		return nil, err
	}
	if err := h.inherit(); err != nil {
		h.unlock()
		return nil, err
	}
	if err := h.save(); err != nil {
		h.unlock()
		return nil, err
	}
	return h, nil
}

func makeDir(dir string) (created bool, err error) {
	err = os.Mkdir(dir, 0o700)
	if err == nil {
		return true, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("make the directory: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return false, fmt.Errorf("look at the directory: %w", err)
	}
	if !info.IsDir() {
		return false, fmt.Errorf("%s is not a directory", dir)
	}
	return false, nil
}

// take locks the directory. A directory with content must be marked as kubebox's before a lock file is put into it.
func (h *home) take() error {
	if err := refuseForeign(h.dir); err != nil {
		return err
	}
	path := filepath.Join(h.dir, lockName)
	for {
		lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return fmt.Errorf("open the lock: %w", err)
		}
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			lock.Close()
			return h.inUse(err)
		}
		// A kubebox that just stopped may have deleted the file between the two calls; then this locks nothing.
		if sameFile(lock, path) {
			h.lock = lock
			return nil
		}
		lock.Close()
	}
}

func (h *home) inUse(err error) error {
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("lock %s: %w", h.dir, err)
	}
	other, err := readControl(h.dir)
	if err != nil {
		return fmt.Errorf("%s is %w by another kubebox", h.dir, ErrInUse)
	}
	return fmt.Errorf("%s is %w by the kubebox with pid %d: stop it or choose another --dir", h.dir, ErrInUse, other.PID)
}

func sameFile(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// refuseForeign refuses a directory that has content and no control file of kubebox.
func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look into the directory: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == lockName })
	if len(entries) == 0 {
		return nil
	}
	_, err = readControl(dir)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is not empty and %w: choose a new or an empty directory for --dir", dir, ErrForeign)
	default:
		return fmt.Errorf("%s is %w: %w", dir, ErrForeign, err)
	}
}

// inherit deletes the remains of a kubebox that was killed on this directory.
func (h *home) inherit() error {
	old, err := readControl(h.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	h.stale = old.PID
	h.control.Created = h.control.Created || old.Created
	return deleteMade(h.dir, old)
}

// own records that kubebox makes an entry of this name in the directory. It must be called before the entry is made, so
// that the next kubebox knows it even if this one is killed in between.
func (h *home) own(entry string) error {
	return h.update(func(c *control) {
		if !slices.Contains(c.Entries, entry) {
			c.Entries = append(c.Entries, entry)
		}
	})
}

// discard deletes an entry that kubebox made, and its record.
func (h *home) discard(entry string) error {
	if err := os.RemoveAll(filepath.Join(h.dir, entry)); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	return h.update(func(c *control) {
		c.Entries = slices.DeleteFunc(c.Entries, func(e string) bool { return e == entry })
	})
}

func (h *home) update(change func(*control)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.control)
	return h.control.write(h.dir)
}

func (h *home) save() error { return h.update(func(*control) {}) }

// release deletes everything that kubebox made and gives the directory back. Files of others, and then the directory
// too, stay.
func (h *home) release() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := errors.Join(deleteMade(h.dir, h.control), remove(filepath.Join(h.dir, controlName)))
	h.unlock()
	if !h.control.Created {
		return err
	}
	if rm := remove(h.dir); !errors.Is(rm, syscall.ENOTEMPTY) {
		err = errors.Join(err, rm)
	}
	return err
}

// remove deletes a file or an empty directory; already gone is fine.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// unlock deletes the lock file before it releases the lock, so that who takes the lock next finds the file gone and makes
// another.
func (h *home) unlock() {
	_ = os.Remove(h.lock.Name())
	_ = h.lock.Close()
}

// deleteMade deletes what c says was made, and the kubeconfig if it still is kubebox's.
func deleteMade(dir string, c control) error {
	err := removeKubeconfig(c.Kubeconfig, dir)
	for _, entry := range c.Entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry)))
	}
	// A kubebox that was killed while it wrote its control file left a temporary one.
	halves, _ := filepath.Glob(filepath.Join(dir, "."+controlName+"-*"))
	for _, half := range halves {
		err = errors.Join(err, remove(half))
	}
	return err
}
