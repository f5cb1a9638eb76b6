package present

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func placeholders(text string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestEveryLanguageHasTheSameSentencesWithTheSamePlaceholders(t *testing.T) {
	all := catalogue()
	english := all[English]
	for lang, texts := range all {
		for id, text := range english {
			if got, want := placeholders(texts[id]), placeholders(text); !slices.Equal(got, want) {
				t.Errorf("%s: %s has the placeholders %v, in English %v", lang, id, got, want)
			}
		}
		for id := range texts {
			if english[id] == "" {
				t.Errorf("%s: %s is not in English", lang, id)
			}
		}
	}
}

func TestCountedSentencesComeInPairs(t *testing.T) {
	english := catalogue()[English]
	for id := range english {
		for suffix, other := range map[string]string{".one": ".other", ".other": ".one"} {
			if base, found := strings.CutSuffix(string(id), suffix); found && english[ID(base+other)] == "" {
				t.Errorf("%s has no %s", id, base+other)
			}
		}
	}
}

// Every id that the package's source gives as a literal must be in the catalogue, with its arguments.
func TestEverySentenceThatIsUsedExistsAndItsArgumentsAreGiven(t *testing.T) {
	p := newPrinter(t)
	used := 0
	for _, file := range sourceFiles(t, ".") {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			for _, id := range literalIDs(call) {
				used++
				requireSentence(t, p, file, call, id)
			}
			return true
		})
	}
	if used < 60 {
		t.Errorf("only %d uses were found: the test looks in the wrong place", used)
	}
}

// literalIDs returns the ids that a call of a Printer's method gives as a literal.
func literalIDs(call *ast.CallExpr) []string {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"Text", "Count", "line", "section", "names", "or"}, selector.Sel.Name) {
		return nil
	}
	var ids []string
	for _, argument := range call.Args {
		literal, ok := argument.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING || literal.Value == `""` {
			continue
		}
		id, _ := strconv.Unquote(literal.Value)
		if selector.Sel.Name == "Count" {
			ids = append(ids, id+".one", id+".other")
			continue
		}
		ids = append(ids, id)
	}
	return ids
}

func requireSentence(t *testing.T, p *Printer, file string, call *ast.CallExpr, id string) {
	t.Helper()
	text, ok := p.texts[ID(id)]
	if !ok {
		if !strings.HasSuffix(id, ".") { // a prefix of ids that are put together
			t.Errorf("%s uses %q, which the catalogue lacks", file, id)
		}
		return
	}
	last, ok := call.Args[len(call.Args)-1].(*ast.CompositeLit)
	if !ok {
		return
	}
	given := []string{"n"}
	for _, element := range last.Elts {
		key, _ := strconv.Unquote(element.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
		given = append(given, key)
	}
	for _, name := range placeholders(optional.ReplaceAllString(text, "")) {
		if !slices.Contains(given, name) {
			t.Errorf("%s does not give {%s} to %q", file, name, id)
		}
	}
}

func sourceFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// found returns what a pattern's group matches in the sources of a folder.
func found(t *testing.T, dir, pattern string) []string {
	t.Helper()
	all := map[string]bool{}
	r := regexp.MustCompile(pattern)
	for _, file := range sourceFiles(t, dir) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range r.FindAllStringSubmatch(string(text), -1) {
			all[match[1]] = true
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s is not found in %s: the test looks in the wrong place", pattern, dir)
	}
	return slices.Sorted(maps.Keys(all))
}

// A rule, a source or a failure that is added without its sentence must not be shown as a bare id.
func TestEveryConclusionHasItsSentence(t *testing.T) {
	p := newPrinter(t)
	for _, kind := range found(t, "../../checks", `FailureKind = "([a-z-]+)"`) {
		requireID(t, p, "failure."+kind)
	}
	for _, reason := range found(t, "../../checks", `ReasonID = "([a-z-]+)"`) {
		requireID(t, p, "why."+reason)
		requireID(t, p, "summary."+reason)
	}
	for _, rule := range found(t, "../../checks/kube", `GuardError\{"([a-z-]+)"`) {
		requireID(t, p, "guard."+rule)
	}
	for _, why := range found(t, "../../checks/source", `Why: +"([a-z-]+)"`) {
		requireID(t, p, why)
	}
}

func requireID(t *testing.T, p *Printer, id string) {
	t.Helper()
	if !p.Has(ID(id)) {
		t.Errorf("the catalogue lacks %q", id)
	}
}

func TestTextKeepsWhatItCannotFill(t *testing.T) {
	p := newPrinter(t)
	if got := p.Text("no-such-id", Args{"b": "2", "a": "1"}); got != "no-such-id a=1 b=2" {
		t.Errorf("an unknown id shows as %q", got)
	}
	if got := p.Text("failure.refused", nil); !strings.Contains(got, "{host}") {
		t.Errorf("a missing argument vanished: %q", got)
	}
	if got := p.Text("why.helm-status-unknown", Args{"status": "{host}"}); got != "unknown status {host}" {
		t.Errorf("an argument was taken for a placeholder: %q", got)
	}
}
