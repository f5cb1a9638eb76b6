package clienttest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"stuckbot/bot/sandbox"
)

const releases = "C0RELEASES"

// start runs a sandbox with Slack's rates and timing, and its server.
func start(t *testing.T) (*sandbox.Sandbox, *httptest.Server) {
	t.Helper()
	s, err := sandbox.New(sandbox.Options{
		Events: []string{"app_mention", "member_joined_channel"},
		Commands: []sandbox.Command{{
			Command: "/stuck", Description: "Find and repair what is stuck", UsageHint: "[sweep | diagnose CLUSTER | help]",
			Completions: []sandbox.Completion{
				{Text: "sweep", Description: "Look at every cluster"},
				{Text: "diagnose prod-eu", Description: "Say why a cluster is stuck"},
				{Text: "help", Description: "What the bot can do"},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		s.Close()
		srv.CloseClientConnections()
		srv.Close()
	})
	return s, srv
}

// bot is a stand-in for the real one: it sends every kind of block that the real one sends.
type bot struct {
	t   *testing.T
	api *slack.Client
	sm  *socketmode.Client
	cut func() // breaks the page's connections
}

// runBot connects the stand-in and returns when Slack has greeted it.
func runBot(t *testing.T, s *sandbox.Sandbox, srv *httptest.Server) {
	t.Helper()
	alone := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // cut does not meet it
	api := slack.New(s.BotToken(), slack.OptionAPIURL(srv.URL+"/api/"), slack.OptionAppLevelToken(s.AppToken()), slack.OptionHTTPClient(alone))
	b := &bot{t: t, api: api, sm: socketmode.New(api), cut: srv.CloseClientConnections}
	ctx, cancel := context.WithCancel(context.Background())
	stopped, handled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		b.sm.RunContext(ctx)
		close(b.sm.Events)
	}()
	go func() {
		defer close(handled)
		for e := range b.sm.Events {
			b.handle(e)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-stopped
		<-handled
	})
	await(t, s, func() bool { return s.Connections() == 1 })
}

func await(t *testing.T, s *sandbox.Sandbox, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.Await(ctx, cond); err != nil {
		t.Fatal(err)
	}
}

func (b *bot) handle(e socketmode.Event) {
	if e.Request == nil || e.Request.EnvelopeID == "" {
		return
	}
	switch data := e.Data.(type) {
	case slack.SlashCommand:
		b.command(e, data)
	case slack.InteractionCallback:
		if data.ActionCallback.BlockActions[0].ActionID == "evidence" {
			return // not acknowledged, to see what Slack says then
		}
		b.check(b.sm.Ack(*e.Request))
		b.click(data)
	case slackevents.EventsAPIEvent:
		b.check(b.sm.Ack(*e.Request))
		if m, ok := data.InnerEvent.Data.(*slackevents.AppMentionEvent); ok {
			_, _, err := b.api.PostMessage(m.Channel, slack.MsgOptionText("At your service, <@"+m.User+">.", false), slack.MsgOptionTS(m.TimeStamp))
			b.check(err)
		}
	}
}

func (b *bot) command(e socketmode.Event, c slack.SlashCommand) {
	if c.Text == "diagnose prod-eu" {
		b.check(b.sm.Ack(*e.Request, map[string]any{"text": "*prod-eu* is `Pending-Upgrade`. Only you see this, <@" + c.UserID + ">."}))
		return
	}
	b.check(b.sm.Ack(*e.Request))
	switch c.Text {
	case "sweep":
		b.post(c.ChannelID, "1 cluster is stuck", slack.MsgOptionBlocks(card()...))
	case "hostile":
		b.post(c.ChannelID, "hostile", slack.MsgOptionBlocks(hostile()...))
	case "edit":
		_, ts, err := b.api.PostMessage(c.ChannelID, slack.MsgOptionText("frist", false))
		b.check(err)
		_, _, _, err = b.api.UpdateMessage(c.ChannelID, ts, slack.MsgOptionText("first", false))
		b.check(err)
	case "cut":
		b.cut()
		b.post(c.ChannelID, "after the cut")
	}
}

func (b *bot) post(channel, text string, options ...slack.MsgOption) {
	_, _, err := b.api.PostMessage(channel, append(options, slack.MsgOptionText(text, false))...)
	b.check(err)
}

func (b *bot) click(c slack.InteractionCallback) {
	a := c.ActionCallback.BlockActions[0]
	blocks := append(card()[:6:6], section("*Approved* by <@"+c.User.ID+">. :white_check_mark:"))
	_, _, _, err := b.api.UpdateMessage(c.Channel.ID, c.Container.MessageTs, slack.MsgOptionText("approved", false), slack.MsgOptionBlocks(blocks...))
	b.check(err)
	_, _, err = b.api.PostMessage(c.Channel.ID, slack.MsgOptionText("Plan `"+a.Value+"` runs. _Verifying …_", false), slack.MsgOptionTS(c.Container.MessageTs))
	b.check(err)
}

func (b *bot) check(err error) {
	if err != nil {
		b.t.Error(err)
	}
}

func mrkdwn(s string) *slack.TextBlockObject {
	return slack.NewTextBlockObject("mrkdwn", s, false, false)
}
func plain(s string) *slack.TextBlockObject {
	return slack.NewTextBlockObject("plain_text", s, true, false)
}
func section(s string) *slack.SectionBlock { return slack.NewSectionBlock(mrkdwn(s), nil, nil) }

// hostile tries to be more than text.
func hostile() []slack.Block {
	const markup = `<img src=x onerror=alert(1)><script>alert(1)</script>`
	button := slack.NewButtonBlockElement("x", "x", plain(markup))
	button.URL = "javascript:alert(1)"
	return []slack.Block{
		slack.NewHeaderBlock(plain(markup)),
		section(markup + " <javascript:alert(1)|click> <data:text/html,x|click> <@" + markup + "> <!date^1^" + markup + "|x>"),
		slack.NewRichTextBlock("", slack.NewRichTextSection(
			slack.NewRichTextSectionTextElement(markup, nil), slack.NewRichTextSectionLinkElement("javascript:alert(1)", markup, nil))),
		slack.NewActionBlock("", button),
	}
}

// card has every kind of block in it.
func card() []slack.Block {
	open := slack.NewButtonBlockElement("evidence", "prod-eu", plain("Evidence"))
	approve := slack.NewButtonBlockElement("approve", "p-17", plain("Approve")).WithStyle(slack.StylePrimary)
	approve.Confirm = slack.NewConfirmationBlockObject(plain("Roll back payments in prod-eu?"),
		mrkdwn("Revision *42* is replaced by *41*. The pods restart."), plain("Approve"), plain("Not now"))
	deny := slack.NewButtonBlockElement("deny", "p-17", plain("Deny")).WithStyle(slack.StyleDanger)
	deny.Confirm = slack.NewConfirmationBlockObject(plain("Deny the plan?"), plain("Nobody can approve it afterwards."), plain("Deny"), plain("Back")).WithStyle(slack.StyleDanger)
	part := func(s string, style *slack.RichTextSectionTextStyle) slack.RichTextSectionElement {
		return slack.NewRichTextSectionTextElement(s, style)
	}
	return []slack.Block{
		slack.NewHeaderBlock(plain(":rotating_light: 1 of 118 releases is stuck")),
		slack.NewSectionBlock(mrkdwn("*payments* in *prod-eu* waits since <!date^1796076000^{date_short_pretty} {time}|18:00>, held by <@U0BOB> and <!subteam^S0SRE|@sre>. See <https://example.com/runbook|the runbook>."),
			[]*slack.TextBlockObject{
				mrkdwn("*State*\nPending-Upgrade"), mrkdwn("*Revision*\n`41` → `42`"), mrkdwn("*Owner*\n~flux~ helm"), mrkdwn("*Cause*\n_hook-stuck_"),
			}, slack.NewAccessory(open)),
		slack.NewRichTextBlock("",
			slack.NewRichTextSection(part("What the log says ", nil), part("(3 lines)", &slack.RichTextSectionTextStyle{Italic: true})),
			&slack.RichTextPreformatted{Type: slack.RTEPreformatted, Elements: []slack.RichTextSectionElement{
				part("level=error msg=\"pre-upgrade hooks failed: timed out waiting for the condition\"\n<!channel> & <b>not markup</b> *not bold*\nError: UPGRADE FAILED", nil)}},
			slack.NewRichTextList(slack.RTEListBullet, 0,
				slack.NewRichTextSection(part("Job ", nil), part("payments-migrate", &slack.RichTextSectionTextStyle{Code: true}), part(" never finished", nil)),
				slack.NewRichTextSection(part("nothing else moved for 40 minutes", nil))),
			&slack.RichTextQuote{Type: slack.RTEQuote, Elements: []slack.RichTextSectionElement{part("Another operation is in progress.", nil)}}),
		slack.NewContextBlock("", mrkdwn("Plan `p-17` · medium risk · 2 votes needed · <#C0INCIDENTS>"), slack.NewImageBlockElement("https://example.com/x.png", "Grafana panel")),
		slack.NewDividerBlock(),
		section("> Approving rolls back to revision *41*.\n```helm rollback payments 41 -n payments```"),
		slack.NewActionBlock("votes", approve, deny),
	}
}
