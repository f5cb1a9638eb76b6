package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"stuckbot/bot/sandbox"
)

func TestSlashCommandAnsweredInTheAcknowledgement(t *testing.T) {
	w := start(t, nil)
	sm := w.connect()
	if err := w.As(alice).Slash(releases, "/stuck diagnose prod-eu  a < b"); err != nil {
		t.Fatal(err)
	}
	e := next(t, sm, socketmode.EventTypeSlashCommand)
	cmd := e.Data.(slack.SlashCommand)
	if cmd.Command != "/stuck" || cmd.Text != "diagnose prod-eu  a < b" || cmd.UserID != alice || cmd.ChannelID != releases ||
		cmd.ChannelName != "releases" || cmd.TeamID != "T0SANDBOX" || cmd.ResponseURL == "" || cmd.TriggerID == "" || cmd.APIAppID != "A0STUCKBOT" {
		t.Fatalf("%+v", cmd)
	}
	if !e.Request.AcceptsResponsePayload {
		t.Error("a slash command takes a payload")
	}
	if err := sm.Ack(*e.Request, map[string]any{"text": "on it"}); err != nil {
		t.Fatal(err)
	}
	w.await(func() bool { return len(w.Ephemerals(releases, alice)) == 1 })
	if m := w.Ephemerals(releases, alice)[0]; m.Text != "on it" || m.BotID != "B0STUCKBOT" {
		t.Errorf("%+v", m)
	}
}

func TestSlashCommandAnsweredInTheChannel(t *testing.T) {
	w := start(t, nil)
	sm := w.connect()
	w.As(alice).Slash(releases, "/stuck")
	e := next(t, sm, socketmode.EventTypeSlashCommand)
	sm.Ack(*e.Request, map[string]any{"text": "all see", "response_type": "in_channel"})
	w.await(func() bool { return len(w.Messages(releases)) == 1 })
}

func TestSlashCommandThatNobodyAcknowledges(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Timing.Ack = 500 * time.Millisecond })
	if err := w.As(alice).Slash(releases, "/stuck"); err != nil {
		t.Fatal(err)
	}
	r := w.dial()
	r.hello()
	if err := w.As(alice).Slash(releases, "/stuck sweep"); err != nil {
		t.Fatal(err)
	}
	e := r.read()
	w.await(func() bool { return len(w.Ephemerals(releases, alice)) == 2 })
	got := w.Ephemerals(releases, alice)
	if got[0].Text != `/stuck failed with the error "dispatch_failed"` {
		t.Errorf("without a connection: %q", got[0].Text)
	}
	if got[1].Text != `/stuck failed with the error "operation_timeout"` || got[1].User != "USLACKBOT" {
		t.Errorf("without an acknowledgement: %+v", got[1])
	}
	r.ack(e, map[string]any{"text": "too late"})
	w.As(alice).Slash(releases, "/stuck") // acknowledgements are read in order: after this one the late one was
	r.ack(r.read(), map[string]any{"text": "in time"})
	w.await(func() bool { return len(w.Ephemerals(releases, alice)) == 3 })
	if got := w.Ephemerals(releases, alice)[2].Text; got != "in time" {
		t.Errorf("a late acknowledgement shows nothing: %q", got)
	}
}

func TestAnUnknownCommandIsSlacksToRefuse(t *testing.T) {
	w := start(t, nil)
	if err := w.As(alice).Slash(releases, "/dance"); err != nil {
		t.Fatal(err)
	}
	if got := w.Ephemerals(releases, alice); len(got) != 1 || !strings.Contains(got[0].Text, "not a valid command") {
		t.Errorf("%+v", got)
	}
}

func TestAnOversizedAcknowledgementIsDropped(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Timing.Ack = 200 * time.Millisecond })
	r := w.dial()
	r.hello()
	w.As(alice).Slash(releases, "/stuck")
	r.ack(r.read(), map[string]any{"text": strings.Repeat("a", 20<<10)})
	w.await(func() bool { return len(w.Ephemerals(releases, alice)) == 1 })
	if got := w.Ephemerals(releases, alice)[0].Text; !strings.Contains(got, "operation_timeout") {
		t.Errorf("%q", got)
	}
}

