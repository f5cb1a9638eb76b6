package sandbox_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack"

	"stuckbot/bot/sandbox"
)

func TestUsers(t *testing.T) {
	w := start(t, nil)
	for _, tc := range []struct {
		id   string
		want func(*slack.User) bool
	}{
		{alice, func(u *slack.User) bool {
			return u.Profile.Email == "alice@example.com" && u.TZ == "Europe/Amsterdam" && u.Locale == "en-GB" && u.RealName == "Alice Ames"
		}},
		{mallory, func(u *slack.User) bool { return u.IsRestricted && u.IsUltraRestricted }},
		{eve, func(u *slack.User) bool { return u.Deleted }},
		{trent, func(u *slack.User) bool { return u.IsStranger && u.TeamID == "T0PARTNER" }},
		{"U0STUCKBOT", func(u *slack.User) bool { return u.IsBot && u.Profile.BotID == "B0STUCKBOT" }},
	} {
		if u := must(w.api.GetUserInfo(tc.id))(t); !tc.want(u) {
			t.Errorf("%+v", u)
		}
	}
	_, err := w.api.GetUserInfo("U0NOBODY")
	wantCode(t, err, "user_not_found")
	if u := must(w.api.GetUserByEmail("BOB@example.com"))(t); u.ID != bob {
		t.Errorf("%+v", u)
	}
	for _, email := range []string{"nobody@example.com", "eve@example.com"} {
		_, err := w.api.GetUserByEmail(email)
		wantCode(t, err, "users_not_found")
	}
	two := must(w.api.GetUsersInfo(alice, bob))(t)
	if len(*two) != 2 {
		t.Errorf("%+v", two)
	}
}

func TestEmailNeedsItsScope(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Scopes = []string{"users:read"} })
	if u := must(w.api.GetUserInfo(alice))(t); u.Profile.Email != "" {
		t.Errorf("%q", u.Profile.Email)
	}
	_, err := w.api.GetUserByEmail("alice@example.com")
	if e := wantCode(t, err, "missing_scope"); e.Needed != "users:read.email" {
		t.Errorf("%+v", e)
	}
}

func TestGroups(t *testing.T) {
	w := start(t, nil)
	groups := must(w.api.GetUserGroups(slack.GetUserGroupsOptionIncludeUsers(true), slack.GetUserGroupsOptionIncludeCount(true)))(t)
	if len(groups) != 2 || groups[0].Handle != "sre" || len(groups[0].Users) != 2 || groups[0].UserCount != 2 {
		t.Errorf("%+v", groups)
	}
	if err := w.SetGroup("S0SRE", alice, eve); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{alice}, must(w.api.GetUserGroupMembers("S0SRE"))(t)); diff != "" {
		t.Errorf("the deactivated are in no group: %s", diff)
	}
	_, err := w.api.GetUserGroupMembers("S0NONE")
	wantCode(t, err, "no_such_subteam")
}

