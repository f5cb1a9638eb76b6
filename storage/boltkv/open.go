package boltkv

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"stuckbot/storage/kv"
)

// Options says how to open a database. The zero value is ready to use.
type Options struct {
	// Timeout is how long to wait for a database that is locked; 0 does not wait.
	Timeout time.Duration
	// ReadOnly opens a database that exists, beside other readers but not beside a writer.
	ReadOnly bool
	// Program is the name that others are told while the database is open; empty for the name the process was started by.
	Program string
	// Accept is called, if set, on a database that is in order, before anything of it is changed. If it returns an error,
	// Open returns that as it is, and the file is as it was.
	Accept func(kv.Tx) error
}

const (
	fileMode = 0o600
	// growBy is how much the file grows at a time. It is sparse; bbolt's default of 16 MiB looks alarming in a listing.
	growBy = 1 << 20
)

var errHeld = errors.New("lock is held")

// Open opens the database at path, and creates it if there is none. All errors are *Error, except Accept's.
func Open(path string, o Options) (*Store, error) {
	file, info, err := openLocked(path, o)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, file: file, writer: make(chan struct{}, 1), failed: make(chan struct{})}
	if err := s.load(info, o); err != nil {
		unlock(file)
		_ = file.Close() // bbolt may have done so
		return nil, err
	}
	if o.Accept != nil {
		if err := s.View(o.Accept); err != nil {
			_ = s.Close()
			return nil, err
		}
	}
	if !o.ReadOnly {
		s.takePossession(info, o.Program)
	}
	return s, nil
}

// load inspects the file and, if it is in order, hands it to bbolt, which writes nothing yet.
func (s *Store) load(info fs.FileInfo, o Options) error {
	found, err := inspect(s.file, info.Size(), inspectLimit, marker)
	if err != nil {
		return asError(s.path, err)
	}
	guardErr := guard(func() {
		s.db, err = bolt.Open(s.path, fileMode, &bolt.Options{
			Timeout:         max(o.Timeout, 1), // 0 would wait for ever; where lock works, it is ours already
			ReadOnly:        o.ReadOnly,
			NoFreelistSync:  !found.freelist,
			InitialMmapSize: mapped,
			OpenFile:        func(string, int, os.FileMode) (*os.File, error) { return s.file, nil },
		})
	})
	switch {
	case guardErr != nil:
		return asError(s.path, guardErr)
	case errors.Is(err, bolterrors.ErrTimeout):
		return &Error{Kind: ErrLocked, Path: s.path, Holder: findHolder(s.path, info)}
	case err != nil:
		return &Error{Path: s.path, Err: err}
	}
	s.db.AllocSize = growBy
	return nil
}

// takePossession narrows the file's mode, which a restored copy may have wider, and writes the record of the holder. Both
// are a help to people; the database works without them.
func (s *Store) takePossession(info fs.FileInfo, program string) {
	if info.Mode().Perm() != fileMode {
		_ = s.file.Chmod(fileMode)
	}
	holder := self(program)
	if err := writeRecord(s.path, holder); err == nil {
		s.record = holder
	}
}

// openLocked opens the file and locks it, after creating it if there is none.
func openLocked(path string, o Options) (*os.File, fs.FileInfo, error) {
	const attempts = 10 // a file may be created, or replaced by another, in between
	for range attempts {
		file, err := openFile(path, o.ReadOnly)
		if errors.Is(err, fs.ErrNotExist) && !o.ReadOnly {
			if err := create(path); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, nil, err
			}
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		info, current, err := lockCurrent(file, path, o)
		if current {
			return file, info, nil
		}
		_ = file.Close()
		if err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, &Error{Path: path, Detail: fmt.Sprintf("tried %d times to open or create it", attempts)}
}

// lockCurrent locks file and reports whether it is still the one at path.
func lockCurrent(file *os.File, path string, o Options) (fs.FileInfo, bool, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, false, &Error{Path: path, Err: err}
	}
	err = lock(file, !o.ReadOnly, o.Timeout)
	if errors.Is(err, errHeld) {
		return nil, false, &Error{Kind: ErrLocked, Path: path, Holder: findHolder(path, info)}
	}
	if err != nil {
		return nil, false, &Error{Path: path, Err: err}
	}
	if info, err = file.Stat(); err != nil { // again, with the size it has now
		return nil, false, &Error{Path: path, Err: err}
	}
	now, err := os.Stat(path)
	return info, err == nil && os.SameFile(info, now), nil
}

// openFile opens what exists at path, if it is a file.
func openFile(path string, readOnly bool) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{Kind: ErrForeign, Path: path, Detail: "not a regular file: " + info.Mode().Type().String()}
	}
	flag := os.O_RDWR
	if readOnly {
		flag = os.O_RDONLY
	}
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, pathError(path, err)
	}
	return file, nil
}

// pathError tells a missing file from a missing directory.
func pathError(path string, err error) *Error {
	dir := filepath.Dir(path)
	_, dirErr := os.Stat(dir)
	if errors.Is(dirErr, fs.ErrNotExist) || notADirectory(err) || notADirectory(dirErr) {
		return &Error{Kind: ErrNoDirectory, Path: dir, Err: err}
	}
	return &Error{Path: path, Err: err}
}

// create makes an empty database in a file of another name, and gives it its name when it is whole and on the disk. It never
// replaces anything: if there is something at path by then, the error is fs.ErrExist.
func create(path string) error {
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, filepath.Base(path)+".new-*") // mode 0600
	if err == nil {
		defer func() { _ = os.Remove(temp.Name()) }()
		err = initialise(temp)
	}
	if err == nil {
		err = giveName(temp.Name(), path)
	}
	if err == nil {
		err = syncDir(dir)
	}
	switch {
	case err == nil:
		return nil
	case full(err):
		return &Error{Kind: ErrFull, Path: path, Err: err}
	default:
		return pathError(path, err)
	}
}

// giveName names the file temp path, unless that exists. Where there are no hard links, as on SMB, two processes that
// create a database in the same moment are not kept apart.
func giveName(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, statErr := os.Lstat(path); !errors.Is(statErr, fs.ErrNotExist) {
		return err
	}
	return os.Rename(temp, path)
}

// initialise makes a database of an empty file, and closes it.
func initialise(file *os.File) error {
	db, err := bolt.Open(file.Name(), fileMode, &bolt.Options{
		Timeout:  1,
		OpenFile: func(string, int, os.FileMode) (*os.File, error) { return file, nil },
	})
	if err != nil {
		return err // bbolt has closed the file
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte(marker))
		return err
	})
	return errors.Join(err, db.Close())
}
