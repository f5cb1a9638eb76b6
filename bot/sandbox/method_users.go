package sandbox

import (
	"slices"
	"strings"
)

// usersInfo is users.info, for one user or, as Slack also takes it, a list in "users".
func usersInfo(s *Sandbox, c *call) (reply, error) {
	locale := c.flag("include_locale")
	if ids := c.text("users"); ids != "" {
		var found []User
		for _, id := range strings.Split(ids, ",") {
			u, ok := s.user(id)
			if !ok {
				return nil, refuse("user_not_found")
			}
			found = append(found, u.shownTo(c.scopes, locale))
		}
		return reply{"users": found}, nil
	}
	id := c.text("user")
	if id == "" {
		return nil, missingArgument("user")
	}
	u, ok := s.user(id)
	if !ok {
		return nil, refuse("user_not_found")
	}
	return reply{"user": u.shownTo(c.scopes, locale)}, nil
}

// usersList is users.list, the deactivated included.
func usersList(s *Sandbox, c *call) (reply, error) {
	users, next, err := pageOf(c, s.users, func(u User) string { return u.ID }, 1000)
	if err != nil {
		return nil, err
	}
	shown := make([]User, 0, len(users))
	for _, u := range users {
		shown = append(shown, u.shownTo(c.scopes, c.flag("include_locale")))
	}
	return reply{"members": shown, "cache_ts": s.opt.Now().Unix(), nextCursor: next}, nil
}

// usersLookupByEmail is users.lookupByEmail. It does not find the deactivated.
func usersLookupByEmail(s *Sandbox, c *call) (reply, error) {
	email := c.text("email")
	if email == "" {
		return nil, missingArgument("email")
	}
	u, ok := s.userByEmail(email)
	if !ok {
		return nil, refuse("users_not_found")
	}
	return reply{"user": u.shownTo(c.scopes, false)}, nil
}

// usergroupsList is usergroups.list.
func usergroupsList(s *Sandbox, c *call) (reply, error) {
	groups := make([]map[string]any, 0, len(s.groups))
	for _, g := range s.groups {
		m := map[string]any{
			"id": g.ID, "team_id": s.team.ID, "is_usergroup": true, "is_subteam": true, "name": g.Name, "handle": g.Handle,
			"description": "", "is_external": false, "date_create": s.started.Unix(), "date_update": s.started.Unix(),
			"date_delete": 0, "auto_type": nil, "created_by": "", "updated_by": "", "deleted_by": nil,
			"prefs": map[string]any{"channels": []string{}, "groups": []string{}},
		}
		if c.flag("include_users") {
			m["users"] = s.activeOf(g)
		}
		if c.flag("include_count") {
			m["user_count"] = len(s.activeOf(g))
		}
		groups = append(groups, m)
	}
	return reply{"usergroups": groups}, nil
}

// usergroupsUsersList is usergroups.users.list.
func usergroupsUsersList(s *Sandbox, c *call) (reply, error) {
	id := c.text("usergroup")
	if id == "" {
		return nil, missingArgument("usergroup")
	}
	i := slices.IndexFunc(s.groups, func(g Group) bool { return g.ID == id })
	if i < 0 {
		return nil, refuse("no_such_subteam")
	}
	return reply{"users": s.activeOf(s.groups[i])}, nil
}

// activeOf returns the members of a group that are not deactivated: Slack takes those out of their groups.
func (s *Sandbox) activeOf(g Group) []string {
	out := []string{}
	for _, id := range g.Users {
		if u, ok := s.user(id); ok && !u.Deleted {
			out = append(out, id)
		}
	}
	return out
}
