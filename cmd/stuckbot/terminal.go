package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"stuckbot/commands/present"
)

// screenOf returns what a writer shows: a terminal's width and colours, or, for a file or a pipe, lines of any length
// without colour. COLUMNS sets the width of both.
func screenOf(w io.Writer, env func(string) (string, bool)) present.Screen {
	var s present.Screen
	if f, ok := terminal(w); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			s.Width = width
		}
		noColor, _ := env("NO_COLOR")
		s.Color = noColor == "" && understandsEscapes(w, env) // https://no-color.org: any value but the empty one
	}
	if text, ok := env("COLUMNS"); ok {
		if width, err := strconv.Atoi(text); err == nil && width > 0 {
			s.Width = width
		}
	}
	return s
}

// understandsEscapes reports whether a writer is a terminal whose lines can be coloured and written over.
func understandsEscapes(w io.Writer, env func(string) (string, bool)) bool {
	kind, _ := env("TERM")
	_, ok := terminal(w)
	return ok && kind != "dumb"
}

func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}
