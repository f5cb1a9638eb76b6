package strict

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// maxFile bounds the file that a NAME_FILE variable names.
const maxFile = 64 << 10

var variable = regexp.MustCompile(`\$\$|\$\{[^}]*\}?`)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand replaces ${NAME} and $$ in a scalar. It reports whether a variable was replaced, so that its value is not repeated
// in an error.
func (d *decoder) expand(text string) (expanded string, replaced bool, err error) {
	if !strings.Contains(text, "$") {
		return text, false, nil
	}
	expanded = variable.ReplaceAllStringFunc(text, func(match string) string {
		if match == "$$" {
			return "$"
		}
		name := strings.TrimSuffix(strings.TrimPrefix(match, "${"), "}")
		if !variableName.MatchString(name) || !strings.HasSuffix(match, "}") {
			err = fmt.Errorf("%q is no variable: write ${NAME}, or $${ for the characters themselves", match)
			return ""
		}
		value, verr := d.variable(name)
		if verr != nil && err == nil {
			err = verr
		}
		replaced = true
		return value
	})
	return expanded, replaced, err
}

// variable looks NAME up, and NAME_FILE where NAME is not set.
func (d *decoder) variable(name string) (string, error) {
	if value, ok := d.options.Env(name); ok {
		return value, nil
	}
	path, ok := d.options.Env(name + "_FILE")
	if !ok {
		return "", fmt.Errorf("the environment variable %s is not set: set it, or %s_FILE to the path of a file that holds the value", name, name)
	}
	value, err := readValue(path)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return value, nil
}

func readValue(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxFile {
		return "", fmt.Errorf("%s has more than %d KiB: it is no secret's file", path, maxFile>>10)
	}
	return strings.TrimSpace(string(data)), nil
}
