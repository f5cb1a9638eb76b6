package sandbox_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack"

	"stuckbot/bot/sandbox"
)

func TestPostUpdateDeleteAndReadBack(t *testing.T) {
	w := start(t, nil)
	blocks := slack.MsgOptionBlocks(slack.NewHeaderBlock(slack.NewTextBlockObject("plain_text", "Hello", true, false)))
	ts := w.post(releases, text("fallback"), blocks)

	history := must(w.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: releases}))(t)
	if len(history.Messages) != 1 || history.Messages[0].Timestamp != ts || history.Messages[0].BotID != "B0STUCKBOT" {
		t.Fatalf("history %+v", history.Messages)
	}
	if header, ok := history.Messages[0].Blocks.BlockSet[0].(*slack.HeaderBlock); !ok || header.BlockID == "" {
		t.Fatalf("the header has no block_id: %+v", history.Messages[0].Blocks.BlockSet)
	}

	_, _, got, err := w.api.UpdateMessage(releases, ts, text("changed"))
	if err != nil || got != "changed" {
		t.Fatalf("update %q, %v", got, err)
	}
	m := w.last(releases)
	if m.Blocks != nil || m.Edited == nil {
		t.Fatalf("text without blocks takes the blocks away and shows as edited: %+v", m)
	}
	if _, _, _, err = w.api.UpdateMessage(releases, ts, blocks); err != nil {
		t.Fatal(err)
	}
	if m := w.last(releases); m.Text != "changed" || m.Blocks == nil {
		t.Fatalf("what is not sent stays: %+v", m)
	}
	if _, _, err = w.api.DeleteMessage(releases, ts); err != nil {
		t.Fatal(err)
	}
	if n := len(w.Messages(releases)); n != 0 {
		t.Fatalf("%d messages left", n)
	}
	_, _, err = w.api.DeleteMessage(releases, ts)
	wantCode(t, err, "message_not_found")
}

func TestPostRefusals(t *testing.T) {
	for _, tc := range []struct {
		code    string
		channel string
		options []slack.MsgOption
		setup   func(*sandbox.Options)
	}{
		{code: "channel_not_found", channel: "C0NOWHERE"},
		{code: "invalid_arguments", channel: ""},
		{code: "not_in_channel", channel: random},
		{code: "is_archived", channel: old},
		{code: "no_text", channel: releases, options: []slack.MsgOption{text("")}},
		{code: "msg_too_long", channel: releases, options: []slack.MsgOption{text(strings.Repeat("é", 40001))}},
		{code: "invalid_metadata_format", channel: releases, options: []slack.MsgOption{
			slack.MsgOptionMetadata(slack.SlackMetadata{EventType: "x"})}},
		{code: "metadata_too_large", channel: releases, options: []slack.MsgOption{
			slack.MsgOptionMetadata(slack.SlackMetadata{EventType: "x", EventPayload: map[string]any{"a": strings.Repeat("a", 9000)}})}},
		{code: "missing_scope", channel: releases, setup: func(o *sandbox.Options) { o.Scopes = []string{"users:read"} }},
	} {
		t.Run(tc.code, func(t *testing.T) {
			w := start(t, tc.setup)
			options := tc.options
			if options == nil {
				options = []slack.MsgOption{text("hi")}
			}
			_, _, err := w.api.PostMessage(tc.channel, options...)
			e := wantCode(t, err, tc.code)
			if tc.code == "missing_scope" && (e.Needed != "chat:write" || e.Provided != "users:read") {
				t.Errorf("needed %q provided %q", e.Needed, e.Provided)
			}
			if n := len(w.Messages(releases)); n != 0 {
				t.Errorf("%d messages were posted", n)
			}
		})
	}
}

func TestTextOf40000CharactersIsTaken(t *testing.T) {
	w := start(t, nil)
	w.post(releases, text(strings.Repeat("é", 40000)))
}

func TestAPublicChannelNeedsNoMembershipWithItsScope(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Scopes = []string{"chat:write", "chat:write.public"} })
	w.post(random, text("hi"))
	w.post("#random", text("by name"))
}

func TestUpdateRefusals(t *testing.T) {
	w := start(t, nil)
	said := must(w.As(alice).Say(releases, "", "mine"))(t)
	ts := w.post(releases, text("hi"))
	for _, tc := range []struct{ code, channel, ts string }{
		{"cant_update_message", releases, said.TS},
		{"message_not_found", releases, "1.000001"},
		{"channel_not_found", "C0NOWHERE", ts},
	} {
		_, _, _, err := w.api.UpdateMessage(tc.channel, tc.ts, text("x"))
		wantCode(t, err, tc.code)
	}
	_, _, _, err := w.api.UpdateMessage(releases, ts, text(""))
	wantCode(t, err, "no_text")
	_, _, err = w.api.DeleteMessage(releases, said.TS)
	wantCode(t, err, "cant_delete_message")
	if err := w.Archive(releases, true); err != nil {
		t.Fatal(err)
	}
	_, _, _, err = w.api.UpdateMessage(releases, ts, text("x"))
	wantCode(t, err, "is_archived")
}

func TestMetadataComesBackOnlyWhenAskedFor(t *testing.T) {
	w := start(t, nil)
	meta := slack.SlackMetadata{EventType: "plan_card", EventPayload: map[string]any{"key": "p1/card"}}
	ts := w.post(releases, text("hi"), slack.MsgOptionMetadata(meta))

	read := func(all bool) slack.SlackMetadata {
		h := must(w.api.GetConversationHistory(&slack.GetConversationHistoryParameters{
			ChannelID: releases, IncludeAllMetadata: all}))(t)
		return h.Messages[0].Metadata
	}
	if got := read(false); got.EventType != "" {
		t.Errorf("without asking: %+v", got)
	}
	if diff := cmp.Diff(meta, read(true)); diff != "" {
		t.Error(diff)
	}
	if _, _, _, err := w.api.UpdateMessage(releases, ts, text("still")); err != nil {
		t.Fatal(err)
	}
	if got := read(true); got.EventType != "plan_card" {
		t.Errorf("an update without metadata keeps it: %+v", got)
	}
}

