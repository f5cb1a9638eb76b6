package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Slash types a slash command with its arguments, for example "/stuck sweep". The app's answer, or Slack's complaint
// that there was none, appears in the channel. Errors are those of Say. The text after the command reaches the app as it
// was typed.
func (p *Person) Slash(channel, typed string) error {
	s := p.sandbox
	s.mu.Lock()
	defer s.mu.Unlock()
	u, r, err := p.in(channel)
	if err != nil {
		return err
	}
	name, text, _ := strings.Cut(strings.TrimSpace(typed), " ")
	if !slices.ContainsFunc(s.opt.Commands, func(c Command) bool { return c.Command == name }) {
		s.tell(r, u.ID, fmt.Sprintf("`%s` is not a valid command.", escape(name)), "")
		return nil
	}
	o := origin{channel: r.ID, user: u.ID}
	payload := map[string]any{
		"token": "sandbox", "team_id": s.team.ID, "team_domain": s.team.Domain, "channel_id": r.ID, "channel_name": r.Name,
		"user_id": u.ID, "user_name": u.Name, "command": name, "text": strings.TrimSpace(text), "api_app_id": s.opt.App.ID,
		"is_enterprise_install": "false", "response_url": s.responseURL("commands", o),
		"trigger_id": s.triggers.issue(s.opt.Now().Add(s.opt.Timing.Trigger)),
	}
	e := envelope{Type: envelopeSlash, Payload: payload, AcceptsResponsePayload: true}
	delivered := s.deliver(e, func(payload json.RawMessage, err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.slashDone(r, o, name, payload, err)
	})
	if !delivered {
		s.slashFailed(r, u.ID, name, "dispatch_failed")
	}
	return nil
}

// slashDone shows what came with the acknowledgement, or that there was none.
func (s *Sandbox) slashDone(r *room, o origin, command string, payload json.RawMessage, err error) {
	if err != nil {
		s.slashFailed(r, o.user, command, "operation_timeout")
		return
	}
	var a args
	if a.addJSON(payload) != nil || len(a.json) == 0 {
		return
	}
	if err := s.respond(o, a); err != nil {
		s.slashFailed(r, o.user, command, "invalid_command_response")
	}
}

func (s *Sandbox) slashFailed(r *room, user, command, code string) {
	s.tell(r, user, fmt.Sprintf("%s failed with the error %q", command, code), "")
}

func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
