package main

import (
	"fmt"
	"io"
	"reflect"

	"github.com/rs/zerolog"

	"stuckbot/commands/present"
)

// Secret is a value that is never shown: however it is printed, logged or encoded, what comes out is "[redacted]". The
// value is behind a pointer, so that what prints by reflection and asks no method finds an address.
type Secret struct{ value *string }

// NewSecret hides a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the value, for the one place that needs it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// UnmarshalText implements encoding.TextUnmarshaler: the configuration gives secrets as text.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}

// Format implements fmt.Formatter, for all verbs.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, present.Redacted) } // a fmt.State keeps no errors

// String implements fmt.Stringer.
func (s Secret) String() string { return present.Redacted }

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return present.Redacted }

// MarshalText covers encoders that know no other way, and map keys.
func (s Secret) MarshalText() ([]byte, error) { return []byte(present.Redacted), nil }

// MarshalJSON implements json.Marshaler.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + present.Redacted + `"`), nil }

// MarshalYAML implements yaml.Marshaler.
func (s Secret) MarshalYAML() (any, error) { return present.Redacted, nil }

// MarshalZerologObject implements zerolog.LogObjectMarshaler.
func (s Secret) MarshalZerologObject(e *zerolog.Event) { e.Str("secret", present.Redacted) }

// secretsIn returns the values of all secrets in the exported fields below v, so that a filter can look for them. It goes
// by type, so that a token that is added to the configuration cannot be forgotten.
func secretsIn(v reflect.Value) []string {
	if !v.CanInterface() {
		return nil
	}
	if s, ok := v.Interface().(Secret); ok {
		return []string{s.Reveal()}
	}
	var all []string
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return secretsIn(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, secretsIn(v.Field(i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, secretsIn(v.Index(i))...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			all = append(all, secretsIn(v.MapIndex(key))...)
		}
	}
	return all
}
