package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/slack-go/slack"

	"stuckbot/bot"
	"stuckbot/bot/sandbox"
)

func TestUser(t *testing.T) {
	w := start(t, nil)
	tr := w.transport(nil)
	for id, want := range map[string]Person{
		alice:        {ID: alice, Team: "T0SANDBOX", Name: "alice", TZ: "Europe/Amsterdam", Locale: "en-GB"},
		"U0MALLORY":  {ID: "U0MALLORY", Team: "T0SANDBOX", Name: "mallory", TZ: "Europe/London", Locale: "en-GB", Restricted: true},
		"U0EVE":      {ID: "U0EVE", Team: "T0SANDBOX", Name: "eve", TZ: "Europe/Oslo", Locale: "en-GB", Deleted: true},
		"U0TRENT":    {ID: "U0TRENT", Team: "T0PARTNER", Name: "trent", TZ: "Asia/Tokyo", Locale: "en-GB", Stranger: true},
		"U0STUCKBOT": {ID: "U0STUCKBOT", Team: "T0SANDBOX", Name: "stuckbot", TZ: "Etc/UTC", Bot: true},
	} {
		got, err := tr.User(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := tr.User(t.Context(), "U0NOBODY"); err == nil || !strings.Contains(err.Error(), "user_not_found") {
		t.Errorf("%v", err)
	}
	members, err := tr.Members(t.Context(), "S0SRE")
	if err != nil || !cmp.Equal(members, []string{alice, "U0BOB"}) {
		t.Errorf("%v, %v", members, err)
	}
	w.inject(sandbox.Fault{Kind: sandbox.FaultRateLimited, Method: "usergroups.users.list", Times: 1})
	var limited *bot.RetryAfter
	if _, err := tr.Members(t.Context(), "S0ONCALL"); !errors.As(err, &limited) {
		t.Errorf("%v", err)
	}
}

// Of people in a shared channel Slack says that they are no strangers; their team says that they are.
func TestStrangers(t *testing.T) {
	own, grid := self{team: "T1"}, self{team: "T1", enterprise: "E1"}
	for _, tc := range []struct {
		name string
		u    sdk.User
		self self
		want bool
	}{
		{"own", sdk.User{TeamID: "T1"}, own, false},
		{"shared channel", sdk.User{TeamID: "T2"}, own, true},
		{"said to be one", sdk.User{TeamID: "T1", IsStranger: true}, own, true},
		{"another workspace of the organisation", sdk.User{TeamID: "T2", Enterprise: sdk.EnterpriseUser{EnterpriseID: "E1"}}, grid, false},
		{"the organisation itself", sdk.User{TeamID: "E1"}, grid, false},
		{"another organisation", sdk.User{TeamID: "T3", Enterprise: sdk.EnterpriseUser{EnterpriseID: "E2"}}, grid, true},
		{"an organisation, and we have none", sdk.User{TeamID: "T3", Enterprise: sdk.EnterpriseUser{EnterpriseID: "E2"}}, own, true},
		{"no team", sdk.User{}, own, true},
		{"before we know our own", sdk.User{}, self{}, true},
	} {
		if got := person(&tc.u, tc.self).Stranger; got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
	if !person(&sdk.User{ID: "USLACKBOT"}, own).Bot || !person(&sdk.User{IsWorkflowBot: true}, own).Bot {
		t.Error("Slackbot and workflows are bots")
	}
}

func TestCacheSharesAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache[string](time.Now)
		var looked atomic.Int32
		look := func(context.Context) (string, error) {
			time.Sleep(time.Second)
			return fmt.Sprint(looked.Add(1)), nil
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if got, err := c.get(t.Context(), "k", look); got != "1" || err != nil {
					t.Errorf("%q, %v", got, err)
				}
			})
		}
		all.Wait()
		time.Sleep(8 * time.Second)
		if got, _ := c.get(t.Context(), "k", look); got != "1" {
			t.Errorf("%q after 9 s", got)
		}
		time.Sleep(2 * time.Second)
		if got, _ := c.get(t.Context(), "k", look); got != "2" {
			t.Errorf("%q after 11 s", got)
		}
	})
}

func TestCacheKeepsNoErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache[int](time.Now)
		fails := errors.New("down")
		if _, err := c.get(t.Context(), "k", func(context.Context) (int, error) { return 0, fails }); !errors.Is(err, fails) {
			t.Errorf("%v", err)
		}
		if v, err := c.get(t.Context(), "k", func(context.Context) (int, error) { return 7, nil }); v != 7 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
		// Who gives up does not take the answer from others.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		slow := func(ctx context.Context) (int, error) {
			time.Sleep(3 * time.Second)
			return 9, ctx.Err()
		}
		if _, err := c.get(ctx, "slow", slow); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if v, err := c.get(t.Context(), "slow", slow); v != 9 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
		for i := range 2 * cacheSize {
			c.get(t.Context(), fmt.Sprint(i), func(context.Context) (int, error) { return i, nil })
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(c.answers); n > cacheSize+1 {
			t.Errorf("%d answers are kept", n)
		}
	})
}
