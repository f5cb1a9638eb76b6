package strict

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v3"
)

// fieldsOf returns a struct's keys with the index of their fields. A field without a yaml tag has none.
func fieldsOf(t reflect.Type) map[string]int {
	fields := map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name != "" && name != "-" {
			fields[name] = i
		}
	}
	return fields
}

// keysOf returns a struct's keys in the order of its fields.
func keysOf(t reflect.Type) []string {
	fields := fieldsOf(t)
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return fields[a] - fields[b] })
	return keys
}

// suggestion says which known word was meant, or which ones there are.
func suggestion(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return ": did you mean " + near + "?"
	}
	return ": known here are " + strings.Join(known, ", ")
}

// Nearest returns the known word that a misspelt or shortened one stands for, or nothing when none is near.
func Nearest(word string, known []string) string {
	if len(word) > 64 {
		return ""
	}
	if begun := beginning(word, known); len(begun) == 1 {
		return begun[0]
	}
	best, distance := "", 1+max(1, len(word)/3)
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// beginning returns the known words that begin with a word of three letters or more.
func beginning(word string, known []string) []string {
	if len(word) < 3 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return !strings.HasPrefix(strings.ToLower(k), strings.ToLower(word))
	})
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// join appends a key of the document to a path; a key that has other characters than words have is quoted.
func join(path, key string) string {
	if !plainKey.MatchString(key) {
		key = strconv.Quote(shorten(key))
	}
	return below(path, key)
}

// below appends a path to a path.
func below(path, more string) string {
	if path == "" || more == "" {
		return path + more
	}
	return path + "." + more
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map of keys"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	case "!!str", "!!timestamp":
		return "text"
	default:
		return "a value with the tag " + strconv.Quote(n.Tag)
	}
}
