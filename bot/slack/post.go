package slack

import (
	"context"
	"fmt"

	sdk "github.com/slack-go/slack"

	"stuckbot/bot"
)

// A message of ours carries its key in its metadata: under this event type, as this field of the payload.
const (
	metadataType = "stuckbot_message"
	metadataKey  = "key"
)

// Post implements bot.Transport. A reply whose thread is gone would stand in the channel on its own: it is taken back, and
// the error is bot.ErrGone.
func (t *Transport) Post(ctx context.Context, to bot.Place, key string, m bot.Message) (string, error) {
	options, err := messageOptions(key, m)
	if err != nil {
		return "", err
	}
	if to.Thread != "" {
		options = append(options, sdk.MsgOptionTS(to.Thread))
	}
	ctx, sent := traced(ctx)
	channel, ts, posted, err := t.api.PostMessageWithResponseContext(ctx, to.Channel, options...)
	if err != nil {
		return "", fmt.Errorf("chat.postMessage: %w", t.outcome(err, sent.Load()))
	}
	if to.Thread != "" && posted.ThreadTimestamp == "" {
		if _, _, err := t.api.DeleteMessageContext(ctx, channel, ts); err != nil {
			t.o.Log.Warn().Err(classify(err, true)).Msg("slack: a reply to a thread that is gone stands in the channel")
		}
		return "", fmt.Errorf("chat.postMessage: %w: the thread was deleted", bot.ErrGone)
	}
	return ts, nil
}

// Update implements bot.Transport.
func (t *Transport) Update(ctx context.Context, in bot.Place, id, key string, m bot.Message) error {
	options, err := messageOptions(key, m)
	if err != nil {
		return err
	}
	ctx, sent := traced(ctx)
	if _, _, _, err := t.api.UpdateMessageContext(ctx, in.Channel, id, options...); err != nil {
		return fmt.Errorf("chat.update: %w", t.outcome(err, sent.Load()))
	}
	return nil
}

// messageOptions say what a message shows, and that nothing in it may become more than it is: no names are linked, nothing
// is parsed, no link shows a preview.
func messageOptions(key string, m bot.Message) ([]sdk.MsgOption, error) {
	c, err := render(m)
	if err != nil {
		return nil, err
	}
	return append(literal(c), sdk.MsgOptionMetadata(sdk.SlackMetadata{
		EventType: metadataType, EventPayload: map[string]any{metadataKey: key},
	})), nil
}

func literal(c content) []sdk.MsgOption {
	return []sdk.MsgOption{
		sdk.MsgOptionText(c.text, false), // it is escaped already
		sdk.MsgOptionBlocks(c.blocks...),
		sdk.MsgOptionDisableMarkdown(),
		sdk.MsgOptionParse(false),
		sdk.MsgOptionLinkNames(false),
		sdk.MsgOptionDisableLinkUnfurl(),
		sdk.MsgOptionDisableMediaUnfurl(),
	}
}
