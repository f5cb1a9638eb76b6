package strict

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// scalar decodes text, a number, true or false, or a duration.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, path string) bool {
	want := wanted(v)
	if n.Kind != yaml.ScalarNode || isNothing(n) {
		return d.fail(n, path, "%s was found: give %s", kindOf(n), want)
	}
	text, replaced, err := d.expand(n.Value)
	if err != nil {
		return d.fail(n, path, "%s", err)
	}
	resolved := *n
	resolved.Value = text
	if replaced && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		resolved.Tag = "" // what a variable holds may be a number or true
	}
	found := "the value " + strconv.Quote(shorten(text))
	if replaced {
		found = "the variable's value" // it may be a secret
	}
	if err := assign(&resolved, v); err != nil {
		if errors.Is(err, errKind) {
			return d.fail(n, path, "%s is %s: give %s", found, kindOf(&resolved), want)
		}
		return d.fail(n, path, "%s is not %s%s", found, want, because(err))
	}
	return true
}

var errKind = errors.New("another kind of value is wanted")

func assign(n *yaml.Node, v reflect.Value) error {
	tag := n.ShortTag()
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if !isText(n, tag) {
			return errKind
		}
		return u.UnmarshalText([]byte(n.Value))
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		if tag != "!!str" {
			return errKind
		}
		duration, err := ParseDuration(n.Value)
		if err != nil {
			return err
		}
		v.SetInt(int64(duration))
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		if !isText(n, tag) {
			return errKind
		}
		v.SetString(n.Value)
		return nil
	case reflect.Bool:
		return assignBool(n, tag, v)
	case reflect.Int, reflect.Int64:
		return assignInt(n, tag, v)
	default:
		return fmt.Errorf("%s cannot be configured", v.Type())
	}
}

// isText reports whether a scalar may stand for text, as it is written: a number may, nothing may not.
func isText(n *yaml.Node, tag string) bool {
	switch tag {
	case "!!str", "!!bool", "!!int", "!!float", "!!timestamp":
		return n.Style&yaml.TaggedStyle == 0 || tag == "!!str"
	default:
		return false
	}
}

// assignBool takes true and false only: YAML 1.1's yes and off are a trap.
func assignBool(n *yaml.Node, tag string, v reflect.Value) error {
	if tag != "!!bool" {
		return errKind
	}
	v.SetBool(strings.EqualFold(n.Value, "true"))
	return nil
}

func assignInt(n *yaml.Node, tag string, v reflect.Value) error {
	if tag != "!!int" {
		return errKind
	}
	var i int64
	if err := n.Decode(&i); err != nil || v.OverflowInt(i) {
		return errors.New("it is too large")
	}
	v.SetInt(i)
	return nil
}

func wanted(v reflect.Value) string {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return "a duration such as 15m, 24h or 7d"
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.Kind() == reflect.Int, v.Kind() == reflect.Int64:
		return "a whole number"
	default:
		return "text"
	}
}

func because(err error) string {
	if err == nil || errors.Is(err, errDuration) {
		return ""
	}
	return ": " + err.Error()
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}