func TestMetadataWithABadNameIsLeftOutWithAWarning(t *testing.T) {
	w := start(t, nil)
	body := w.call("chat.postMessage", `{"channel":"C0RELEASES","text":"hi","metadata":{"event_type":"a.b","event_payload":{"a":1}}}`)
	if body["ok"] != true || body["warning"] != "invalid_metadata_schema" {
		t.Fatalf("%v", body)
	}
	if w.last(releases).Metadata != nil {
		t.Error("it was stored")
	}
}

func TestEphemeralMessagesAreForOnePerson(t *testing.T) {
	w := start(t, nil)
	ts := must(w.api.PostEphemeral(releases, alice, text("psst")))(t)
	if got := w.Ephemerals(releases, alice); len(got) != 1 || got[0].TS != ts || !got[0].IsEphemeral {
		t.Fatalf("alice sees %+v", got)
	}
	if got := w.Ephemerals(releases, bob); got != nil {
		t.Fatalf("bob sees %+v", got)
	}
	if got := w.Messages(releases); len(got) != 0 {
		t.Fatalf("the channel has %+v", got)
	}
	_, _, _, err := w.api.UpdateMessage(releases, ts, text("x"))
	wantCode(t, err, "message_not_found")
	for code, user := range map[string]string{"user_not_found": "U0NOBODY", "user_not_in_channel": trent} {
		_, err := w.api.PostEphemeral(releases, user, text("psst"))
		wantCode(t, err, code)
	}
}

func TestThreads(t *testing.T) {
	w := start(t, nil)
	root := w.post(releases, text("root"))
	r1 := w.post(releases, text("one"), slack.MsgOptionTS(root))
	r2 := w.post(releases, text("two"), slack.MsgOptionTS(r1)) // a reply to a reply
	w.post(releases, text("three"), slack.MsgOptionTS(root), slack.MsgOptionBroadcast())

	replies, _, _, err := w.api.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: releases, Timestamp: root})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range replies {
		texts = append(texts, m.Text)
		if m.ThreadTimestamp != root {
			t.Errorf("%s has thread_ts %s", m.Text, m.ThreadTimestamp)
		}
	}
	if diff := cmp.Diff([]string{"root", "one", "two", "three"}, texts); diff != "" {
		t.Error(diff)
	}
	if replies[0].ReplyCount != 3 || replies[2].Timestamp != r2 {
		t.Errorf("root %+v", replies[0])
	}
	history := must(w.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: releases}))(t)
	if len(history.Messages) != 2 || history.Messages[0].SubType != "thread_broadcast" {
		t.Errorf("history shows the root and the broadcast: %+v", history.Messages)
	}
	if _, _, err := w.api.DeleteMessage(releases, r1); err != nil {
		t.Fatal(err)
	}
	if w.Messages(releases)[0].ReplyCount != 2 {
		t.Error("the deleted reply is still counted")
	}
	_, _, _, err = w.api.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: releases, Timestamp: "1.000000"})
	wantCode(t, err, "thread_not_found")
}

func TestAReplyToAThreadThatIsGoneStandsInTheChannel(t *testing.T) {
	w := start(t, nil)
	_, _, m, err := w.api.PostMessageWithResponse(releases, text("late"), slack.MsgOptionTS("1.000000"))
	if err != nil || m.ThreadTimestamp != "" {
		t.Fatalf("%+v, %v", m, err)
	}
}

func TestPermalink(t *testing.T) {
	w := start(t, nil)
	ts := w.post(releases, text("hi"))
	link := must(w.api.GetPermalink(&slack.PermalinkParameters{Channel: releases, Ts: ts}))(t)
	if want := w.url + "/archives/C0RELEASES/p" + strings.ReplaceAll(ts, ".", ""); link != want {
		t.Errorf("%s, want %s", link, want)
	}
	_, err := w.api.GetPermalink(&slack.PermalinkParameters{Channel: releases, Ts: "1.000000"})
	wantCode(t, err, "message_not_found")
}

func TestReactions(t *testing.T) {
	w := start(t, nil)
	ts := w.post(releases, text("hi"))
	ref := slack.NewRefToMessage(releases, ts)
	if err := w.api.AddReaction("eyes", ref); err != nil {
		t.Fatal(err)
	}
	if err := w.As(bob).React(releases, ts, "eyes"); err != nil {
		t.Fatal(err)
	}
	if got := w.last(releases).Reactions; len(got) != 1 || got[0].Count != 2 {
		t.Fatalf("%+v", got)
	}
	wantCode(t, w.api.AddReaction("eyes", ref), "already_reacted")
	wantCode(t, w.api.AddReaction("no spaces", ref), "invalid_name")
	wantCode(t, w.api.AddReaction("", ref), "no_reaction")
	if err := w.As(bob).React(releases, ts, "eyes"); err != nil {
		t.Fatal(err)
	}
	if got := w.last(releases).Reactions; got[0].Count != 1 {
		t.Fatalf("%+v", got)
	}
}

func TestOldMessagesGoWhenAChannelIsFull(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Limits.Messages = 3 })
	for _, s := range []string{"1", "2", "3", "4"} {
		w.post(releases, text(s))
	}
	if got := w.Messages(releases); len(got) != 3 || got[0].Text != "2" {
		t.Fatalf("%+v", got)
	}
}
