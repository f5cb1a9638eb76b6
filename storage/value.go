package storage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

var (
	// ErrValue means: a stored value cannot be decoded.
	ErrValue = errors.New("stored value cannot be read")

	errForm     = errors.New("unknown form")
	errTrailing = errors.New("data after the value")
)

// ValueError names a stored value that cannot be decoded. It is still there.
type ValueError struct {
	Key string
	Err error
}

// Error implements error.
func (e *ValueError) Error() string { return fmt.Sprintf("%v: key %q: %v", ErrValue, e.Key, e.Err) }

// Unwrap returns ErrValue and the reason.
func (e *ValueError) Unwrap() []error { return []error{ErrValue, e.Err} }

// formed is a stored value that tells its form, the field v. One that does not is parsed twice.
type formed interface{ form() int }

// decodeJSON decodes a value of the given form, strictly: an unknown field is a damaged name, or of another form.
func decodeJSON(value []byte, form int, into any) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if _, endErr := d.Token(); err == nil && !errors.Is(endErr, io.EOF) {
		err = errTrailing
	}
	var found int
	if f, ok := into.(formed); ok && err == nil {
		found = f.form()
	} else {
		// What another form has besides is no damage: say that it is another form, if that much can be read.
		var head struct {
			V int `json:"v"`
		}
		if headErr := json.Unmarshal(value, &head); headErr != nil {
			return cmp.Or(err, headErr)
		}
		found = head.V
	}
	if found != form {
		return fmt.Errorf("%w: v is %d, not %d", errForm, found, form)
	}
	return err
}
