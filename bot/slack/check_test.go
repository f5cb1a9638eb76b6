package slack

import (
	"slices"
	"strings"
	"testing"

	"stuckbot/bot/sandbox"
)

func problems(findings []Finding) []string {
	var out []string
	for _, f := range findings {
		if f.Problem != "" {
			out = append(out, f.What+": "+f.Problem)
		}
	}
	return out
}

func TestCheckThatAllIsWell(t *testing.T) {
	w := start(t, nil)
	findings := w.transport(nil).Check(t.Context(), []string{releases, incidents})
	if p := problems(findings); len(p) > 0 {
		t.Errorf("%v", p)
	}
	if want := 2 + len(Scopes()) + 2; len(findings) != want {
		t.Errorf("%d findings, want %d: %+v", len(findings), want, findings)
	}
	if n := w.Connections(); n != 0 {
		t.Errorf("it connected")
	}
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	for _, tc := range []struct {
		name  string
		world func(*sandbox.Options)
		bot   func(*Options)
		want  []string
	}{
		{name: "channels", want: []string{
			"channel C0RANDOM: the bot is not in it", "channel C0OLD: it is archived", "channel C0NOWHERE: there is no such channel",
			"channel C0PARTNERS: it is shared with another organisation"}},
		{name: "scopes", world: func(o *sandbox.Options) { o.Scopes = []string{"chat:write", "commands", "channels:read"} }, want: []string{
			"scope app_mentions:read: missing", "scope users:read: missing: needed to tell people from bots", "scope channels:history: missing",
			"without it a message whose outcome is unknown may be posted twice in a public channel"}},
		{name: "no channels:read", world: func(o *sandbox.Options) { o.Scopes = []string{"chat:write"} }, want: []string{
			"channel C0RANDOM: the bot may not look: it lacks the scope channels:read"}},
		{name: "app token", bot: func(o *Options) { o.AppToken = "xapp-wrong" }, want: []string{"app-level token: invalid_auth"}},
		{name: "bot token", bot: func(o *Options) { o.BotToken = "xoxb-wrong" }, want: []string{"bot token: invalid_auth"}},
		{name: "app scope", world: func(o *sandbox.Options) { o.AppScopes = []string{"authorizations:read"} }, want: []string{
			"scope connections:write: missing: needed to open Socket Mode connections"}},
		{name: "nobody there", bot: func(o *Options) { o.APIURL = "http://127.0.0.1:1/api/" }, want: []string{
			"app-level token: 127.0.0.1:1 does not answer as Slack does", "bot token: 127.0.0.1:1 does not answer"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := start(t, tc.world)
			findings := w.transport(tc.bot).Check(t.Context(), []string{random, old, "C0NOWHERE", "C0PARTNERS"})
			all := strings.Join(problems(findings), "\n")
			for _, want := range tc.want {
				if !strings.Contains(all, want) {
					t.Errorf("%q is not in\n%s", want, all)
				}
			}
			for _, f := range findings {
				if (f.Problem == "") != (f.Advice == "") {
					t.Errorf("a problem without advice, or the reverse: %+v", f)
				}
			}
		})
	}
}

func TestScopesAreListedOnce(t *testing.T) {
	var seen []string
	for _, s := range Scopes() {
		if slices.Contains(seen, s.Name) || s.Why == "" {
			t.Errorf("%+v", s)
		}
		seen = append(seen, s.Name)
	}
}
