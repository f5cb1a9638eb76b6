package slack

import (
	"errors"
	"fmt"

	sdk "github.com/slack-go/slack"
)

// fatalAdvice says for each error that no waiting cures what to do.
func fatalAdvice() map[string]string {
	const (
		install  = "install the app again and set the new token"
		workedOn = "ask an administrator of the workspace"
	)
	return map[string]string{
		"invalid_auth":            "the token is wrong or belongs to another workspace: copy it again from the app's settings",
		"not_authed":              "no token was sent: set it in the configuration",
		"account_inactive":        "the app was uninstalled or its bot user deactivated: " + install,
		"token_revoked":           "the token was revoked: " + install,
		"token_expired":           "the token has expired: " + install,
		"not_allowed_token_type":  "this kind of token does not serve here: appToken begins with xapp-, botToken with xoxb-",
		"missing_scope":           "give the token the scope, and install the app again",
		"user_removed_from_team":  "the bot user was removed from the workspace: " + install,
		"team_disabled":           "the workspace is being migrated or was disabled: " + workedOn,
		"org_login_required":      "the workspace is being migrated to an organisation: " + workedOn,
		"team_access_not_granted": "the token was not granted access to this workspace: " + install,
		"ekm_access_denied":       "the administrators have suspended messages: " + workedOn,
		"access_denied":           "access is denied: " + workedOn,
		"no_permission":           "the token may not do this: " + install,
		disconnectLinkDisabled:    "Socket Mode was switched off for the app: switch it on in the app's settings",
	}
}

// FatalError ends Run: waiting does not help, a person must do something.
type FatalError struct {
	// Code is Slack's, Token is "app" or "bot".
	Code, Token string
	// Scope is the scope that is missing, if that is known.
	Scope string
	// Advice says what to do.
	Advice string
}

// Error implements error.
func (e *FatalError) Error() string {
	scope := ""
	if e.Scope != "" {
		scope = " " + e.Scope
	}
	return fmt.Sprintf("%s%s (%s token): %s", e.Code, scope, e.Token, e.Advice)
}

// fatal returns what to do about an error of Slack's that no waiting cures, or nil.
func fatal(token string, err error) error {
	var refused sdk.SlackErrorResponse
	if !errors.As(err, &refused) {
		return nil
	}
	advice, known := fatalAdvice()[refused.Err]
	if !known {
		return nil
	}
	return &FatalError{Code: refused.Err, Token: token, Scope: clean(refused.Needed, false), Advice: advice}
}

// outcome classifies an error of a call with the bot token, and ends Run when the token is no longer taken.
func (t *Transport) outcome(err error, sent bool) error {
	var refused sdk.SlackErrorResponse
	if errors.As(err, &refused) {
		switch refused.Err {
		case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "user_removed_from_team", "team_disabled":
			select {
			case t.refused <- fatal("bot", err):
			default:
			}
		}
	}
	return classify(err, sent)
}
