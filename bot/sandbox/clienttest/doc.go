// Package clienttest proves with programs that are not ours that the sandbox is Slack to them: the official clients for
// Node, and a browser in which a script acts as a person. It holds tests only; they need node and npm, and the browser
// tests Chromium ($CHROMIUM, or /usr/bin/chromium).
package clienttest
