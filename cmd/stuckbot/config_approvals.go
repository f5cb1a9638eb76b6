package main

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"stuckbot/cmd/stuckbot/internal/strict"
)

// mode says how far the bot may go.
type mode string

const (
	modeObserve mode = "observe"
	modePropose mode = "propose"
	modeAct     mode = "act"
)

func (m mode) check(key string) error {
	modes := []string{string(modeObserve), string(modePropose), string(modeAct)}
	switch m {
	case modeObserve, modePropose, modeAct:
		return nil
	}
	if near := strict.Nearest(string(m), modes); near != "" {
		return strict.Wrong(key, "%q is no mode: did you mean %s?", string(m), near)
	}
	return strict.Wrong(key, "%q is no mode: give observe, propose or act", string(m))
}

// modeConfig is the mode of the clusters that have all of its labels.
type modeConfig struct {
	Labels map[string]string `yaml:"labels"`
	Mode   mode              `yaml:"mode"`
}

// Validate reports every mistake.
func (c *modeConfig) Validate() error {
	var errs []error
	if len(c.Labels) == 0 {
		errs = append(errs, strict.Wrong("labels", "there are none: say which clusters are meant, for example {env: prod}; for all of them set mode itself"))
	}
	return errors.Join(append(errs, c.Mode.check("mode"))...)
}

// approvalsConfig says who may propose and approve, and how many people it takes.
type approvalsConfig struct {
	// Proposers and Approvers: empty means everyone who counts as a person.
	Proposers   people        `yaml:"proposers"`
	Approvers   people        `yaml:"approvers"`
	Policy      policyConfig  `yaml:"policy"`
	ExpireAfter time.Duration `yaml:"expireAfter"`
}

type people struct {
	Users  []string `yaml:"users"`
	Groups []string `yaml:"groups"`
}

// SetDefaults sets what a file need not say.
func (c *approvalsConfig) SetDefaults() {
	c.Policy.SetDefaults()
	c.ExpireAfter = time.Hour
}

// Validate reports every mistake.
func (c *approvalsConfig) Validate() error { return positive("expireAfter", c.ExpireAfter) }

// checkSlack reports ids that are none of Slack's: a name in their place would never match anyone.
func (c *approvalsConfig) checkSlack() error {
	var errs []error
	check := func(key string, ids []string, form *regexp.Regexp, what string) {
		for i, id := range ids {
			if !form.MatchString(id) {
				errs = append(errs, strict.Wrong(fmt.Sprintf("approvals.%s[%d]", key, i), "%q is no %s", id, what))
			}
		}
	}
	const user = "user's id: it begins with U or W (in Slack: the profile, Copy member ID)"
	const group = "user group's id: it begins with S (in Slack: the address of the group's page)"
	check("proposers.users", c.Proposers.Users, slackUser, user)
	check("proposers.groups", c.Proposers.Groups, slackGroup, group)
	check("approvers.users", c.Approvers.Users, slackUser, user)
	check("approvers.groups", c.Approvers.Groups, slackGroup, group)
	return errors.Join(errs...)
}

// policyConfig says what each risk takes.
type policyConfig struct {
	Low    votesConfig `yaml:"low"`
	Medium votesConfig `yaml:"medium"`
	High   votesConfig `yaml:"high"`
}

// SetDefaults sets two people for everything, and that the proposer's vote does not count where the risk is high.
func (c *policyConfig) SetDefaults() {
	c.Low, c.Medium, c.High = votesConfig{2, true}, votesConfig{2, true}, votesConfig{2, false}
}

type votesConfig struct {
	Votes          int  `yaml:"votes"`
	ProposerCounts bool `yaml:"proposerCounts"`
}

// minVotes is what the program promises: one person alone never repairs anything.
const minVotes = 2

// Validate reports every mistake.
func (c *votesConfig) Validate() error {
	if c.Votes < minVotes {
		return strict.Wrong("votes", "%d is too few: a remedy takes at least %d different people", c.Votes, minVotes)
	}
	return nil
}
