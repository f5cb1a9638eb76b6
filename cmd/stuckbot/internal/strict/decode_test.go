package strict

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sample has every kind of field that a configuration has.
type sample struct {
	Name    string            `yaml:"name"`
	Count   int               `yaml:"count"`
	On      bool              `yaml:"on"`
	Wait    time.Duration     `yaml:"wait"`
	Labels  map[string]string `yaml:"labels"`
	List    []string          `yaml:"list"`
	Parts   []part            `yaml:"parts"`
	Inner   *part             `yaml:"inner"`
	Always  part              `yaml:"always"`
	Hidden  string
	Skipped string `yaml:"-"`
}

func (s *sample) SetDefaults() { s.Name, s.Always.Size = "default", 7 }

type part struct {
	Size int    `yaml:"size"`
	Kind string `yaml:"kind"`
}

func (p *part) SetDefaults() { p.Size = 3 }

func (p *part) Validate() error {
	var errs []error
	if p.Size < 0 {
		errs = append(errs, Wrong("size", "%d is negative: give more", p.Size))
	}
	if p.Kind == "bad" {
		errs = append(errs, fmt.Errorf("this is bad: be good"))
	}
	return errors.Join(errs...)
}

func environment(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

func decode(text string, env map[string]string) (sample, error) {
	var s sample
	err := Decode([]byte(text), &s, Options{File: "f.yaml", Env: environment(env)})
	return s, err
}

func TestDecodeFillsWhatIsSaidAndDefaultsTheRest(t *testing.T) {
	text := `
name: "a ${WHO} $$5 $x"
count: ${N}
on: true
wait: 1d12h
labels: {env: prod, "a/b": 1, date: 2026-01-02}
list: [a, 2, "${WHO}"]
parts: [{size: 1}, {kind: x}]
inner:
always: {kind: "y"}
`
	got, err := decode(text, map[string]string{"WHO": "bot: {x}", "N": "12"})
	if err != nil {
		t.Fatal(err)
	}
	want := sample{Name: "a bot: {x} $5 $x", Count: 12, On: true, Wait: 36 * time.Hour,
		Labels: map[string]string{"env": "prod", "a/b": "1", "date": "2026-01-02"},
		List:   []string{"a", "2", "bot: {x}"},
		Parts:  []part{{1, ""}, {3, "x"}}, Inner: &part{3, ""}, Always: part{3, "y"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got, err = decode("count: 1", nil)
	if err != nil || got.Name != "default" || got.Always.Size != 7 || got.Inner != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDecodeTakesAliasesButNoMergeKeys(t *testing.T) {
	got, err := decode("labels: &l {env: prod}\nparts: [&p {size: 2}, *p]\n", nil)
	if err != nil || len(got.Parts) != 2 || got.Parts[1].Size != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMistakesNameFileLineKeyAndWayOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "missing")
	env := map[string]string{"LIST": "[1, 2]", "SECRET": "s3cr3t-value", "GONE_FILE": file, "OK": "yes"}
	for name, c := range map[string]struct{ in, want string }{
		"empty":                {"", "f.yaml:1: the file is empty: at least `clusters` is needed"},
		"comments only":        {"# nothing\n", "f.yaml:1: the file is empty: at least `clusters` is needed"},
		"null document":        {"---\n", "f.yaml:1: the file is empty: at least `clusters` is needed"},
		"a list":               {"- a\n", "f.yaml:1: a list was found: give the keys name, count, on, wait, labels, list, parts, inner, always"},
		"just text":            {"hello\n", "f.yaml:1: text was found: give the keys name, count, on, wait, labels, list, parts, inner, always"},
		"unknown key":          {"name: a\nlabls: {}\n", "f.yaml:2: labls: no such key: did you mean labels?"},
		"unknown key, far":     {"name: a\nzzzzzzzzz: 1\n", "f.yaml:2: zzzzzzzzz: no such key: known here are name, count, on, wait, labels, list, parts, inner, always"},
		"unknown key, deep":    {"parts:\n  - size: 1\n  - sise: 2\n", "f.yaml:3: parts[1].sise: no such key: did you mean size?"},
		"untagged field":       {"Hidden: x\n", "f.yaml:1: Hidden: no such key: known here are name, count, on, wait, labels, list, parts, inner, always"},
		"odd key":              {"\"a\\nb\": 1\n", "f.yaml:1: \"a\\nb\": no such key: known here are name, count, on, wait, labels, list, parts, inner, always"},
		"duplicate key":        {"name: a\ncount: 1\nname: b\n", "f.yaml:3: name: given twice, first on line 1: remove one"},
		"duplicate in a map":   {"labels:\n  a: 1\n  a: 2\n", "f.yaml:3: labels.a: given twice, first on line 2: remove one"},
		"merge key":            {"labels: &l {a: b}\ninner:\n  <<: *l\n", "f.yaml:3: inner: merge keys (<<) are not taken: repeat the keys"},
		"complex key":          {"? [a]\n: 1\n", "f.yaml:1: a list cannot be a key"},
		"text for a number":    {"count: many\n", `f.yaml:1: count: the value "many" is text: give a whole number`},
		"float for a number":   {"count: 1.5\n", `f.yaml:1: count: the value "1.5" is a number: give a whole number`},
		"huge number":          {"count: 99999999999999999999\n", `f.yaml:1: count: the value "99999999999999999999" is a number: give a whole number`},
		"yes for a switch":     {"on: yes\n", `f.yaml:1: on: the value "yes" is text: give true or false`},
		"number for a wait":    {"wait: 15\n", `f.yaml:1: wait: the value "15" is a number: give a duration such as 15m, 24h or 7d`},
		"odd wait":             {"wait: 15 minutes\n", `f.yaml:1: wait: the value "15 minutes" is not a duration such as 15m, 24h or 7d`},
		"nothing for text":     {"name:\n", "f.yaml:1: name: nothing was found: give text"},
		"tilde for text":       {"name: ~\n", `f.yaml:1: name: the value "~" is nothing: give text`},
		"list for text":        {"name: [a]\n", "f.yaml:1: name: a list was found: give text"},
		"map for text":         {"name: {a: b}\n", "f.yaml:1: name: a map of keys was found: give text"},
		"text for a list":      {"list: a\n", "f.yaml:1: list: text was found: give a list, [ … ] or lines that begin with `- `"},
		"text for a map":       {"labels: a\n", "f.yaml:1: labels: text was found: give key: value pairs"},
		"text for a struct":    {"inner: a\n", "f.yaml:1: inner: text was found: give the keys size, kind"},
		"own tag":              {"name: !secret x\n", `f.yaml:1: name: the value "x" is a value with the tag "!secret": give text`},
		"binary":               {"name: !!binary aGk=\n", `f.yaml:1: name: the value "aGk=" is a value with the tag "!!binary": give text`},
		"invalid part":         {"inner:\n  size: -1\n", "f.yaml:2: inner.size: -1 is negative: give more"},
		"invalid part, no key": {"name: a\ninner:\n  kind: bad\n", "f.yaml:3: inner: this is bad: be good"},
		"invalid part, twice":  {"inner: {kind: bad, size: -1}\n", "f.yaml:1: inner.size: -1 is negative: give more\nf.yaml:1: inner: this is bad: be good"},
		"several, by line":     {"wait: x\nparts:\n- sise: 1\ncount: y\n", "f.yaml:1: wait: the value \"x\" is not a duration such as 15m, 24h or 7d\nf.yaml:3: parts[0].sise: no such key: did you mean size?\nf.yaml:4: count: the value \"y\" is text: give a whole number"},
		"unset variable":       {"list:\n  - a\n  - \"${NOPE}\"\n", "f.yaml:3: list[1]: the environment variable NOPE is not set: set it, or NOPE_FILE to the path of a file that holds the value"},
		"missing file":         {"name: ${GONE}\n", "f.yaml:1: name: GONE_FILE: open " + file + ": no such file or directory"},
		"odd variable":         {"name: \"${A-B}\"\n", `f.yaml:1: name: "${A-B}" is no variable: write ${NAME}, or $${ for the characters themselves`},
		"open variable":        {"name: \"a ${A\"\n", `f.yaml:1: name: "${A" is no variable: write ${NAME}, or $${ for the characters themselves`},
		"variable as a list":   {"list: ${LIST}\n", "f.yaml:1: list: text was found: give a list, [ … ] or lines that begin with `- `"},
		"variable as a number": {"count: ${SECRET}\n", "f.yaml:1: count: the variable's value is text: give a whole number"},
		"quoted number":        {"count: \"${OK}\"\n", "f.yaml:1: count: the variable's value is text: give a whole number"},
		"variable in a key":    {"${OK}: a\n", `f.yaml:1: "${OK}": no such key: known here are name, count, on, wait, labels, list, parts, inner, always`},
		"tab":                  {"inner:\n\tsize: 1\n", "f.yaml:2: the line is indented with a tab: YAML takes spaces only"},
		"tab later":            {"inner:\n  size: 1\n\tkind: x\n", "f.yaml:3: the line is indented with a tab: YAML takes spaces only"},
		"bad indentation":      {"name: a\ninner:\n  size: 1\n kind: x\n", "f.yaml:4: no valid YAML: did not find expected key"},
		"open bracket":         {"name: a\nlist: [a, b\ncount: 3\n", "f.yaml:2: no valid YAML: did not find expected ',' or ']'"},
		"open quote":           {"name: a\nlist: \"abc\ncount: 3\n", "f.yaml:2: no valid YAML: found unexpected end of stream"},
		"colon in a value":     {"name: a\nlabels: b: c\n", "f.yaml:2: no valid YAML: mapping values are not allowed in this context"},
		"variable in braces":   {"name: a\ninner: {kind: ${OK}}\n", "f.yaml:2: no valid YAML: did not find expected ',' or '}': write \"${NAME}\" with quotes inside { }"},
		"unknown alias":        {"name: a\ncount: *c\n", "f.yaml:2: no valid YAML: unknown anchor 'c' referenced"},
		"control character":    {"name: a\x00\n", "f.yaml:1: no valid YAML: control characters are not allowed"},
		"second document":      {"name: a\n---\nname: b\n", "f.yaml:2: a second YAML document begins here: put everything into one, without `---` between"},
		"broken second":        {"name: a\n---\nname: [\n", "f.yaml:3: no valid YAML: did not find expected node content"},
		"alias of itself":      {"list: &l [*l]\n", "f.yaml:1: list[0]: a list was found: give text"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode(c.in, env)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), env["SECRET"]) {
				t.Error("the variable's value is repeated")
			}
		})
	}
}

