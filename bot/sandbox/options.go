package sandbox

import (
	"fmt"
	"slices"
	"time"
)

// Options say what a sandbox is to be. The zero value is the default workspace with random tokens, every scope that
// Slack lets the app ask for here, and Slack's rates.
type Options struct {
	AppToken string   // app-level token, xapp-…; random when empty
	BotToken string   // bot token, xoxb-…; random when empty
	Scopes   []string // of the bot token; nil means all that DefaultScopes names
	// AppScopes are the scopes of the app-level token; nil means connections:write.
	AppScopes []string

	App       App        // the installed app; the zero value is Stuckbot's
	Workspace *Workspace // people, groups and channels; nil means DefaultWorkspace
	Commands  []Command  // the app's slash commands, which the page completes
	// Events are the subscribed bot events by their manifest names: app_mention, message.channels, message.groups,
	// member_joined_channel. Nil means all four.
	Events []string

	// BaseURL is where the handler is served, without a slash at the end. It starts the response and permalink
	// URLs. When empty, the Host of the latest request is taken.
	BaseURL string

	Now     func() time.Time // nil means time.Now
	Timing  Timing
	Rates   Rates
	Limits  Limits
	Faults  []Fault // injected from the start
	Control bool    // serve /control/, where faults can be switched over HTTP
}

// App is the installed app and its bot user.
type App struct {
	ID        string // A…
	Name      string // shown as the author of its messages
	BotID     string // B…
	BotUserID string // U…
}

// Command is a slash command of the app, with the manifest's field names. Completions are the sandbox's own: what the
// page offers after the command's name.
type Command struct {
	Command     string       `json:"command"` // with its slash
	Description string       `json:"description"`
	UsageHint   string       `json:"usage_hint"`
	Completions []Completion `json:"completions,omitempty"`
}

// Completion is one text the page offers after a command's name.
type Completion struct {
	Text        string `json:"text"`
	Description string `json:"description"`
}

// Timing holds Slack's delays. A zero field means Slack's own value.
type Timing struct {
	Ack            time.Duration   // an envelope must be acknowledged in this time: 3 s
	EventRetries   []time.Duration // waits before each retry of an event: at once, 1 min, 5 min
	Ping           time.Duration   // between two pings of the server: 10 s
	ConnectionTime time.Duration   // a connection's life: about 18060 s
	Warning        time.Duration   // from a disconnect message to the end of the connection: 10 s
	Ticket         time.Duration   // a Socket Mode URL can be used for so long: 30 s
	ResponseURL    time.Duration   // a response_url can be used for so long: 30 min
	Trigger        time.Duration   // a trigger_id can be used for so long: 3 s
}

// Limits bound what the sandbox keeps. A zero field means the default.
type Limits struct {
	Messages   int // per channel: 2000
	Ephemerals int // per channel, over all people: 500
	Changes    int // kept for a page that reconnects: 2000
	Hooks      int // response URLs: 2000
	Body       int64
}

// DefaultScopes are the bot scopes that the sandbox knows methods for.
func DefaultScopes() []string {
	return []string{
		"app_mentions:read", "channels:history", "channels:join", "channels:read", "chat:write", "commands",
		"groups:history", "groups:read", "reactions:write", "usergroups:read", "users:read", "users:read.email",
	}
}

func (o Options) withDefaults() Options {
	if o.AppToken == "" {
		o.AppToken = "xapp-1-" + randomText(24)
	}
	if o.BotToken == "" {
		o.BotToken = "xoxb-" + randomText(24)
	}
	if o.Scopes == nil {
		o.Scopes = DefaultScopes()
	}
	if o.AppScopes == nil {
		o.AppScopes = []string{"connections:write"}
	}
	if o.App == (App{}) {
		o.App = App{ID: "A0STUCKBOT", Name: "Stuckbot", BotID: "B0STUCKBOT", BotUserID: "U0STUCKBOT"}
	}
	if o.Workspace == nil {
		o.Workspace = DefaultWorkspace()
	}
	if o.Events == nil {
		o.Events = []string{eventAppMention, eventMessageChannels, eventMessageGroups, eventMemberJoined}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Timing = o.Timing.withDefaults()
	o.Limits = o.Limits.withDefaults()
	o.Rates = o.Rates.withDefaults()
	return o
}

func (t Timing) withDefaults() Timing {
	orDefault(&t.Ack, 3*time.Second)
	orDefault(&t.Ping, 10*time.Second)
	orDefault(&t.ConnectionTime, 18060*time.Second)
	orDefault(&t.Warning, 10*time.Second)
	orDefault(&t.Ticket, 30*time.Second)
	orDefault(&t.ResponseURL, 30*time.Minute)
	orDefault(&t.Trigger, 3*time.Second)
	if t.EventRetries == nil {
		t.EventRetries = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	return t
}

func (l Limits) withDefaults() Limits {
	orDefault(&l.Messages, 2000)
	orDefault(&l.Ephemerals, 500)
	orDefault(&l.Changes, 2000)
	orDefault(&l.Hooks, 2000)
	orDefault(&l.Body, int64(1<<20))
	return l
}

func (o Options) validate() error {
	known := []string{eventAppMention, eventMessageChannels, eventMessageGroups, eventMemberJoined}
	for _, e := range o.Events {
		if !slices.Contains(known, e) {
			return fmt.Errorf("sandbox: unknown event %q", e)
		}
	}
	for _, c := range o.Commands {
		if len(c.Command) < 2 || c.Command[0] != '/' {
			return fmt.Errorf("sandbox: command %q must begin with a slash", c.Command)
		}
	}
	if o.AppToken == o.BotToken {
		return fmt.Errorf("sandbox: the app-level token and the bot token must differ")
	}
	return o.Workspace.validate()
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
