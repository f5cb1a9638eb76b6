package main

import (
	"context"
	"time"

	"stuckbot/bot"
	"stuckbot/bot/slack"
	"stuckbot/commands/present"
)

// chatCheckTime bounds what the chat may take to answer.
const chatCheckTime = 30 * time.Second

// checkChat asks Slack about the tokens, their scopes and the channels. Without a chat in the configuration there is nothing
// to ask.
func (p *program) checkChat(ctx context.Context, c *config) ([]present.ChatFinding, error) {
	if c.Chat == nil || c.Chat.Slack == nil {
		return nil, nil
	}
	transport, err := slack.New(slack.Options{
		AppToken: c.Chat.Slack.AppToken.Reveal(), BotToken: c.Chat.Slack.BotToken.Reveal(), APIURL: c.Chat.Slack.APIURL,
		Receive: func(bot.Event) error { return nil }, Log: p.log,
	})
	if err != nil {
		return nil, err
	}
	var channels []string
	for _, channel := range c.Chat.Channels {
		channels = append(channels, channel.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, chatCheckTime)
	defer cancel()
	var all []present.ChatFinding
	for _, f := range transport.Check(ctx, channels) {
		all = append(all, present.ChatFinding{What: f.What, Problem: f.Problem, Advice: f.Advice, Degraded: f.Degraded})
	}
	return all, nil
}
