// Package slack connects the bot to a Slack workspace over Socket Mode.
//
// Events: a Socket Mode connection delivers envelopes. Each is decoded (decode*.go), stored by Options.Receive, and only
// then acknowledged (socket.go, conn.go). What cannot be used is acknowledged and reported, so that Slack does not send it
// for ever. Connections are opened at most once per second after the first three, a new one before Slack closes the old
// one (pace.go), and Ready is true only while Slack shows signs of life (alive.go). Errors that no waiting cures end Run
// with what to do (fatal.go).
//
// Messages: a bot.Message becomes Block Kit blocks (render*.go). Text stands in rich text, whose text elements Slack does
// not parse, and in plain text objects; only the bot's own times and mentions are markup. Before that, everything that
// does not print is taken out (clean.go). Split cuts what is too long into pages (split.go, wrap.go). Every message carries
// its key in its metadata, by which Find recognises it after an unknown outcome (post.go, find.go).
//
// # Why not slack-go's own Socket Mode client
//
// The Web API is called through slack-go. Its socketmode.Client is not used, since what it does not handle cannot be
// handled around it: it keeps the reason of a disconnect to itself, so that a switched-off Socket Mode looks like any
// reconnect; it closes the old connection before it opens the new one, and clicks that arrive between are lost; it shows
// nothing of pings, so that nobody outside knows whether the connection lives; and it parses foreign payloads in
// goroutines of its own, where a panic ends the process.
package slack
