package slack

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	sdk "github.com/slack-go/slack"

	"stuckbot/bot"
)

// defaultRetryAfter is the wait when Slack does not say how long.
const defaultRetryAfter = 10 * time.Second

// maxRetryAfter bounds what is waited on Slack's word.
const maxRetryAfter = 10 * time.Minute

// classify turns an error of a Web API call into one of bot's, or into one that may pass. sent says whether the request
// left this machine; what was sent and not answered may have been done.
//
// The codes are Slack's: https://docs.slack.dev/reference/methods/chat.postMessage lists them. Of internal_error and
// fatal_error it says that some of the operation may have succeeded.
func classify(err error, sent bool) error {
	var limited *sdk.RateLimitedError
	var status sdk.StatusCodeError
	var refused sdk.SlackErrorResponse
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limited):
		return &bot.RetryAfter{Wait: boundedWait(limited.RetryAfter)}
	case errors.As(err, &status):
		return classifyStatus(status)
	case errors.As(err, &refused):
		return classifyCode(refused)
	case sent:
		return fmt.Errorf("%w: %w", bot.ErrUnknownOutcome, withoutURL(err))
	}
	return withoutURL(err)
}

func classifyStatus(err sdk.StatusCodeError) error {
	switch {
	case err.Code == http.StatusTooManyRequests:
		return &bot.RetryAfter{Wait: defaultRetryAfter}
	case err.Code >= 500:
		return fmt.Errorf("%w: status %d", bot.ErrUnknownOutcome, err.Code)
	case err.Code == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w: status %d", bot.ErrRejected, err.Code)
	}
	return fmt.Errorf("the chat answers with status %d: is the API URL right?", err.Code)
}

func classifyCode(err sdk.SlackErrorResponse) error {
	switch err.Err {
	case "ratelimited", "rate_limited", "message_limit_exceeded":
		return &bot.RetryAfter{Wait: defaultRetryAfter}
	case "internal_error", "fatal_error":
		return fmt.Errorf("%w: %s", bot.ErrUnknownOutcome, err.Err)
	case "service_unavailable", "team_added_to_org", "request_timeout", "accesslimited", "external_channel_migrating":
		return errors.New(err.Err)
	case "channel_not_found", "is_archived", "not_in_channel", "message_not_found", "thread_not_found", "cant_update_message",
		"edit_window_closed", "is_inactive", "channel_type_not_supported", "method_not_supported_for_channel_type":
		return fmt.Errorf("%w: %s", bot.ErrGone, err.Err)
	case "missing_scope":
		return &scopeError{needed: clean(err.Needed, false)}
	}
	if _, known := fatalAdvice()[err.Err]; known {
		return errors.New(err.Err)
	}
	// Everything else is about the request: invalid_blocks, msg_too_long, no_permission. It would be refused again, and must
	// not hold up what waits behind it.
	return fmt.Errorf("%w: %s", bot.ErrRejected, describe(err))
}

// describe adds what Slack says of an error, without the text it is about.
func describe(err sdk.SlackErrorResponse) string {
	text := clean(err.Err, false)
	if messages := err.ResponseMetadata.Messages; len(messages) > 0 {
		text += ": " + shorten(clean(messages[0], false), 200)
	}
	return text
}

// scopeError says which scope a token lacks.
type scopeError struct{ needed string }

func (e *scopeError) Error() string { return "the bot token lacks the scope " + e.needed }

// withoutDoubt is for calls that change nothing: their outcome is not unknown, they failed.
func withoutDoubt(err error) error {
	if errors.Is(err, bot.ErrUnknownOutcome) {
		return errors.New(err.Error())
	}
	return err
}

// withoutURL drops the address from an error: response URLs and addresses for Socket Mode are secrets.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// retryAfter reads the header of that name.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil {
		return defaultRetryAfter
	}
	return boundedWait(time.Duration(seconds) * time.Second)
}

func boundedWait(d time.Duration) time.Duration { return min(max(d, time.Second), maxRetryAfter) }