func TestAnEmptyDocumentAtTheEndIsNoSecondOne(t *testing.T) {
	for _, text := range []string{"name: a\n---\n", "---\nname: a\n...\n", "\ufeffname: a\n", "name: a\r\ncount: 1\r\n"} {
		if got, err := decode(text, nil); err != nil || got.Name != "a" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

type tree struct {
	Kids []tree `yaml:"kids"`
}

func TestAliasBombsAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"deep": "kids: &a [{kids: *a}]\n",
		"wide": "kids:\n- &a {kids: []}\n- &b {kids: [" + strings.Repeat("*a, ", 100) + "]}\n- &c {kids: [" +
			strings.Repeat("*b, ", 100) + "]}\n- &d {kids: [" + strings.Repeat("*c, ", 100) + "]}\n- {kids: [" + strings.Repeat("*d, ", 100) + "]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			var v tree
			begun := time.Now()
			err := Decode([]byte(text), &v, Options{File: "f.yaml", Env: environment(nil)})
			if err == nil || !strings.Contains(err.Error(), "alias") {
				t.Errorf("%v", err)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestAHugeFileIsRefused(t *testing.T) {
	_, err := decode("name: "+strings.Repeat("a", MaxSize), nil)
	if err == nil || err.Error() != "f.yaml:1: the file has more than 1 MiB: it is no configuration" {
		t.Error(err)
	}
}

func TestManyMistakesAreNotAllListed(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "zzz%d: 1\n", i)
	}
	_, err := decode(b.String(), nil)
	if lines := strings.Split(err.Error(), "\n"); len(lines) != maxShown+1 || lines[maxShown] != "f.yaml: 80 more mistakes are not shown" {
		t.Errorf("%d lines, the last: %s", len(lines), lines[len(lines)-1])
	}
}

func TestVariablesFromFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	env := map[string]string{
		"TOKEN_FILE": write("token", "  xoxb-1\n"),
		"BOTH":       "direct", "BOTH_FILE": write("both", "file"),
		"EMPTY": "", "EMPTY_FILE": write("empty", "file"),
		"BIG_FILE": write("big", strings.Repeat("x", maxFile+1)),
		"DIR_FILE": dir,
	}
	got, err := decode(`list: ["${TOKEN}", "${BOTH}", "${EMPTY}"]`, env)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"xoxb-1", "direct", ""}, got.List); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"BIG", "DIR"} {
		if _, err := decode("name: ${"+name+"}", env); err == nil || !strings.Contains(err.Error(), name+"_FILE: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"15m": 15 * time.Minute, "7d": 7 * day, "30d": 30 * day, "1d12h": 36 * time.Hour, "0s": 0, "1h30m": 90 * time.Minute, "-5m": -5 * time.Minute,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "1.5d", "-1d", "1d-2h", "1d2d", "7 d", "d7", "99999999999d", "36501d", "1w", "5", "1d99999999h"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q became %v", text, got)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"stuckAfter", "quietFor", "lookInterval", "storage"}
	for word, want := range map[string]string{
		"stuckafter": "stuckAfter", "stukAfter": "stuckAfter", "stuck_after": "stuckAfter", "stuck": "stuckAfter", "lo": "", "storages": "storage",
		"nothing": "", "": "", strings.Repeat("x", 100): "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"name: a\ncount: 1\non: true\nwait: 7d\nlabels: {a: b}\nlist: [a]\nparts: [{size: 1}]\ninner: {}\n",
		"list: &l [*l]\n", "a: &a [*a, *a]\nb: &b [*a, *a]\n", "name: ${X}\n", "<<: {a: b}\n", "\t", "---\n---\n", "name: !!binary x", "? [a]\n: b\n",
		"name: |\n\ttext\n", "%TAG ! x\n---\na: 1\n", "name: \"$${X}\"\n", "count: 0x1F\nwait: 1d\n",
	} {
		f.Add([]byte(seed))
	}
	env := environment(map[string]string{"X": "value"})
	f.Fuzz(func(t *testing.T, data []byte) {
		var s sample
		err := Decode(data, &s, Options{File: "f.yaml", Env: env})
		if err == nil {
			return
		}
		var one *Error
		var many Errors
		if !errors.As(err, &one) && !errors.As(err, &many) {
			t.Fatalf("%T is no error of this package: %v", err, err)
		}
		if one != nil {
			many = Errors{one}
		}
		for _, e := range many {
			if e.Line < 1 || e.Line > lineCount(data) || e.Problem == "" {
				t.Fatalf("%+v", e)
			}
		}
	})
}

// lineCount counts every line break that YAML 1.1 knows.
func lineCount(data []byte) int {
	n := 1
	for _, lineBreak := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
		n += strings.Count(string(data), lineBreak)
	}
	return n
}
