// Package commands is what a person may order in the chat: one file a command, one registry. A command reads its arguments,
// has the work done, and answers with messages made by commands/present; it has no sentences of its own.
package commands