func buttons() slack.MsgOption {
	b := slack.NewButtonBlockElement("approve", "p1", slack.NewTextBlockObject("plain_text", "Approve", true, false))
	return slack.MsgOptionBlocks(slack.NewActionBlock("votes", b))
}

func TestClick(t *testing.T) {
	w := start(t, nil)
	sm := w.connect()
	ts := w.post(releases, text("card"), buttons())
	if err := w.As(bob).Click(releases, ts, "votes", "approve"); err != nil {
		t.Fatal(err)
	}
	e := next(t, sm, socketmode.EventTypeInteractive)
	cb := e.Data.(slack.InteractionCallback)
	a := cb.ActionCallback.BlockActions
	if cb.Type != slack.InteractionTypeBlockActions || cb.User.ID != bob || cb.User.TeamID != "T0SANDBOX" || cb.Channel.ID != releases ||
		cb.Container.MessageTs != ts || cb.Message.Timestamp != ts || cb.TriggerID == "" || len(a) != 1 ||
		a[0].ActionID != "approve" || a[0].BlockID != "votes" || a[0].Value != "p1" || a[0].ActionTs == "" {
		t.Fatalf("%+v", cb)
	}
	if err := sm.Ack(*e.Request); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.api.PostMessage(releases, text("voted"), slack.MsgOptionReplaceOriginal(cb.ResponseURL)); err != nil {
		t.Fatal(err)
	}
	if m := w.last(releases); m.Text != "voted" || m.TS != ts || m.Blocks != nil {
		t.Fatalf("%+v", m)
	}
}

func TestClickOnAnEphemeralMessage(t *testing.T) {
	w := start(t, nil)
	sm := w.connect()
	ts := must(w.api.PostEphemeral(releases, alice, text("card"), buttons()))(t)
	if err := w.As(bob).Click(releases, ts, "votes", "approve"); err == nil {
		t.Error("bob does not see it")
	}
	if err := w.As(alice).Click(releases, ts, "", "approve"); err != nil {
		t.Fatal(err)
	}
	e := next(t, sm, socketmode.EventTypeInteractive)
	cb := e.Data.(slack.InteractionCallback)
	if !cb.Container.IsEphemeral || cb.Message.Timestamp != "" {
		t.Errorf("%+v", cb)
	}
	sm.Ack(*e.Request)
	if _, _, err := w.api.PostMessage(releases, slack.MsgOptionDeleteOriginal(cb.ResponseURL)); err != nil {
		t.Fatal(err)
	}
	if got := w.Ephemerals(releases, alice); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAClickThatNobodyAcknowledges(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Timing.Ack = 50 * time.Millisecond })
	w.dial().hello()
	ts := w.post(releases, text("card"), buttons())
	if err := w.As(bob).Click(releases, ts, "votes", "approve"); err != nil {
		t.Fatal(err)
	}
	w.await(func() bool { return len(w.Notices(bob)) == 1 })
	if got := w.Notices(bob)[0]; !strings.Contains(got, "timed out") {
		t.Errorf("%q", got)
	}
}

