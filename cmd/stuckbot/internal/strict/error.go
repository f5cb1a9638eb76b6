package strict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxShown bounds how many mistakes are listed: a file of another kind has thousands.
const maxShown = 20

// Error is one mistake in a file.
type Error struct {
	File string
	Line int
	// Key is the path of the key, such as systems.helm.stuckAfter; empty where the mistake is about the whole file.
	Key string
	// Problem says what is wrong and what to do.
	Problem string
}

// Error returns the mistake as "file:line: key: problem".
func (e *Error) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem)
	}
	return fmt.Sprintf("%s:%d: %s: %s", e.File, e.Line, e.Key, e.Problem)
}

// Errors is all mistakes of one file, by line.
type Errors []*Error

// Error returns one mistake a line.
func (e Errors) Error() string {
	var lines []string
	for i, mistake := range e {
		if i == maxShown {
			lines = append(lines, fmt.Sprintf("%s: %d more mistakes are not shown", mistake.File, len(e)-maxShown))
			break
		}
		lines = append(lines, mistake.Error())
	}
	return strings.Join(lines, "\n")
}

func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b *Error) int { return cmp.Compare(a.Line, b.Line) })
	return e
}

// KeyError is a mistake that Validate found in one key of its struct.
type KeyError struct {
	// Name is the key's path below the struct.
	Name    string
	Problem string
}

// Wrong returns a KeyError.
func Wrong(key, format string, args ...any) error {
	return &KeyError{key, fmt.Sprintf(format, args...)}
}

// Error returns the key and the problem.
func (e *KeyError) Error() string { return e.Name + ": " + e.Problem }

// Key returns the key's path below the struct.
func (e *KeyError) Key() string { return e.Name }

// Message returns the problem without the key.
func (e *KeyError) Message() string { return e.Problem }

// keyed is what an owner package's own error type may offer; it need not be this package's.
type keyed interface {
	error
	Key() string
	Message() string
}

// split takes joined errors apart.
func split(err error) []error {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	return all
}
