package sandbox

import (
	"fmt"
	"slices"
)

// Workspace is what a sandbox starts with.
type Workspace struct {
	Team     Team
	Users    []User // the app's bot user is added
	Groups   []Group
	Channels []Channel
}

// Team is the organisation the workspace belongs to.
type Team struct {
	ID     string `json:"id"` // T…
	Name   string `json:"name"`
	Domain string `json:"domain"`
}

// DefaultWorkspace returns a small company: four full members, two groups, a guest of one channel, someone who has left,
// and a partner of another organisation in a shared channel. The bot is in every channel but #random.
func DefaultWorkspace() *Workspace {
	const team = "T0SANDBOX"
	full := func(id, name, real, tz string) User {
		return User{ID: id, TeamID: team, Name: name, RealName: real, Email: name + "@example.com", TZ: tz, Locale: "en-GB"}
	}
	alice := full("U0ALICE", "alice", "Alice Ames", "Europe/Amsterdam")
	bob := full("U0BOB", "bob", "Bob Brandt", "Europe/Berlin")
	carol := full("U0CAROL", "carol", "Carol Chen", "Asia/Shanghai")
	carol.Locale = "zh-CN"
	dave := full("U0DAVE", "dave", "Dave Duarte", "America/Sao_Paulo")
	mallory := full("U0MALLORY", "mallory", "Mallory Marsh", "Europe/London")
	mallory.IsRestricted, mallory.IsUltraRestricted = true, true
	eve := full("U0EVE", "eve", "Eve Eriksen", "Europe/Oslo")
	eve.Deleted = true
	trent := full("U0TRENT", "trent", "Trent Tanaka", "Asia/Tokyo")
	trent.TeamID, trent.IsStranger, trent.Email = "T0PARTNER", true, "trent@partner.example"

	staff := []string{alice.ID, bob.ID, carol.ID, dave.ID}
	with := func(more ...string) []string { return append(slices.Clone(staff), more...) }
	const bot = "U0STUCKBOT"
	return &Workspace{
		Team:  Team{ID: team, Name: "Sandbox", Domain: "sandbox"},
		Users: []User{alice, bob, carol, dave, mallory, eve, trent},
		Groups: []Group{
			{ID: "S0SRE", Handle: "sre", Name: "Site reliability", Users: []string{alice.ID, bob.ID}},
			{ID: "S0ONCALL", Handle: "oncall", Name: "On call", Users: []string{bob.ID, carol.ID}},
		},
		Channels: []Channel{
			{
				ID: "C0RELEASES", Name: "releases", Topic: "What is rolling out, and where it got stuck",
				Creator: alice.ID, Members: with(mallory.ID, bot),
			},
			{ID: "C0INCIDENTS", Name: "incidents", Topic: "Live incidents only", Creator: bob.ID, Members: with(bot)},
			{
				ID: "C0PARTNERS", Name: "partners", Topic: "Shared with Partner Inc.", IsExtShared: true,
				Creator: alice.ID, Members: with(trent.ID, bot),
			},
			{ID: "C0RANDOM", Name: "random", Topic: "Everything else", Creator: carol.ID, Members: with()},
			{ID: "C0OLD", Name: "old", Topic: "Closed last year", Creator: dave.ID, IsArchived: true, Members: with(bot)},
		},
	}
}

// validate wants at least one person, and ids that are Slack's kind and occur once.
func (w *Workspace) validate() error {
	if len(w.Users) == 0 {
		return fmt.Errorf("sandbox: a workspace needs people")
	}
	seen := map[string]bool{}
	unique := func(kind, id string, prefixes string) error {
		if id == "" || seen[id] || !slices.Contains([]byte(prefixes), id[0]) {
			return fmt.Errorf("sandbox: %s id %q is empty, double or of the wrong kind", kind, id)
		}
		seen[id] = true
		return nil
	}
	if err := unique("team", w.Team.ID, "TE"); err != nil {
		return err
	}
	for _, u := range w.Users {
		if err := unique("user", u.ID, "UW"); err != nil {
			return err
		}
	}
	for _, g := range w.Groups {
		if err := unique("group", g.ID, "S"); err != nil {
			return err
		}
	}
	for _, c := range w.Channels {
		if err := unique("channel", c.ID, "CG"); err != nil {
			return err
		}
	}
	return nil
}