func TestPagination(t *testing.T) {
	w := start(t, nil)
	var names []string
	cursor, pages := "", 0
	for {
		channels, next, err := w.api.GetConversations(&slack.GetConversationsParameters{Limit: 2, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		pages++
		for _, c := range channels {
			names = append(names, c.Name)
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"releases", "incidents", "partners", "random", "old"}, names); diff != "" || pages != 3 {
		t.Errorf("%d pages %s", pages, diff)
	}
	users := must(w.api.GetUsers(slack.GetUsersOptionLimit(3)))(t)
	if len(users) != 8 {
		t.Errorf("%d users", len(users))
	}
	_, _, err := w.api.GetConversations(&slack.GetConversationsParameters{Cursor: "nonsense"})
	wantCode(t, err, "invalid_cursor")
	_, _, err = w.api.GetConversations(&slack.GetConversationsParameters{Limit: 2000})
	wantCode(t, err, "invalid_limit")
}

func TestHistoryWindowsAndPages(t *testing.T) {
	w := start(t, nil)
	var ts []string
	for _, s := range []string{"1", "2", "3", "4", "5"} {
		ts = append(ts, w.post(releases, text(s)))
	}
	read := func(p slack.GetConversationHistoryParameters) (texts []string, next string) {
		t.Helper()
		p.ChannelID = releases
		h := must(w.api.GetConversationHistory(&p))(t)
		for _, m := range h.Messages {
			texts = append(texts, m.Text)
		}
		if h.HasMore != (h.ResponseMetaData.NextCursor != "") {
			t.Error("has_more and the cursor disagree")
		}
		return texts, h.ResponseMetaData.NextCursor
	}
	for _, tc := range []struct {
		name string
		p    slack.GetConversationHistoryParameters
		want []string
	}{
		{"all", slack.GetConversationHistoryParameters{}, []string{"5", "4", "3", "2", "1"}},
		{"window", slack.GetConversationHistoryParameters{Oldest: ts[1], Latest: ts[3]}, []string{"3"}},
		{"inclusive", slack.GetConversationHistoryParameters{Oldest: ts[1], Latest: ts[3], Inclusive: true}, []string{"4", "3", "2"}},
	} {
		if got, _ := read(tc.p); !cmp.Equal(tc.want, got) {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
	first, cursor := read(slack.GetConversationHistoryParameters{Limit: 3})
	second, end := read(slack.GetConversationHistoryParameters{Limit: 3, Cursor: cursor})
	if !cmp.Equal([]string{"5", "4", "3", "2", "1"}, append(first, second...)) || end != "" {
		t.Errorf("%v then %v", first, second)
	}
	for _, tc := range []struct {
		code string
		p    slack.GetConversationHistoryParameters
	}{
		{"invalid_ts_oldest", slack.GetConversationHistoryParameters{ChannelID: releases, Oldest: "yesterday"}},
		{"invalid_ts_latest", slack.GetConversationHistoryParameters{ChannelID: releases, Latest: "now"}},
		{"invalid_limit", slack.GetConversationHistoryParameters{ChannelID: releases, Limit: 1000}},
		{"not_in_channel", slack.GetConversationHistoryParameters{ChannelID: random}},
		{"channel_not_found", slack.GetConversationHistoryParameters{ChannelID: "C0NOWHERE"}},
	} {
		_, err := w.api.GetConversationHistory(&tc.p)
		wantCode(t, err, tc.code)
	}
}

func TestPrivateChannels(t *testing.T) {
	w := start(t, func(o *sandbox.Options) {
		ws := sandbox.DefaultWorkspace()
		ws.Channels = append(ws.Channels,
			sandbox.Channel{ID: "G0IN", Name: "in", IsPrivate: true, Members: []string{alice, "U0STUCKBOT"}},
			sandbox.Channel{ID: "G0OUT", Name: "out", IsPrivate: true, Members: []string{alice}})
		o.Workspace = ws
		o.Scopes = []string{"channels:read", "groups:read", "channels:history", "chat:write", "channels:join"}
	})
	channels, _, err := w.api.GetConversations(&slack.GetConversationsParameters{Types: []string{"private_channel"}})
	if err != nil || len(channels) != 1 || channels[0].ID != "G0IN" {
		t.Errorf("%+v, %v", channels, err)
	}
	_, _, err = w.api.GetConversations(&slack.GetConversationsParameters{Types: []string{"secret"}})
	wantCode(t, err, "invalid_types")
	_, _, err = w.api.PostMessage("G0OUT", text("hi"))
	wantCode(t, err, "channel_not_found")
	_, err = w.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: "G0IN"})
	if e := wantCode(t, err, "missing_scope"); e.Needed != "groups:history" {
		t.Errorf("%+v", e)
	}
	_, _, _, err = w.api.JoinConversation("G0IN")
	wantCode(t, err, "method_not_supported_for_channel_type")
	if _, err := w.As(bob).Say("G0IN", "", "hi"); !errors.Is(err, &sandbox.Error{Code: "channel_not_found"}) {
		t.Errorf("bob does not see it: %v", err)
	}
}

func TestConversationInfoJoinAndMembers(t *testing.T) {
	w := start(t, nil)
	info := must(w.api.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: "C0PARTNERS", IncludeNumMembers: true}))(t)
	if !info.IsExtShared || info.NumMembers != 6 || info.Topic.Value == "" {
		t.Errorf("%+v", info)
	}
	if _, _, _, err := w.api.JoinConversation(random); err != nil {
		t.Fatal(err)
	}
	if m := w.last(random); m.Subtype != "channel_join" {
		t.Errorf("%+v", m)
	}
	_, warning, _, err := w.api.JoinConversation(random)
	if err != nil || warning == "" {
		t.Errorf("%q, %v", warning, err)
	}
	_, _, _, err = w.api.JoinConversation(old)
	wantCode(t, err, "is_archived")
	members, _, err := w.api.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: random})
	if err != nil || len(members) != 5 {
		t.Errorf("%v, %v", members, err)
	}
	if bot := must(w.api.GetBotInfo(slack.GetBotInfoParameters{Bot: "B0STUCKBOT"}))(t); bot.UserID != "U0STUCKBOT" {
		t.Errorf("%+v", bot)
	}
	_, err = w.api.GetBotInfo(slack.GetBotInfoParameters{Bot: "B0OTHER"})
	wantCode(t, err, "bot_not_found")
}

