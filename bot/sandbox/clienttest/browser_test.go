package clienttest

import (
	"os"
	"testing"
)

// TestPageAsAPerson lets a script act as a person in Chromium: see browser.mjs for what it does and checks. Its pictures
// go to $SANDBOX_SHOTS when that is set.
func TestPageAsAPerson(t *testing.T) {
	needNode(t)
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		chromium = "/usr/bin/chromium"
	}
	if _, err := os.Stat(chromium); err != nil {
		missing(t, "there is no browser at "+chromium+"; set $CHROMIUM")
	}
	shots := os.Getenv("SANDBOX_SHOTS")
	if shots == "" {
		shots = t.TempDir()
	}
	s, srv := start(t)
	runBot(t, s, srv)
	t.Log(node(t, map[string]string{"SANDBOX_URL": srv.URL, "CHROMIUM": chromium, "SHOTS": shots}, "browser.mjs"))
}
