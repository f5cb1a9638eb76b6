package main

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"stuckbot/cmd/stuckbot/internal/strict"
)

// chatConfig says where the bot talks.
type chatConfig struct {
	Slack *slackConfig `yaml:"slack"`
	// Channels: the first is the default.
	Channels []channelConfig `yaml:"channels"`
}

type slackConfig struct {
	AppToken Secret `yaml:"appToken"`
	BotToken Secret `yaml:"botToken"`
	APIURL   string `yaml:"apiURL"`
}

type channelConfig struct {
	ID string `yaml:"id"`
}

var (
	slackChannel = regexp.MustCompile(`^[CGD][A-Z0-9]+$`)
	slackUser    = regexp.MustCompile(`^[UW][A-Z0-9]+$`)
	slackGroup   = regexp.MustCompile(`^S[A-Z0-9]+$`)
)

// Validate reports every mistake.
func (c *chatConfig) Validate() error {
	var errs []error
	if c.Slack == nil {
		errs = append(errs, strict.Wrong("slack", "it is missing: give appToken and botToken, or leave chat out"))
	}
	if len(c.Channels) == 0 {
		errs = append(errs, strict.Wrong("channels", "there are none: give at least one, for example [{id: C0123456789}]"))
	}
	for i, channel := range c.Channels {
		if !slackChannel.MatchString(channel.ID) {
			errs = append(errs, strict.Wrong(fmt.Sprintf("channels[%d].id", i),
				"%q is no channel's id: it begins with C (in Slack: the channel's details, at the bottom)", channel.ID))
		}
	}
	return errors.Join(errs...)
}

// SetDefaults sets what a file need not say.
func (c *slackConfig) SetDefaults() { c.APIURL = "https://slack.com/api/" }

// Validate reports every mistake. Tokens are not repeated.
func (c *slackConfig) Validate() error {
	var errs []error
	switch token := c.AppToken.Reveal(); {
	case token == "":
		errs = append(errs, strict.Wrong("appToken", "it is empty: give the app-level token (xapp-…) as \"${SLACK_APP_TOKEN}\""))
	case strings.HasPrefix(token, "xox"):
		errs = append(errs, strict.Wrong("appToken", "this is a bot or user token: give the app-level token, which begins with xapp-"))
	}
	switch token := c.BotToken.Reveal(); {
	case token == "":
		errs = append(errs, strict.Wrong("botToken", "it is empty: give the bot token (xoxb-…) as \"${SLACK_BOT_TOKEN}\""))
	case strings.HasPrefix(token, "xapp-"), strings.HasPrefix(token, "xoxp-"):
		errs = append(errs, strict.Wrong("botToken", "this is an app-level or user token: give the bot token, which begins with xoxb-"))
	}
	u, err := url.Parse(c.APIURL)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || !strings.HasSuffix(u.Path, "/") {
		errs = append(errs, strict.Wrong("apiURL", "%q is no API's address: give a URL that ends with a slash, for example https://slack.com/api/", c.APIURL))
	}
	return errors.Join(errs...)
}