func TestWhatPeopleMayNot(t *testing.T) {
	w := start(t, nil)
	said := must(w.As(alice).Say(releases, "", "hi"))(t)
	for _, tc := range []struct {
		name, code string
		err        error
	}{
		{"the deactivated", "account_inactive", w.As(eve).Slash(releases, "/stuck")},
		{"nobody", "user_not_found", w.As("U0NOBODY").Slash(releases, "/stuck")},
		{"a bot", "not_allowed_token_type", w.As("U0STUCKBOT").Slash(releases, "/stuck")},
		{"a guest elsewhere", "channel_not_found", w.As(mallory).Join(random)},
		{"a stranger elsewhere", "channel_not_found", w.As(trent).Join(random)},
		{"an archived channel", "is_archived", w.As(alice).Join(old)},
		{"a click on nothing", "message_not_found", w.As(alice).Click(releases, "1.000000", "", "x")},
		{"a click on no button", "action_not_found", w.As(alice).Click(releases, said.TS, "", "x")},
		{"a reaction to nothing", "message_not_found", w.As(alice).React(releases, "1.000000", "eyes")},
	} {
		if !errors.Is(tc.err, &sandbox.Error{Code: tc.code}) {
			t.Errorf("%s: %v, want %s", tc.name, tc.err, tc.code)
		}
	}
	if err := w.Leave(releases, alice); err != nil {
		t.Fatal(err)
	}
	if _, err := w.As(alice).Say(releases, "", "hi"); !errors.Is(err, &sandbox.Error{Code: "not_in_channel"}) {
		t.Error(err)
	}
	if err := w.As(alice).Join(releases); err != nil {
		t.Fatal(err)
	}
	for code, call := range map[string]func() error{
		"no_text":          func() error { _, err := w.As(alice).Say(releases, "", "  "); return err },
		"thread_not_found": func() error { _, err := w.As(alice).Say(releases, "1.000000", "hi"); return err },
	} {
		if err := call(); !errors.Is(err, &sandbox.Error{Code: code}) {
			t.Errorf("%v, want %s", err, code)
		}
	}
}

func TestDeactivatingSomeone(t *testing.T) {
	w := start(t, nil)
	if err := w.ChangeUser(bob, func(u *sandbox.User) { u.Deleted = true }); err != nil {
		t.Fatal(err)
	}
	if u := must(w.api.GetUserInfo(bob))(t); !u.Deleted {
		t.Errorf("%+v", u)
	}
	if err := w.ChangeUser("U0NOBODY", func(*sandbox.User) {}); err == nil {
		t.Error("nobody was changed")
	}
}

func TestMentionsAsTyped(t *testing.T) {
	w := start(t, nil)
	for typed, want := range map[string]string{
		"@alice, look":             "<@U0ALICE>, look",
		"(@sre)":                   "(<!subteam^S0SRE|@sre>)",
		"@here see #releases.":     "<!here> see <#C0RELEASES|releases>.",
		"mail bob@example.com":     "mail bob@example.com",
		"@nobody and <@U0BOB>":     "@nobody and &lt;@U0BOB&gt;",
		"a & b <!channel> @alice.": "a &amp; b &lt;!channel&gt; <@U0ALICE>.",
	} {
		if got := must(w.As(alice).Say(releases, "", typed))(t).Text; got != want {
			t.Errorf("%q gives %q, want %q", typed, got, want)
		}
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for name, change := range map[string]func(*sandbox.Options){
		"unknown event": func(o *sandbox.Options) { o.Events = []string{"tea_time"} },
		"no slash":      func(o *sandbox.Options) { o.Commands = []sandbox.Command{{Command: "stuck"}} },
		"same tokens":   func(o *sandbox.Options) { o.AppToken, o.BotToken = "x", "x" },
		"double user": func(o *sandbox.Options) {
			o.Workspace = &sandbox.Workspace{Team: sandbox.Team{ID: "T1"}, Users: []sandbox.User{{ID: "U1"}, {ID: "U1"}}}
		},
		"channel as user": func(o *sandbox.Options) {
			o.Workspace = &sandbox.Workspace{Team: sandbox.Team{ID: "T1"}, Channels: []sandbox.Channel{{ID: "U1"}}}
		},
		"no people":     func(o *sandbox.Options) { o.Workspace = &sandbox.Workspace{Team: sandbox.Team{ID: "T1"}} },
		"unknown fault": func(o *sandbox.Options) { o.Faults = []sandbox.Fault{{Kind: "gremlin"}} },
	} {
		var o sandbox.Options
		change(&o)
		if s, err := sandbox.New(o); err == nil {
			s.Close()
			t.Errorf("%s is taken", name)
		}
	}
}

func TestAwaitEndsWithTheSandbox(t *testing.T) {
	w := start(t, nil)
	done := make(chan error)
	go func() { done <- w.Await(t.Context(), func() bool { return false }) }()
	w.Close()
	select {
	case err := <-done:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits on")
	}
}
