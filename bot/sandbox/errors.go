package sandbox

import (
	"fmt"
	"strings"
	"time"
)

// Error is a refusal in Slack's words. Its code is what a Web API answer carries in "error".
type Error struct {
	Code     string   // for example channel_not_found
	Problems []string // for example "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"

	Needed, Provided string        // scopes, with missing_scope
	RetryAfter       time.Duration // with ratelimited
}

// Error returns the code, and what is wrong where Slack says it.
func (e *Error) Error() string {
	if len(e.Problems) == 0 {
		return e.Code
	}
	return fmt.Sprintf("%s: %s", e.Code, strings.Join(e.Problems, "; "))
}

// Is makes errors.Is match by code, so that a test can ask for &Error{Code: "is_archived"}.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

func refuse(code string, problems ...string) *Error {
	return &Error{Code: code, Problems: problems}
}

// missingArgument is Slack's answer when a required argument is absent.
func missingArgument(name string) *Error {
	return refuse("invalid_arguments", "missing required field: "+name)
}