func TestMentionAndMembershipEvents(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Events = []string{"app_mention", "member_joined_channel"} })
	sm := w.connect()
	said := must(w.As(alice).Say(releases, "", "@stuckbot diagnose <prod> & #random."))(t)
	e := next(t, sm, socketmode.EventTypeEventsAPI)
	mention := e.Data.(slackevents.EventsAPIEvent).InnerEvent.Data.(*slackevents.AppMentionEvent)
	if mention.Text != "<@U0STUCKBOT> diagnose &lt;prod&gt; &amp; <#C0RANDOM|random>." || mention.User != alice || mention.TimeStamp != said.TS {
		t.Errorf("%+v", mention)
	}
	sm.Ack(*e.Request)
	if err := w.As(alice).Invite(random, "U0STUCKBOT"); err != nil {
		t.Fatal(err)
	}
	e = next(t, sm, socketmode.EventTypeEventsAPI)
	joined := e.Data.(slackevents.EventsAPIEvent).InnerEvent.Data.(*slackevents.MemberJoinedChannelEvent)
	if joined.User != "U0STUCKBOT" || joined.Channel != random || joined.Inviter != alice || joined.ChannelType != "C" {
		t.Errorf("%+v", joined)
	}
	sm.Ack(*e.Request)
}

func TestMessageEvents(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Events = []string{"message.channels"} })
	sm := w.connect()
	event := func() *slackevents.MessageEvent {
		e := next(t, sm, socketmode.EventTypeEventsAPI)
		sm.Ack(*e.Request)
		return e.Data.(slackevents.EventsAPIEvent).InnerEvent.Data.(*slackevents.MessageEvent)
	}
	w.As(alice).Say(random, "", "the bot is not in #random")
	w.As(alice).Say(releases, "", "hello")
	if m := event(); m.Text != "hello" || m.User != alice || m.ChannelType != "channel" {
		t.Errorf("%+v", m)
	}
	ts := w.post(releases, text("own"))
	if m := event(); m.Text != "own" || m.BotID != "B0STUCKBOT" {
		t.Errorf("the app hears itself: %+v", m)
	}
	w.api.UpdateMessage(releases, ts, text("edited"))
	if m := event(); m.SubType != "message_changed" || m.Message.Text != "edited" || m.PreviousMessage.Text != "own" {
		t.Errorf("%+v", m)
	}
	w.api.DeleteMessage(releases, ts)
	if m := event(); m.SubType != "message_deleted" || m.DeletedTimeStamp != ts {
		t.Errorf("%+v", m)
	}
}

func TestOnlyEventsAreRetried(t *testing.T) {
	w := start(t, func(o *sandbox.Options) {
		o.Events = []string{"app_mention"}
		o.Timing.Ack, o.Timing.EventRetries = 30*time.Millisecond, []time.Duration{0, time.Millisecond}
	})
	r := w.dial()
	r.hello()
	ts := w.post(releases, text("card"), buttons())
	w.As(alice).Click(releases, ts, "votes", "approve")
	w.As(alice).Say(releases, "", "@stuckbot hi")
	var clicks int
	var attempts []any
	var ids = map[any]bool{}
	var eventID any
	for len(attempts) < 3 {
		e := r.read()
		if e["type"] == "interactive" {
			clicks++
			continue
		}
		attempts = append(attempts, e["retry_attempt"])
		ids[e["envelope_id"]] = true
		id := e["payload"].(map[string]any)["event_id"]
		if eventID != nil && id != eventID {
			t.Error("a retry has the same event_id")
		}
		eventID = id
		want := "timeout"
		if len(attempts) == 1 {
			want = ""
		}
		if e["retry_reason"] != want {
			t.Errorf("reason %v", e["retry_reason"])
		}
	}
	if clicks != 1 || len(ids) != 3 || attempts[2] != 2.0 {
		t.Errorf("%d clicks, attempts %v, %d envelope ids", clicks, attempts, len(ids))
	}
}

func TestABadAnswerInTheAcknowledgementIsShownAsAnError(t *testing.T) {
	w := start(t, nil)
	r := w.dial()
	r.hello()
	w.As(alice).Slash(releases, "/stuck")
	r.ack(r.read(), map[string]any{"blocks": []any{map[string]any{"type": "hologram"}}})
	w.await(func() bool { return len(w.Ephemerals(releases, alice)) == 1 })
	if got := w.Ephemerals(releases, alice)[0].Text; !strings.Contains(got, "failed with the error") {
		t.Errorf("%q", got)
	}
}
