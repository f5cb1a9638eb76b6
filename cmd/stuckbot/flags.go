package main

import (
	"fmt"
	"strings"

	"stuckbot/checks"
	"stuckbot/cmd/stuckbot/internal/strict"
)

// jsonWanted reads -o, whose other value is plain.
func jsonWanted(output, plain string) (bool, error) {
	switch output {
	case plain:
		return false, nil
	case "json":
		return true, nil
	default:
		return false, fmt.Errorf("-o %q is no output: give %s or json", output, plain)
	}
}

// parseStates reads --fail-on.
func parseStates(texts []string) (map[checks.State]bool, error) {
	states := map[checks.State]bool{}
	for _, text := range texts {
		state, ok := checks.ParseState(text)
		if !ok {
			return nil, fmt.Errorf("--fail-on %q is no state%s", text, meant(text, stateTitles()))
		}
		if state == checks.Active {
			return nil, fmt.Errorf("--fail-on Active makes no sense: what is Active is fine and is not listed")
		}
		states[state] = true
	}
	return states, nil
}

func stateTitles() []string {
	var titles []string
	for _, state := range checks.States() {
		if state != checks.Active {
			titles = append(titles, state.Title())
		}
	}
	return titles
}

// parseLabels reads --label.
func parseLabels(texts []string) (map[string]string, error) {
	labels := map[string]string{}
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--label %q is no label: give key=value, for example env=prod", text)
		}
		labels[key] = value
	}
	return labels, nil
}

// meant says which known word was meant, or which ones there are.
func meant(word string, known []string) string {
	if near := strict.Nearest(word, known); near != "" {
		return fmt.Sprintf(": did you mean %s?", near)
	}
	return ": there are " + strings.Join(known, ", ")
}
