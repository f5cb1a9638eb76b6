package present

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// Lang is a language of the catalogue.
type Lang string

// English is the catalogue's first language.
const English Lang = "en"

// ID names a sentence. An id that counts has two: with the suffixes .one and .other.
type ID string

// Args fill a sentence's {placeholders}. They are untrusted text.
type Args map[string]string

// catalogue returns all sentences of all languages. A test holds that every language has the same ids and that each id's
// placeholders are the same in all of them.
func catalogue() map[Lang]map[ID]string {
	all := map[ID]string{}
	for _, part := range []map[ID]string{englishFailures(), englishReasons(), englishSweep(), englishCheck(), englishChat()} {
		maps.Copy(all, part)
	}
	return map[Lang]map[ID]string{English: all}
}

// Printer writes text in one language.
type Printer struct {
	texts map[ID]string
	mask  func(string) string
}

// New returns a Printer for a language. mask takes secrets out of untrusted text; nil takes out what looks like a token.
func New(lang Lang, mask func(string) string) (*Printer, error) {
	texts, ok := catalogue()[lang]
	if !ok {
		return nil, fmt.Errorf("no texts in the language %q", lang)
	}
	if mask == nil {
		mask = NewRedactor().Redact
	}
	return &Printer{texts: texts, mask: mask}, nil
}

var (
	placeholder = regexp.MustCompile(`\{([a-zA-Z]+)\}`)
	optional    = regexp.MustCompile(`\[\[(.*?)\]\]`)
)

// Text returns a sentence with its arguments filled in and cleaned. What stands between [[ and ]] is left out when an
// argument in it is empty or not given. An id that the catalogue lacks, and any other argument that was not given, show as
// themselves: a missing sentence must not hide a finding.
func (p *Printer) Text(id ID, args Args) string {
	text, ok := p.texts[id]
	if !ok {
		text = string(id)
		for _, name := range slices.Sorted(maps.Keys(args)) {
			text += " " + name + "={" + name + "}"
		}
	}
	text = optional.ReplaceAllStringFunc(text, func(part string) string {
		for _, name := range placeholder.FindAllStringSubmatch(part, -1) {
			if args[name[1]] == "" {
				return ""
			}
		}
		return part[2 : len(part)-2]
	})
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		value, given := args[match[1:len(match)-1]]
		if !given {
			return match
		}
		return p.Clean(value)
	})
}

// Has reports whether the catalogue has a sentence.
func (p *Printer) Has(id ID) bool {
	_, ok := p.texts[id]
	return ok
}

// Count returns the sentence for a number of things, with the number as {n}.
func (p *Printer) Count(id ID, n int, args Args) string {
	all := maps.Clone(args)
	if all == nil {
		all = Args{}
	}
	all["n"] = strconv.Itoa(n)
	if n == 1 {
		return p.Text(id+".one", all)
	}
	return p.Text(id+".other", all)
}
