package bot

import "time"

// Place is where in a workspace something happens.
type Place struct {
	// Platform is the transport's name, for example "slack".
	Platform string `json:"platform"`
	// Team is the workspace or tenant.
	Team    string `json:"team,omitempty"`
	Channel string `json:"channel"`
	// Thread is the id of the thread's root message; empty outside threads.
	Thread string `json:"thread,omitempty"`
}

// User is a person, or what claims to be one, as the event names it. Who counts as a person is looked up, never taken
// from an event.
type User struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	Team string `json:"team,omitempty"`
}

// Event is something that happened in the chat, stored as it was received.
type Event struct {
	// Key identifies what happened, so that the same event, delivered twice, acts once.
	Key string `json:"key"`
	// Received is when it arrived, in UTC.
	Received time.Time `json:"received"`
	Place    Place     `json:"place"`
	User     User      `json:"user"`
	// Exactly one of Command and Click is set.
	Command *Command `json:"command,omitempty"`
	Click   *Click   `json:"click,omitempty"`
	// Reply lets the transport answer the person alone, for a while; it is opaque to everyone else.
	Reply string `json:"reply,omitempty"`
}

// Command is what a person typed: a slash command or a mention.
type Command struct {
	// Text is what follows the slash command's name or the mention, as typed.
	Text string `json:"text"`
	// Mention says that the bot was mentioned; slash commands do not work inside threads.
	Mention bool `json:"mention,omitempty"`
}

// Click is a pressed Button. It is typed and never turned into a command's text.
type Click struct {
	ID      string `json:"id"`
	Verb    string `json:"verb"`
	Digest  string `json:"digest,omitempty"`
	Message string `json:"message"`
}
