package sandbox_test

import (
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"stuckbot/bot/sandbox"
)

// call posts JSON with the bot token and returns the answer.
func (w *workspace) call(method, body string) map[string]any {
	w.t.Helper()
	return w.request(method, "application/json; charset=utf-8", body, w.BotToken())
}

func (w *workspace) request(method, contentType, body, token string) map[string]any {
	w.t.Helper()
	req, err := http.NewRequest(http.MethodPost, w.url+"/api/"+method, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return w.do(req)
}

func (w *workspace) do(req *http.Request) map[string]any {
	w.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		w.t.Fatalf("%s: %v", raw, err)
	}
	return out
}

func TestAuthentication(t *testing.T) {
	w := start(t, nil)
	for _, tc := range []struct{ name, method, token, code string }{
		{"no token", "auth.test", "", "not_authed"},
		{"wrong token", "auth.test", "xoxb-wrong", "invalid_auth"},
		{"app token for the Web API", "auth.test", w.AppToken(), "not_allowed_token_type"},
		{"bot token for Socket Mode", "apps.connections.open", w.BotToken(), "not_allowed_token_type"},
		{"views come later", "views.open", w.BotToken(), "unknown_method"},
		{"unknown", "rooms.paint", w.BotToken(), "unknown_method"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := w.request(tc.method, "application/x-www-form-urlencoded", "", tc.token)
			if body["ok"] != false || body["error"] != tc.code {
				t.Errorf("%v, want %s", body, tc.code)
			}
		})
	}
}

func TestAuthTestSaysWhoAndWithWhichScopes(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Scopes = []string{"chat:write", "users:read"} })
	who := must(w.api.AuthTest())(t)
	if who.UserID != "U0STUCKBOT" || who.BotID != "B0STUCKBOT" || who.TeamID != "T0SANDBOX" || who.Team != "Sandbox" {
		t.Errorf("%+v", who)
	}
	if got := who.Header.Get("X-OAuth-Scopes"); got != "chat:write,users:read" {
		t.Errorf("X-OAuth-Scopes %q", got)
	}
}

func TestBodies(t *testing.T) {
	w := start(t, nil)
	form := "channel=C0RELEASES&text=hi&token=" + w.BotToken()
	var multi strings.Builder
	mw := multipart.NewWriter(&multi)
	for k, v := range map[string]string{"channel": releases, "text": "hi", "token": w.BotToken()} {
		mw.WriteField(k, v)
	}
	mw.Close()
	for _, tc := range []struct{ name, kind, body, token, code, warning string }{
		{"form", "application/x-www-form-urlencoded", form, "", "", ""},
		{"form with charset", "application/x-www-form-urlencoded; charset=utf-8", form, "", "", "superfluous_charset"},
		{"multipart", mw.FormDataContentType(), multi.String(), "", "", ""},
		{"JSON", "application/json; charset=utf-8", `{"channel":"C0RELEASES","text":"hi"}`, w.BotToken(), "", ""},
		{"JSON without charset", "application/json", `{"channel":"C0RELEASES","text":"hi"}`, w.BotToken(), "", "missing_charset"},
		{"broken JSON", "application/json; charset=utf-8", `{"channel":`, w.BotToken(), "invalid_json", ""},
		{"JSON array", "application/json; charset=utf-8", `[]`, w.BotToken(), "json_not_object", ""},
		{"broken form", "application/x-www-form-urlencoded", "a=%zz", w.BotToken(), "invalid_form_data", ""},
		{"XML", "text/xml", "<a/>", w.BotToken(), "invalid_post_type", ""},
		{"huge", "application/x-www-form-urlencoded", "text=" + strings.Repeat("a", 2<<20), w.BotToken(), "request_too_large", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := w.request("chat.postMessage", tc.kind, tc.body, tc.token)
			if tc.code != "" && body["error"] != tc.code || tc.code == "" && body["ok"] != true {
				t.Errorf("%v, want error %q", body, tc.code)
			}
			if got, _ := body["warning"].(string); got != tc.warning {
				t.Errorf("warning %q, want %q", got, tc.warning)
			}
		})
	}
}

func TestInvalidArgumentsSayWhich(t *testing.T) {
	w := start(t, nil)
	for method, missing := range map[string]string{
		"users.info": "user", "users.lookupByEmail": "email", "usergroups.users.list": "usergroup",
		"conversations.info": "channel", "conversations.history": "channel",
	} {
		body := w.call(method, "{}")
		meta, _ := json.Marshal(body["response_metadata"])
		if body["error"] != "invalid_arguments" || !strings.Contains(string(meta), "[ERROR] missing required field: "+missing) {
			t.Errorf("%s: %v", method, body)
		}
	}
}
