package clienttest

import "testing"

// TestPageModules runs the tests of the page's own modules that need no browser.
func TestPageModules(t *testing.T) {
	needNode(t)
	t.Log(node(t, nil, "--test", "modules.test.mjs"))
}
