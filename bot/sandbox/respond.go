package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// writeJSON answers with a JSON body. < and > stay as they are, as Slack sends them.
func writeJSON(rw http.ResponseWriter, status int, body any) {
	raw, err := encodeJSON(body)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	rw.WriteHeader(status)
	rw.Write(raw) // a client that has gone away is no concern of the answer
}

func encodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

func itoa(n int) string { return strconv.Itoa(n) }

func marked(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = mark + l
	}
	return out
}
