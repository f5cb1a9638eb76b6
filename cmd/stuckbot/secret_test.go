package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"go.yaml.in/yaml/v3"
)

// Promise 8: however a secret is printed, it does not show.
func TestASecretNeverShows(t *testing.T) {
	const value = "xoxb-top-secret-value"
	type holder struct {
		Token Secret            `json:"token" yaml:"token"`
		Map   map[Secret]Secret `json:"map" yaml:"map"`
		List  []Secret          `json:"list" yaml:"list"`
		Any   any               `json:"any" yaml:"any"`
		P     *Secret           `json:"p" yaml:"p"`
	}
	s := NewSecret(value)
	h := holder{s, map[Secret]Secret{s: s}, []Secret{s}, s, &s}
	texts := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%T %v", "%10.3s", "%08b", "%c", "%U", "%e", "%p"} {
		arguments := []any{s}
		if strings.Contains(verb, "%T") {
			arguments = []any{s, s}
		}
		texts[verb] = fmt.Sprintf(verb, arguments...)
		if verb != "%p" && len(arguments) == 1 {
			texts["struct "+verb] = fmt.Sprintf(verb, h)
		}
	}
	texts["Print"] = fmt.Sprint(s, h)
	texts["error"] = fmt.Errorf("token %w: %v", fmt.Errorf("%v", s), h).Error()
	texts["String"], texts["GoString"] = s.String(), s.GoString()
	asJSON, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	texts["JSON"] = string(asJSON)
	asYAML, err := yaml.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	texts["YAML"] = string(asYAML)
	var b bytes.Buffer
	log := zerolog.New(&b)
	log.Error().Object("object", s).Interface("interface", s).Any("struct", h).Stringer("stringer", s).Msgf("%v %s", s, h)
	texts["zerolog"] = b.String()
	for how, text := range texts {
		for _, form := range []string{value, "786f78622d", "786F78622D", "top-secret"} {
			if strings.Contains(text, form) {
				t.Errorf("%s shows it: %s", how, text)
			}
		}
	}
	if s.Reveal() != value {
		t.Error("the one place that needs it does not get it")
	}
}
