package slack

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	sdk "github.com/slack-go/slack"

	"stuckbot/bot"
)

// A button's action_id is "sb:", the verb and the button's place in its row, which makes it unique there. Its value is the
// id and the digest, each escaped as in a URL's path, with a bar between them.
const (
	actionPrefix = "sb:"
	valueBar     = "|"
	maxVerb      = 64
)

// errForeign says that a button is not one of ours.
var errForeign = errors.New("not a button of this bot")

func renderButtons(buttons []bot.Button) ([]sdk.Block, error) {
	if len(buttons) == 0 {
		return nil, nil
	}
	if len(buttons) > maxActions {
		return nil, fmt.Errorf("%d buttons in a row are too many", len(buttons))
	}
	var elements []sdk.BlockElement
	for i, b := range buttons {
		e, err := renderButton(b, i)
		if err != nil {
			return nil, fmt.Errorf("button %q: %w", b.Label, err)
		}
		elements = append(elements, e)
	}
	return []sdk.Block{sdk.NewActionBlock("", elements...)}, nil
}

func renderButton(b bot.Button, place int) (*sdk.ButtonBlockElement, error) {
	label := strings.TrimSpace(cleanLine(b.Label))
	value := encodeValue(b.ID, b.Digest)
	switch {
	case label == "":
		return nil, errors.New("it has no label")
	case !isVerb(b.Verb):
		return nil, fmt.Errorf("verb %q", b.Verb)
	case b.ID == "" || len(value) > maxValue:
		return nil, fmt.Errorf("id and digest of %d characters", len(value))
	}
	e := sdk.NewButtonBlockElement(actionID(b.Verb, place), value, plainObject(shorten(label, maxLabelUnits)))
	switch b.Look {
	case "":
	case "primary", "danger":
		e.Style = sdk.Style(b.Look)
	default:
		return nil, fmt.Errorf("look %q", b.Look)
	}
	if b.Confirm != nil {
		confirm, err := renderConfirm(*b.Confirm)
		if err != nil {
			return nil, err
		}
		confirm.Style = e.Style
		e.Confirm = confirm
	}
	return e, nil
}

func renderConfirm(c bot.Confirm) (*sdk.ConfirmationBlockObject, error) {
	part := func(text string, limit int) *sdk.TextBlockObject {
		return plainObject(shorten(strings.TrimSpace(cleanLine(text)), limit))
	}
	out := &sdk.ConfirmationBlockObject{
		Title: part(c.Title, maxConfirmTitle), Text: part(c.Text, maxConfirmText),
		Confirm: part(c.Yes, maxConfirmButton), Deny: part(c.No, maxConfirmButton),
	}
	for _, t := range []*sdk.TextBlockObject{out.Title, out.Text, out.Confirm, out.Deny} {
		if t.Text == "" {
			return nil, errors.New("its question is not complete")
		}
	}
	return out, nil
}

func actionID(verb string, place int) string { return actionPrefix + verb + ":" + strconv.Itoa(place) }

func encodeValue(id, digest string) string {
	return url.PathEscape(id) + valueBar + url.PathEscape(digest)
}

// decodeButton reads what renderButton wrote, and nothing else.
func decodeButton(action, value string) (id, verb, digest string, err error) {
	rest, ours := strings.CutPrefix(action, actionPrefix)
	verb, place, complete := strings.Cut(rest, ":")
	n, nerr := strconv.Atoi(place)
	if !ours || !complete || nerr != nil || n < 0 || len(action) > maxActionID || action != actionID(verb, n) || !isVerb(verb) {
		return "", "", "", errForeign
	}
	left, right, complete := strings.Cut(value, valueBar)
	id, idErr := url.PathUnescape(left)
	digest, digestErr := url.PathUnescape(right)
	if !complete || idErr != nil || digestErr != nil || id == "" || len(value) > maxValue || encodeValue(id, digest) != value {
		return "", "", "", errForeign
	}
	return id, verb, digest, nil
}

func isVerb(verb string) bool {
	for i := range len(verb) {
		if c := verb[i]; (c < 'a' || c > 'z') && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return verb != "" && len(verb) <= maxVerb
}
