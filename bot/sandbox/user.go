package sandbox

import (
	"slices"
	"strings"
	"time"
)

// User is a person or a bot, with the fields of users.info.
type User struct {
	ID                string `json:"id"`
	TeamID            string `json:"team_id"`
	Name              string `json:"name"` // the handle
	RealName          string `json:"real_name"`
	Email             string `json:"-"` // in the profile, only with users:read.email
	TZ                string `json:"tz"`
	Locale            string `json:"locale,omitempty"`
	Deleted           bool   `json:"deleted"`
	IsBot             bool   `json:"is_bot"`
	IsAppUser         bool   `json:"is_app_user"`
	IsWorkflowBot     bool   `json:"is_workflow_bot"`
	IsRestricted      bool   `json:"is_restricted"`       // a guest
	IsUltraRestricted bool   `json:"is_ultra_restricted"` // a guest of a single channel
	IsStranger        bool   `json:"is_stranger"`         // of another organisation
	Updated           int64  `json:"updated"`

	Profile Profile `json:"profile"`
}

// Profile is the part of a user that Slack keeps under "profile".
type Profile struct {
	RealName    string `json:"real_name"`
	DisplayName string `json:"display_name"`
	Email       string `json:"email,omitempty"`
	Team        string `json:"team"`
	BotID       string `json:"bot_id,omitempty"`
	APIAppID    string `json:"api_app_id,omitempty"`
}

// Group is a user group.
type Group struct {
	ID     string   // S…
	Handle string   // without the @
	Name   string   // for people
	Users  []string // user ids
}

// guest reports whether the user sees only the channels they are a member of.
func (u User) guest() bool { return u.IsRestricted || u.IsUltraRestricted || u.IsStranger }

func (u User) withProfile() User {
	u.Profile.RealName, u.Profile.DisplayName = u.RealName, u.Name
	u.Profile.Email, u.Profile.Team = u.Email, u.TeamID
	return u
}

// shownTo drops what the scopes and the call do not entitle the caller to.
func (u User) shownTo(scopes []string, includeLocale bool) User {
	if !slices.Contains(scopes, "users:read.email") {
		u.Profile.Email = ""
	}
	if !includeLocale {
		u.Locale = ""
	}
	return u
}

// User returns a user by id.
func (s *Sandbox) User(id string) (User, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.user(id)
}

// ChangeUser changes a user: a test deactivates a voter with it. Ids cannot change.
func (s *Sandbox) ChangeUser(id string, change func(*User)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.users, func(u User) bool { return u.ID == id })
	if i < 0 {
		return refuse("user_not_found")
	}
	u := s.users[i]
	change(&u)
	u.ID, u.Updated = id, s.opt.Now().Unix()
	s.users[i] = u.withProfile()
	s.publish(Change{Type: ChangeUser, User: id})
	return nil
}

// SetGroup replaces the members of a user group.
func (s *Sandbox) SetGroup(id string, users ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.groups, func(g Group) bool { return g.ID == id })
	if i < 0 {
		return refuse("no_such_subteam")
	}
	s.groups[i].Users = slices.Clone(users)
	return nil
}

// user returns a user by id. The caller holds the lock.
func (s *Sandbox) user(id string) (User, bool) {
	for _, u := range s.users {
		if u.ID == id {
			return u, true
		}
	}
	return User{}, false
}

func (s *Sandbox) userByEmail(email string) (User, bool) {
	for _, u := range s.users {
		if u.Email != "" && strings.EqualFold(u.Email, email) && !u.Deleted {
			return u, true
		}
	}
	return User{}, false
}

func botUser(app App, team string, now time.Time) User {
	u := User{
		ID: app.BotUserID, TeamID: team, Name: strings.ToLower(app.Name), RealName: app.Name, TZ: "Etc/UTC",
		IsBot: true, IsAppUser: false, Updated: now.Unix(),
	}.withProfile()
	u.Profile.BotID, u.Profile.APIAppID = app.BotID, app.ID
	return u
}
