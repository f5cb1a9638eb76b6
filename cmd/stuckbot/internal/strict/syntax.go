package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxSize bounds a file in bytes.
const MaxSize = 1 << 20

// parse reads the one document of a file. Its nodes are not resolved yet: aliases still are aliases.
func parse(file string, data []byte) (*yaml.Node, error) {
	if len(data) > MaxSize {
		return nil, &Error{File: file, Line: 1, Problem: fmt.Sprintf("the file has more than %d MiB: it is no configuration", MaxSize>>20)}
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	if err := d.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, empty(file)
		}
		return nil, syntaxError(file, data, err)
	}
	root := document.Content[0]
	if isNothing(root) {
		return nil, empty(file)
	}
	var second yaml.Node
	err := d.Decode(&second)
	switch {
	case errors.Is(err, io.EOF), err == nil && isNothing(second.Content[0]):
		return root, nil
	case err != nil:
		return nil, syntaxError(file, data, err)
	default:
		return nil, &Error{File: file, Line: second.Line,
			Problem: "a second YAML document begins here: put everything into one, without `---` between"}
	}
}

func empty(file string) error {
	return &Error{File: file, Line: 1, Problem: "the file is empty: at least `clusters` is needed"}
}

func isNothing(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && n.Value == ""
}

var (
	yamlLine    = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)
	yamlAnchor  = regexp.MustCompile(`unknown anchor '([^']*)'`)
	tabIndent   = regexp.MustCompile(`^ *\t`)
	bareInBrace = regexp.MustCompile(`[{,]\s*[^"'#]*:\s*\$\{`)
)

// syntaxError turns the YAML parser's message, which is only text, into an Error. The parser counts lines from zero where
// its grammar fails and from one where its scanner does, and names no line at all for the first one.
func syntaxError(file string, data []byte, err error) error {
	match := yamlLine.FindStringSubmatch(err.Error())
	if match == nil {
		return &Error{File: file, Line: 1, Problem: err.Error()}
	}
	e := &Error{File: file, Line: 1, Problem: "no valid YAML: " + match[2]}
	if n, perr := strconv.Atoi(match[1]); perr == nil {
		e.Line = n
		if strings.HasPrefix(match[2], "did not find expected") {
			e.Line++
		}
	}
	lines := strings.Split(strings.TrimRight(string(data), "\r\n"), "\n")
	e.Line = min(e.Line, len(lines)) // the parser may fail at the end, below the last line
	if anchor := yamlAnchor.FindStringSubmatch(match[2]); anchor != nil {
		e.Line = lineOf(lines, "*"+anchor[1])
	}
	if at := firstMatch(lines, tabIndent); at > 0 && at <= e.Line+1 {
		e.Line, e.Problem = at, "the line is indented with a tab: YAML takes spaces only"
	} else if bareInBrace.MatchString(lines[e.Line-1]) {
		e.Problem += ": write \"${NAME}\" with quotes inside { }"
	}
	return e
}

func lineOf(lines []string, text string) int {
	for i, line := range lines {
		if strings.Contains(line, text) {
			return i + 1
		}
	}
	return 1
}

func firstMatch(lines []string, r *regexp.Regexp) int {
	for i, line := range lines {
		if r.MatchString(line) {
			return i + 1
		}
	}
	return 0
}
