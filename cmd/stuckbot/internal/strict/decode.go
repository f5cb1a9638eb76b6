package strict

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// maxDepth bounds nesting, and with it an alias that contains itself.
	maxDepth = 32
	// maxNodes bounds what is decoded: aliases of aliases can make a few lines into billions of values.
	maxNodes = 200_000
)

// Options say where a document comes from and where its variables are looked up.
type Options struct {
	// File is the name that errors give.
	File string
	// Env looks up an environment variable.
	Env func(name string) (string, bool)
}

// Decode decodes the document in data into v, a pointer to a struct. Its error is an Errors or an *Error.
func Decode(data []byte, v any, o Options) error {
	root, err := parse(o.File, data)
	if err != nil {
		return err
	}
	d := &decoder{options: o, lines: map[string]int{}}
	d.value(root, reflect.ValueOf(v).Elem(), "", 0)
	if len(d.errors) > 0 {
		return d.errors.sorted()
	}
	return nil
}

type decoder struct {
	options Options
	errors  Errors
	// lines holds the line of each key that was decoded, by path.
	lines map[string]int
	nodes int
}

func (d *decoder) fail(n *yaml.Node, path, format string, args ...any) bool {
	d.errors = append(d.errors, &Error{File: d.options.File, Line: n.Line, Key: path, Problem: fmt.Sprintf(format, args...)})
	return false
}

// value decodes a node into v and reports whether it and everything below it was right.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string, depth int) bool {
	d.nodes++
	switch {
	case d.nodes == maxNodes:
		return d.fail(n, path, "the file holds more than %d values: aliases (*name) repeat too much", maxNodes)
	case d.nodes > maxNodes:
		return false
	case depth > maxDepth:
		return d.fail(n, path, "nested more than %d deep: an alias (*name) may contain itself", maxDepth)
	}
	d.lines[path] = n.Line
	if n.Kind == yaml.AliasNode {
		return d.value(n.Alias, v, path, depth+1)
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.value(n, v.Elem(), path, depth)
	}
	if _, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return d.scalar(n, v, path)
	}
	switch v.Kind() {
	case reflect.Struct:
		return d.object(n, v, path, depth)
	case reflect.Map:
		return d.mapping(n, v, path, depth)
	case reflect.Slice:
		return d.list(n, v, path, depth)
	default:
		return d.scalar(n, v, path)
	}
}

// object decodes a mapping into a struct, then lets the struct validate itself. Nothing at all (`helm:`) is an empty
// mapping.
func (d *decoder) object(n *yaml.Node, v reflect.Value, path string, depth int) bool {
	if s, ok := v.Addr().Interface().(interface{ SetDefaults() }); ok {
		s.SetDefaults()
	}
	if n.Kind != yaml.MappingNode && !isNothing(n) {
		return d.fail(n, path, "%s was found: give the keys %s", kindOf(n), strings.Join(keysOf(v.Type()), ", "))
	}
	fields := fieldsOf(v.Type())
	right := d.pairs(n, path, func(key *yaml.Node, value *yaml.Node, at string) bool {
		index, known := fields[key.Value]
		if !known {
			return d.fail(key, at, "no such key%s", suggestion(key.Value, keysOf(v.Type())))
		}
		return d.value(value, v.Field(index), at, depth+1)
	})
	return d.validate(n, v, path, right) && right
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value, path string, depth int) bool {
	if isNothing(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		return d.fail(n, path, "%s was found: give key: value pairs", kindOf(n))
	}
	v.Set(reflect.MakeMap(v.Type()))
	return d.pairs(n, path, func(key *yaml.Node, value *yaml.Node, at string) bool {
		item := reflect.New(v.Type().Elem()).Elem()
		if !d.value(value, item, at, depth+1) {
			return false
		}
		v.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), item)
		return true
	})
}

// pairs walks a mapping and refuses what no mapping of a configuration needs.
func (d *decoder) pairs(n *yaml.Node, path string, each func(key, value *yaml.Node, at string) bool) bool {
	right := true
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := join(path, key.Value)
		line, repeated := seen[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			right = d.fail(key, path, "%s cannot be a key", kindOf(key))
		case key.ShortTag() == "!!merge":
			right = d.fail(key, path, "merge keys (<<) are not taken: repeat the keys")
		case repeated:
			right = d.fail(key, at, "given twice, first on line %d: remove one", line)
		default:
			seen[key.Value] = key.Line
			right = each(key, value, at) && right
		}
	}
	return right
}

func (d *decoder) list(n *yaml.Node, v reflect.Value, path string, depth int) bool {
	if isNothing(n) {
		return true
	}
	if n.Kind != yaml.SequenceNode {
		return d.fail(n, path, "%s was found: give a list, [ … ] or lines that begin with `- `", kindOf(n))
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	right := true
	for i, item := range n.Content {
		element := reflect.New(v.Type().Elem()).Elem()
		right = d.value(item, element, path+"["+strconv.Itoa(i)+"]", depth+1) && right
		v.Set(reflect.Append(v, element))
	}
	return right
}

// validate lets a struct judge itself. What a value that could not be decoded makes it complain of is left out: that was
// said already.
func (d *decoder) validate(n *yaml.Node, v reflect.Value, path string, right bool) bool {
	validator, ok := v.Addr().Interface().(interface{ Validate() error })
	if !ok {
		return true
	}
	err := validator.Validate()
	if err == nil {
		return true
	}
	for _, mistake := range split(err) {
		at, problem := path, mistake.Error()
		var k keyed
		switch {
		case errors.As(mistake, &k):
			at, problem = below(path, k.Key()), k.Message()
			if d.failedAt(at) {
				continue
			}
		case !right:
			continue
		}
		d.fail(&yaml.Node{Line: d.lineOf(at, n.Line)}, at, "%s", problem)
	}
	return false
}

// failedAt reports whether there is a mistake at a key or below it.
func (d *decoder) failedAt(path string) bool {
	return slices.ContainsFunc(d.errors, func(e *Error) bool {
		rest, found := strings.CutPrefix(e.Key, path)
		return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// lineOf returns the line of the deepest key on a path that the document has.
func (d *decoder) lineOf(path string, otherwise int) int {
	for {
		if line, ok := d.lines[path]; ok {
			return line
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return otherwise
		}
		path = path[:cut]
	}
}
