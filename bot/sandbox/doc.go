// Package sandbox is a local Slack workspace: the Web API, Socket Mode and a web page on which one person can act as
// several. An unmodified Slack client connects to it by its API URL alone, so the bot that talks to the sandbox is the
// bot that talks to Slack.
//
// It speaks Slack's protocol and nothing else: field names, error codes, limits and rates are Slack's own, and what a
// client may not do at Slack it may not do here. Where Slack's behaviour is not documented, the comment at that place
// says what was assumed.
//
// # What it holds
//
// Everything lives in memory and is bounded: messages of a channel, ephemeral messages, response URLs, triggers,
// tickets, changes kept for a page that reconnects. The oldest goes first.
//
// # What it does not do
//
// Modals and App Home (views.* answers unknown_method), files, direct messages, Enterprise Grid, and the block types and
// elements beyond those in blocks.go: Slack accepts more of them than the sandbox does.
//
// # Who may reach it
//
// The caller binds the handler to loopback. The Web API asks for tokens, Socket Mode for a ticket; the page and its API
// answer only to a loopback Host, to their own origin and with the page's token.
package sandbox
