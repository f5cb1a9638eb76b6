package slack

// Scope is a permission that a token needs.
type Scope struct {
	Name string
	// App says that it belongs to the app-level token, and not to the bot token.
	App bool
	// Why says what the bot does with it.
	Why string
	// Without says what is worse without it; empty when the bot does not work without it.
	Without string
}

// Scopes lists what the code uses, each scope once. The app's manifest and `stuckbot check` are made from it.
func Scopes() []Scope {
	const ambiguous = "a message whose outcome is unknown may be posted twice"
	const unchecked = "stuckbot check cannot tell whether the bot is in its channels"
	return []Scope{
		{Name: "connections:write", App: true, Why: "open Socket Mode connections"},
		{Name: "commands", Why: "take slash commands"},
		{Name: "chat:write", Why: "post and update messages"},
		{Name: "app_mentions:read", Why: "take commands in threads, where slash commands do not work", Without: "@stuckbot is not heard"},
		{Name: "users:read", Why: "tell people from bots, guests and the deactivated", Without: "every vote is refused"},
		{Name: "usergroups:read", Why: "tell who is in a group of approvers", Without: "votes by members of groups are refused"},
		{Name: "channels:history", Why: "find a message of its own whose outcome is unknown", Without: ambiguous + " in a public channel"},
		{Name: "groups:history", Why: "the same in private channels", Without: ambiguous + " in a private channel"},
		{Name: "channels:read", Why: "tell whether the bot is in a public channel", Without: unchecked},
		{Name: "groups:read", Why: "the same for private channels", Without: unchecked},
	}
}

// Events lists the bot events that the app must subscribe to.
func Events() []string { return []string{"app_mention"} }
