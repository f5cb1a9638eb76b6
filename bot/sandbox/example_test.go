package sandbox_test

import (
	"fmt"
	"net/http/httptest"

	"github.com/slack-go/slack"

	"stuckbot/bot/sandbox"
)

// A bot's test runs the sandbox, gives the bot its address and tokens, and acts as people.
func Example() {
	s, err := sandbox.New(sandbox.Options{Commands: []sandbox.Command{{Command: "/stuck"}}})
	if err != nil {
		panic(err)
	}
	srv := httptest.NewServer(s.Handler())
	defer srv.Close()
	defer s.Close()

	bot := slack.New(s.BotToken(), slack.OptionAPIURL(srv.URL+"/api/"), slack.OptionAppLevelToken(s.AppToken()))
	if _, _, err := bot.PostMessage("C0RELEASES", slack.MsgOptionText("prod-eu is stuck", false)); err != nil {
		panic(err)
	}
	if err := s.As("U0ALICE").Slash("C0RELEASES", "/stuck diagnose prod-eu"); err != nil {
		panic(err)
	}
	fmt.Println(s.Messages("C0RELEASES")[0].Text)
	fmt.Println(s.Ephemerals("C0RELEASES", "U0ALICE")[0].Text) // nobody has connected to take the command
	// Output:
	// prod-eu is stuck
	// /stuck failed with the error "dispatch_failed"
}
