package boltkv

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// guard runs f, which calls into bbolt or reads the memory that bbolt handed out, and turns a panic into an error, also the
// one that Go makes of a memory fault: the file is mapped, and reading a page that the disk cannot deliver, or that another
// process has cut off, is a fault. Closures of the caller never run within a guard; their panics are their own.
func guard(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			cause, ok := r.(error)
			if !ok {
				cause = errors.New(fmt.Sprint(r))
			}
			err = &finding{ErrDamaged, "bbolt gave up on it", cause}
		}
	}()
	f()
	return nil
}

// fail stops the store for good: after a panic bbolt may hold any of its locks, and must not be asked anything more. The
// first reason is kept, and returned to everyone.
func (s *Store) fail(reason *Error) error {
	s.failOnce.Do(func() {
		s.reason = reason
		close(s.failed)
	})
	return s.reason
}

// failure returns the reason for which the store was stopped, or nil.
func (s *Store) failure() error {
	select {
	case <-s.failed:
		return s.reason
	default:
		return nil
	}
}

// guard is the function guard, which stops the store when bbolt panics.
func (s *Store) guard(f func()) error {
	if err := s.failure(); err != nil {
		return err
	}
	if err := guard(f); err != nil {
		return s.fail(asError(s.path, err))
	}
	return nil
}

// asError makes an *Error of what inspect or guard found, or of an error of the operating system.
func asError(path string, err error) *Error {
	var f *finding
	if errors.As(err, &f) {
		return &Error{Kind: f.kind, Path: path, Detail: f.detail, Err: f.err}
	}
	return &Error{Path: path, Err: err}
}
