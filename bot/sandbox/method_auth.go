package sandbox

// apiTest is api.test: it answers without looking.
func apiTest(_ *Sandbox, c *call) (reply, error) {
	if code := c.text("error"); code != "" {
		return nil, refuse(code)
	}
	return reply{}, nil
}

// authTest is auth.test: who the token belongs to.
func authTest(s *Sandbox, _ *call) (reply, error) {
	return reply{
		"url": s.baseURL + "/", "team": s.team.Name, "team_id": s.team.ID,
		"user": s.opt.App.Name, "user_id": s.opt.App.BotUserID, "bot_id": s.opt.App.BotID, "is_enterprise_install": false,
	}, nil
}

// botsInfo is bots.info. Without an argument it describes the caller.
func botsInfo(s *Sandbox, c *call) (reply, error) {
	app := s.opt.App
	if bot := c.text("bot"); bot != "" && bot != app.BotID {
		return nil, refuse("bot_not_found")
	}
	return reply{"bot": map[string]any{
		"id": app.BotID, "deleted": false, "name": app.Name, "updated": s.started.Unix(), "app_id": app.ID,
		"user_id": app.BotUserID, "icons": map[string]any{},
	}}, nil
}
