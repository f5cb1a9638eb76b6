package sandbox

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// maxMetadata bounds a message's metadata in bytes of JSON. Slack documents that there is a limit (metadata_too_large)
// and not which; this is the sandbox's assumption.
const maxMetadata = 8 << 10

// Metadata is what an app attaches to a message for programs to read.
type Metadata struct {
	EventType    string          `json:"event_type"`
	EventPayload json.RawMessage `json:"event_payload"`
}

// parseMetadata reads the metadata argument. The warning is invalid_metadata_schema when Slack takes the message and
// leaves the metadata out, because its event_type has other characters than letters, digits, _ and -.
// An empty object means "none", which chat.update uses to remove what is there.
func parseMetadata(raw []byte) (m *Metadata, warning string, err error) {
	if len(raw) > maxMetadata {
		return nil, "", refuse("metadata_too_large")
	}
	var parsed struct {
		EventType    *string         `json:"event_type"`
		EventPayload json.RawMessage `json:"event_payload"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&parsed); err != nil || dec.More() || raw[0] != '{' {
		return nil, "", refuse("invalid_metadata_format")
	}
	noPayload := len(parsed.EventPayload) == 0 || string(parsed.EventPayload) == "null"
	noType := parsed.EventType == nil || *parsed.EventType == ""
	switch {
	case noType && noPayload: // slack-go sends {"event_type":"","event_payload":null} when there is none
		return nil, "", nil
	case noType || noPayload || parsed.EventPayload[0] != '{':
		return nil, "", refuse("invalid_metadata_format")
	case !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(*parsed.EventType):
		return nil, "invalid_metadata_schema", nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, parsed.EventPayload); err != nil {
		return nil, "", refuse("invalid_metadata_format")
	}
	return &Metadata{EventType: *parsed.EventType, EventPayload: compact.Bytes()}, "", nil
}
