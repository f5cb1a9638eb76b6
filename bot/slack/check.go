package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/slack-go/slack"
)

// Finding is one thing that Check looked at.
type Finding struct {
	// What was looked at, for example "bot token" or "scope channels:history".
	What string
	// Problem is empty when all is well.
	Problem string
	// Advice says what to do about the problem.
	Advice string
	// Degraded says that the bot works all the same, only worse.
	Degraded bool
}

// scopesHeader lists the scopes of the token that a call was made with.
const scopesHeader = "X-OAuth-Scopes"

// Check looks whether both tokens are taken, whether they have their scopes, and whether the bot is in the channels. It
// writes nothing.
func (t *Transport) Check(ctx context.Context, channels []string) []Finding {
	out := t.checkApp(ctx)
	who, err := t.api.AuthTestContext(ctx)
	if err != nil {
		return append(out, Finding{What: "bot token", Problem: t.problem("bot", err), Advice: advice("bot", err)})
	}
	out = append(out, Finding{What: "bot token"})
	out = append(out, checkScopes(false, who.Header.Get(scopesHeader))...)
	for _, id := range channels {
		out = append(out, t.checkChannel(ctx, id))
	}
	return out
}

// checkApp opens a connection's address, which is all an app-level token is for. The address is not used and expires.
func (t *Transport) checkApp(ctx context.Context) []Finding {
	scopes := ""
	api := sdk.New(t.o.BotToken, sdk.OptionAPIURL(t.base.String()), sdk.OptionAppLevelToken(t.o.AppToken), sdk.OptionHTTPClient(t.http),
		sdk.OptionOnResponseHeaders(func(_ string, h http.Header) { scopes = h.Get(scopesHeader) }))
	_, _, err := api.StartSocketModeContext(ctx)
	var refused sdk.SlackErrorResponse
	switch {
	case errors.As(err, &refused) && refused.Err == "missing_scope":
		return append([]Finding{{What: "app-level token"}}, checkScopes(true, refused.Provided)...)
	case err != nil:
		return []Finding{{What: "app-level token", Problem: t.problem("app", err), Advice: advice("app", err)}}
	case scopes == "": // it did what it is for
		scopes = "connections:write"
	}
	return append([]Finding{{What: "app-level token"}}, checkScopes(true, scopes)...)
}

// checkScopes compares what a token has with what the code uses.
func checkScopes(app bool, header string) []Finding {
	var has []string
	for s := range strings.SplitSeq(header, ",") {
		has = append(has, strings.TrimSpace(s))
	}
	var out []Finding
	for _, s := range Scopes() {
		if s.App != app {
			continue
		}
		f := Finding{What: "scope " + s.Name}
		if !slices.Contains(has, s.Name) {
			f.Problem = "missing: needed to " + s.Why
			f.Advice = "add it in the app's settings, or take deploy/slack-manifest.yaml, and install the app again"
			if f.Degraded = s.Without != ""; f.Degraded {
				f.Problem += "; without it " + s.Without
			}
		}
		out = append(out, f)
	}
	return out
}

func (t *Transport) checkChannel(ctx context.Context, id string) Finding {
	f := Finding{What: "channel " + cleanLine(id)}
	c, err := t.api.GetConversationInfoContext(ctx, &sdk.GetConversationInfoInput{ChannelID: id})
	var refused sdk.SlackErrorResponse
	switch {
	case errors.As(err, &refused) && refused.Err == "channel_not_found":
		f.Problem = "there is no such channel, or it is private and the bot is not in it"
		f.Advice = "take the channel's id from its details in Slack, and invite the bot: /invite @stuckbot"
	case errors.As(err, &refused) && refused.Err == "missing_scope":
		f.Problem, f.Degraded = "the bot may not look: it lacks the scope "+cleanLine(refused.Needed), true
		f.Advice = "add the scope, and install the app again"
	case err != nil:
		f.Problem, f.Advice = t.problem("bot", err), advice("bot", err)
	case c.IsArchived:
		f.Problem, f.Advice = "it is archived", "name another channel, or restore this one"
	case !c.IsMember:
		f.Problem, f.Advice = "the bot is not in it", "invite it there: /invite @stuckbot"
	case c.IsExtShared:
		f.Problem, f.Degraded = "it is shared with another organisation, whose people read what the bot posts", true
		f.Advice = "name a channel of your own organisation"
	}
	return f
}

// problem is what went wrong, in a line and without addresses.
func (t *Transport) problem(token string, err error) string {
	if f := new(FatalError); errors.As(fatal(token, err), &f) {
		return f.Code
	}
	return fmt.Sprintf("%s does not answer as Slack does: %v", t.base.Host, classify(err, false))
}

func advice(token string, err error) string {
	if f := new(FatalError); errors.As(fatal(token, err), &f) {
		return f.Advice
	}
	return "look whether this machine reaches the chat, and whether the API URL is right"
}
