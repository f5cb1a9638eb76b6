package boltkv

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of *Error, to branch on with errors.Is. Beside them an Error may wrap fs.ErrNotExist (a read-only open of what
// is not there), fs.ErrPermission, and kv.ErrUncertain.
var (
	// ErrLocked: another process, or this one, has the database open. Error.Holder says who, as far as it can be known.
	ErrLocked = errors.New("locked")
	// ErrDamaged: the file is, or was, a database and cannot be used as it is. It was left untouched. Restore a backup.
	ErrDamaged = errors.New("damaged")
	// ErrForeign: the file is something else than a database of this program. It was left untouched.
	ErrForeign = errors.New("not a database of this program")
	// ErrNoDirectory: the directory that the database is to be in does not exist, or is none.
	ErrNoDirectory = errors.New("no such directory")
	// ErrNotStored: the writes of an Update could not be stored. Nothing of it was kept, unless kv.ErrUncertain is wrapped.
	ErrNotStored = errors.New("not stored")
	// ErrFull: what keeps them from being stored is known to be the space: a full disk, a quota, a limit on the file's size.
	ErrFull = errors.New("no space left")
)

// Error carries the facts of a failure of the database file. Error() is for programmers; what people read is made from the
// fields.
type Error struct {
	// Kind is one of the package's sentinels, or nil where Err says it all.
	Kind error
	// Path is the database file, as it was given to Open; for ErrNoDirectory the directory.
	Path string
	// Detail says what is wrong where the kind alone does not: for ErrDamaged what was found and in which page.
	Detail string
	// Holder is set for ErrLocked.
	Holder Holder
	// Err is the error underneath, or nil.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "database %s", e.Path)
	if e.Kind != nil {
		fmt.Fprintf(&b, ": %v", e.Kind)
	}
	if e.Holder != (Holder{}) {
		fmt.Fprintf(&b, " by %s", e.Holder)
	}
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if remedy := e.remedy(); remedy != "" {
		fmt.Fprintf(&b, " (%s)", remedy)
	}
	return b.String()
}

// Unwrap returns the kind and the error underneath.
func (e *Error) Unwrap() []error {
	var all []error
	for _, err := range []error{e.Kind, e.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// remedy is how to proceed, for whoever sees the bare error.
func (e *Error) remedy() string {
	switch {
	case errors.Is(e.Kind, ErrLocked):
		return "nothing was changed; stop that process, or ask it instead"
	case errors.Is(e.Kind, ErrDamaged):
		return "the file was left as it is; move it away and restore a backup"
	case errors.Is(e.Kind, ErrForeign):
		return "the file was left as it is; configure another path"
	case errors.Is(e.Kind, ErrNoDirectory):
		return "create it"
	default:
		return ""
	}
}
