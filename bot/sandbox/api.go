package sandbox

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// reply is the body of an answer, without ok.
type reply map[string]any

// call is one Web API call that passed authentication.
type call struct {
	args
	ctx      context.Context
	scopes   []string // of the token
	warnings []string
}

// needs refuses the call unless the token has the scope.
func (c *call) needs(scope string) error {
	if slices.Contains(c.scopes, scope) {
		return nil
	}
	return &Error{Code: "missing_scope", Needed: scope, Provided: strings.Join(c.scopes, ",")}
}

// method is one Web API method.
type method struct {
	name     string
	tier     tier
	appToken bool   // takes the app-level token, and no other
	scope    string // needed for every call; the handler asks for what depends on the arguments
	handle   func(*Sandbox, *call) (reply, error)
}

// methods is the registry of the Web API. views.* and the rest of Slack's methods are absent and so unknown.
func methods() []method {
	return []method{
		{name: "api.test", tier: tier4, handle: apiTest},
		{name: "apps.connections.open", tier: tier1, appToken: true, scope: "connections:write", handle: appsConnectionsOpen},
		{name: "auth.test", tier: tierSpecial, handle: authTest},
		{name: "bots.info", tier: tier3, scope: "users:read", handle: botsInfo},
		{name: "chat.delete", tier: tier3, scope: "chat:write", handle: chatDelete},
		{name: "chat.getPermalink", tier: tierSpecial, handle: chatGetPermalink},
		{name: "chat.postEphemeral", tier: tier4, scope: "chat:write", handle: chatPostEphemeral},
		{name: "chat.postMessage", tier: tierPost, scope: "chat:write", handle: chatPostMessage},
		{name: "chat.update", tier: tier3, scope: "chat:write", handle: chatUpdate},
		{name: "conversations.history", tier: tier3, handle: conversationsHistory},
		{name: "conversations.info", tier: tier3, handle: conversationsInfo},
		{name: "conversations.join", tier: tier3, scope: "channels:join", handle: conversationsJoin},
		{name: "conversations.list", tier: tier2, handle: conversationsList},
		{name: "conversations.members", tier: tier4, handle: conversationsMembers},
		{name: "conversations.replies", tier: tier3, handle: conversationsReplies},
		{name: "reactions.add", tier: tier3, scope: "reactions:write", handle: reactionsAdd},
		{name: "usergroups.list", tier: tier2, scope: "usergroups:read", handle: usergroupsList},
		{name: "usergroups.users.list", tier: tier2, scope: "usergroups:read", handle: usergroupsUsersList},
		{name: "users.info", tier: tier4, scope: "users:read", handle: usersInfo},
		{name: "users.list", tier: tier2, scope: "users:read", handle: usersList},
		{name: "users.lookupByEmail", tier: tier3, scope: "users:read.email", handle: usersLookupByEmail},
	}
}

type webAPI struct {
	sandbox *Sandbox
	methods map[string]method
}

func (s *Sandbox) newWebAPI() http.Handler {
	w := &webAPI{sandbox: s, methods: map[string]method{}}
	for _, m := range methods() {
		w.methods[m.name] = m
	}
	return w
}

// ServeHTTP answers one call.
func (w *webAPI) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/api/")
	if w.sandbox.faults.before(rw, r, name) {
		return
	}
	ans := w.call(r, name)
	w.sandbox.faults.after(r, name)
	ans.write(rw)
}

// call does what the request asks for and says how to answer it.
func (w *webAPI) call(r *http.Request, name string) answer {
	s := w.sandbox
	m, known := w.methods[name]
	ans := answer{method: m}
	if !known {
		ans.body = reply{"req_method": name}
		return ans.refuse(refuse("unknown_method"))
	}
	a, err := parseArgs(r, s.opt.Limits.Body)
	if err != nil {
		return ans.refuse(err)
	}
	c := &call{args: a, ctx: r.Context()}
	if a.charset != "" {
		c.warnings = append(c.warnings, a.charset)
	}
	if c.scopes, err = s.authenticate(r, a, m); err != nil {
		return ans.refuse(err)
	}
	ans.scopes = c.scopes
	s.learnBase(r)
	if m.scope != "" {
		if err := c.needs(m.scope); err != nil {
			return ans.refuse(err)
		}
	}
	if err := s.limiter.take(m, a.text("channel")); err != nil {
		return ans.refuse(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ans.body, err = m.handle(s, c)
	ans.warnings = c.warnings
	if err != nil {
		return ans.refuse(err)
	}
	return ans
}

// authenticate returns the scopes of the request's token.
func (s *Sandbox) authenticate(r *http.Request, a args, m method) ([]string, error) {
	token := a.text("token")
	if h, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		token = strings.TrimSpace(h)
	}
	switch {
	case token == "":
		return nil, refuse("not_authed")
	case s.faults.invalidAuth(m.name):
		return nil, refuse("invalid_auth")
	case token != s.opt.AppToken && token != s.opt.BotToken:
		return nil, refuse("invalid_auth")
	case m.appToken != (token == s.opt.AppToken) && m.name != "api.test":
		return nil, refuse("not_allowed_token_type")
	case m.appToken:
		return s.opt.AppScopes, nil
	}
	return s.opt.Scopes, nil
}

// answer is an HTTP answer in the making.
type answer struct {
	method   method
	scopes   []string
	body     reply
	warnings []string
	err      *Error
}

func (a answer) refuse(err error) answer {
	if !errors.As(err, &a.err) {
		a.err = refuse("internal_error", err.Error())
	}
	return a
}

func (a answer) write(rw http.ResponseWriter) {
	status := http.StatusOK
	if a.err != nil && a.err.RetryAfter > 0 {
		status = http.StatusTooManyRequests
		rw.Header().Set("Retry-After", seconds(a.err.RetryAfter))
	}
	a.writeWith(rw, status)
}

func (a answer) writeWith(rw http.ResponseWriter, status int) {
	h := rw.Header()
	h.Set("X-Slack-Req-Id", randomText(32))
	if a.scopes != nil {
		h.Set("X-OAuth-Scopes", strings.Join(a.scopes, ","))
	}
	if a.method.scope != "" {
		h.Set("X-Accepted-OAuth-Scopes", a.method.scope)
	}
	writeJSON(rw, status, a.render())
}

func (a answer) render() reply {
	out := reply{}
	for k, v := range a.body {
		out[k] = v
	}
	meta := map[string]any{}
	if next, ok := out[nextCursor]; ok {
		delete(out, nextCursor)
		meta["next_cursor"] = next
	}
	out["ok"] = a.err == nil
	if a.err != nil {
		out["error"] = a.err.Code
		if a.err.Needed != "" {
			out["needed"], out["provided"] = a.err.Needed, a.err.Provided
		}
		if len(a.err.Problems) > 0 {
			out["errors"] = a.err.Problems
			meta["messages"] = marked("[ERROR] ", a.err.Problems)
		}
	}
	if len(a.warnings) > 0 {
		out["warning"] = strings.Join(a.warnings, ",")
		meta["warnings"] = a.warnings
	}
	if len(meta) > 0 {
		out["response_metadata"] = meta
	}
	return out
}

// seconds rounds a wait up to whole seconds, as Retry-After has them.
func seconds(d time.Duration) string {
	return itoa(int((d + time.Second - 1) / time.Second))
}
