package main

import "errors"

// The exit statuses of all commands.
const (
	exitDone    = 0
	exitFound   = 1
	exitFailed  = 2
	exitPartial = 3
)

// status is an error that only carries an exit status: everything was said already.
type status int

// Error implements error; nobody reads it.
func (s status) Error() string { return "exit status" }

// exitStatus returns the status for what a command returned: an error that is no status means that it could not run.
func exitStatus(err error) int {
	var s status
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &s):
		return int(s)
	default:
		return exitFailed
	}
}

// outcome returns nil or the status of a command that ran.
func outcome(found, partial bool) error {
	switch {
	case found:
		return status(exitFound)
	case partial:
		return status(exitPartial)
	default:
		return nil
	}
}
