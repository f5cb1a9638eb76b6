package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// The checks here are the vocabulary in which the shapes are written.

func must(c check) field { return field{required: true, check: c} }
func may(c check) field  { return field{check: c} }

// str wants text of at least low and at most high characters.
func str(low, high int) check {
	return func(v *validation, ptr string, value any) {
		s, ok := value.(string)
		n := utf8.RuneCountInString(s)
		switch {
		case !ok:
			v.fail(ptr, "must provide a string")
		case n < low:
			v.fail(ptr, "must be more than %d characters", low-1)
		case n > high:
			v.fail(ptr, "must be less than %d characters", high+1)
		}
	}
}

// counted is str for text that people read, which counts towards the size of the message.
func counted(low, high int) check {
	return func(v *validation, ptr string, value any) {
		str(low, high)(v, ptr, value)
		if s, ok := value.(string); ok {
			v.count(s)
		}
	}
}

func boolean(v *validation, ptr string, value any) {
	if _, ok := value.(bool); !ok {
		v.fail(ptr, "must provide a boolean")
	}
}

func integer(low, high int64) check {
	return func(v *validation, ptr string, value any) {
		n, ok := value.(json.Number)
		i, err := n.Int64()
		switch {
		case !ok || err != nil:
			v.fail(ptr, "must provide an integer")
		case i < low || i > high:
			v.fail(ptr, "must be between %d and %d", low, high)
		}
	}
}

func among(values ...string) check {
	return func(v *validation, ptr string, value any) {
		s, ok := value.(string)
		if !ok {
			v.fail(ptr, "must provide a string")
		} else if !slices.Contains(values, s) {
			v.fail(ptr, "must be a valid enum value")
		}
	}
}

// webURL wants an address that a person may follow.
func webURL(v *validation, ptr string, value any) {
	str(1, 3000)(v, ptr, value)
	s, _ := value.(string)
	if u, err := url.Parse(s); err != nil || u.Scheme == "" || strings.ContainsAny(s, "<>\" ") {
		v.fail(ptr, "invalid url provided")
	}
}

// list wants an array of low to high items, each of which passes the check.
func list(low, high int, item check) check {
	return func(v *validation, ptr string, value any) {
		items, ok := value.([]any)
		switch {
		case !ok:
			v.fail(ptr, "must provide an array")
			return
		case len(items) < low:
			v.fail(ptr, "no fewer than %d items allowed", low)
		case len(items) > high:
			v.fail(ptr, "no more than %d items allowed", high)
			return
		}
		for i, it := range items {
			item(v, fmt.Sprintf("%s/%d", ptr, i), it)
		}
	}
}

// shaped wants an object of one shape, whose type is not asked for.
func shaped(s shape) check {
	return func(v *validation, ptr string, value any) {
		o, ok := value.(object)
		if !ok {
			v.fail(ptr, "must provide an object")
			return
		}
		s.apply(v, ptr, o)
	}
}

// oneOf wants an object whose type names one of the shapes.
func oneOf(shapes map[string]shape) check {
	return func(v *validation, ptr string, value any) {
		o, ok := value.(object)
		if !ok {
			v.fail(ptr, "must provide an object")
			return
		}
		kind, ok := o["type"].(string)
		if !ok {
			v.fail(ptr, "missing required field: type")
			return
		}
		s, ok := shapes[kind]
		if !ok {
			v.fail(ptr+"/type", "unsupported type: %s", kind)
			return
		}
		s.apply(v, ptr, o)
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
