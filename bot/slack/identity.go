package slack

import (
	"context"
	"fmt"

	sdk "github.com/slack-go/slack"
)

// Person is what Slack says of a user. Whether they count as a person is for others to decide.
type Person struct {
	ID   string
	Team string
	// Name is what people call them.
	Name string
	// TZ is an IANA time zone, Locale an IETF language tag; both may be empty.
	TZ, Locale string

	Deleted bool
	// Bot is an app, a workflow or Slackbot.
	Bot bool
	// Restricted is a guest.
	Restricted bool
	// Stranger belongs to another organisation.
	Stranger bool
}

// User looks a user up. Answers are up to ten seconds old.
func (t *Transport) User(ctx context.Context, id string) (Person, error) {
	return t.people.get(ctx, id, func(ctx context.Context) (Person, error) {
		who, err := t.whoami(ctx)
		if err != nil {
			return Person{}, err
		}
		u, err := t.api.GetUserInfoContext(ctx, id)
		if err != nil {
			return Person{}, fmt.Errorf("users.info: %w", withoutDoubt(t.outcome(err, true)))
		}
		return person(u, who), nil
	})
}

// Members returns the users of a user group. Answers are up to ten seconds old.
func (t *Transport) Members(ctx context.Context, group string) ([]string, error) {
	return t.groups.get(ctx, group, func(ctx context.Context) ([]string, error) {
		users, err := t.api.GetUserGroupMembersContext(ctx, group)
		if err != nil {
			return nil, fmt.Errorf("usergroups.users.list: %w", withoutDoubt(t.outcome(err, true)))
		}
		return users, nil
	})
}

func person(u *sdk.User, self self) Person {
	name := either(u.Profile.DisplayName, either(u.RealName, u.Name))
	return Person{
		ID: u.ID, Team: u.TeamID, Name: cleanLine(name), TZ: u.TZ, Locale: u.Locale,
		Deleted:    u.Deleted,
		Bot:        u.IsBot || u.IsWorkflowBot || u.IsConnectorBot || u.ID == "USLACKBOT",
		Restricted: u.IsRestricted || u.IsUltraRestricted,
		Stranger:   u.IsStranger || !sameOrganisation(u, self),
	}
}

// sameOrganisation does not rely on is_stranger alone: of people in a channel that is shared with their organisation, Slack
// says that they are no strangers. Workspaces of one Enterprise organisation share its id.
func sameOrganisation(u *sdk.User, self self) bool {
	if u.TeamID == self.team && self.team != "" {
		return true
	}
	return self.enterprise != "" && (u.Enterprise.EnterpriseID == self.enterprise || u.TeamID == self.enterprise)
}
