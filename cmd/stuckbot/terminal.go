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
	if isTerminal(w, env) {
		if width, _, err := term.GetSize(int(w.(*os.File).Fd())); err == nil {
			s.Width = width
		}
		noColor, _ := env("NO_COLOR")
		s.Color = noColor == "" // https://no-color.org: any value but the empty one
	}
	if text, ok := env("COLUMNS"); ok {
		if width, err := strconv.Atoi(text); err == nil && width > 0 {
			s.Width = width
		}
	}
	return s
}

// isTerminal reports whether a writer is a terminal that understands escape sequences.
func isTerminal(w io.Writer, env func(string) (string, bool)) bool {
	if kind, _ := env("TERM"); kind == "dumb" {
		return false
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
