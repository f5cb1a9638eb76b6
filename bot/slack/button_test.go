package slack

import (
	"strings"
	"testing"

	"stuckbot/bot"
)

func TestButtonsComeBackAsTheyWere(t *testing.T) {
	for _, b := range []bot.Button{
		{ID: "plan-1", Verb: "approve", Digest: "sha256:00ff", Label: "Approve"},
		{ID: "a|b%7C c/ü", Verb: "show-2", Label: "x"},
		{ID: "1", Verb: "x", Digest: "|", Label: "x"},
	} {
		e, err := renderButton(b, 3)
		if err != nil {
			t.Fatal(err)
		}
		id, verb, digest, err := decodeButton(e.ActionID, e.Value)
		if err != nil || id != b.ID || verb != b.Verb || digest != b.Digest {
			t.Errorf("%+v came back as %q %q %q, %v", b, id, verb, digest, err)
		}
	}
}

func TestForeignButtons(t *testing.T) {
	for _, tc := range []struct{ action, value string }{
		{"", ""}, {"approve", "1|"}, {"sb:", "1|"}, {"sb:approve", "1|"}, {"sb:approve:", "1|"}, {"sb:approve:x", "1|"},
		{"sb:approve:-1", "1|"}, {"sb:approve:01", "1|"}, {"sb:approve:+1", "1|"}, {"sb:Approve:1", "1|"}, {"sb::1", "1|"},
		{"sb:approve:1:2", "1|"}, {"sb:approve:1", ""}, {"sb:approve:1", "1"}, {"sb:approve:1", "|d"}, {"sb:approve:1", "1|2|3"},
		{"sb:approve:1", "%zz|"}, {"sb:approve:1", "%31|"}, {"sb:approve:1", strings.Repeat("1", 2000) + "|"},
		{"xsb:approve:1", "1|"}, {"SB:approve:1", "1|"},
	} {
		if id, verb, digest, err := decodeButton(tc.action, tc.value); err == nil {
			t.Errorf("%q %q is taken as %q %q %q", tc.action, tc.value, id, verb, digest)
		}
	}
}

func TestButtonsThatCannotBeMade(t *testing.T) {
	whole := &bot.Confirm{Title: "Sure?", Text: "It deletes.", Yes: "Yes", No: "No"}
	for name, b := range map[string]bot.Button{
		"no label":             {ID: "1", Verb: "x"},
		"a label of nothing":   {ID: "1", Verb: "x", Label: "\u200b "},
		"no id":                {Verb: "x", Label: "x"},
		"no verb":              {ID: "1", Label: "x"},
		"a verb with a colon":  {ID: "1", Verb: "a:b", Label: "x"},
		"a long id":            {ID: strings.Repeat("1", 2000), Verb: "x", Label: "x"},
		"an unknown look":      {ID: "1", Verb: "x", Label: "x", Look: "shiny"},
		"half a question":      {ID: "1", Verb: "x", Label: "x", Confirm: &bot.Confirm{Title: "Sure?"}},
		"a question of spaces": {ID: "1", Verb: "x", Label: "x", Confirm: &bot.Confirm{Title: " ", Text: " ", Yes: " ", No: " "}},
	} {
		if e, err := renderButton(b, 0); err == nil {
			t.Errorf("%s: %+v", name, e)
		}
	}
	e, err := renderButton(bot.Button{ID: "1", Verb: "x", Label: strings.Repeat("n", 300), Look: "danger", Confirm: &bot.Confirm{
		Title: strings.Repeat("t", 300), Text: strings.Repeat("x", 500), Yes: strings.Repeat("y", 99), No: whole.No}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for text, limit := range map[string]int{
		e.Text.Text: 75, e.Confirm.Title.Text: 100, e.Confirm.Text.Text: 300, e.Confirm.Confirm.Text: 30,
	} {
		if units(text) != limit || !strings.HasSuffix(text, "…") {
			t.Errorf("%d of %d: a label that is too long shows that it was cut", units(text), limit)
		}
	}
}
