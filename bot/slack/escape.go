package slack

import "strings"

// escape makes text literal in the one place where Slack parses markup that we do not write: a message's fallback text.
// These three characters begin every mention and every link.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// unescape undoes escape.
func unescape(text string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
}
