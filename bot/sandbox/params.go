package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// args are a call's arguments. A value is text as it came in a form, or JSON as it came in a JSON body.
type args struct {
	form url.Values
	json map[string]json.RawMessage
	// charset is a warning that Slack gives: missing_charset for JSON, superfluous_charset for forms.
	charset string
}

// parseArgs reads the arguments of a Web API call from its query and body.
func parseArgs(r *http.Request, limit int64) (args, error) {
	a := args{form: url.Values{}}
	for k, v := range r.URL.Query() {
		a.form[k] = v
	}
	if r.Method != http.MethodPost {
		return a, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, limit))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return a, refuse("request_too_large")
	}
	if err != nil {
		return a, refuse("request_timeout")
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && len(body) == 0 {
		return a, nil
	}
	switch kind {
	case "application/json":
		if params["charset"] == "" {
			a.charset = "missing_charset"
		}
		return a, a.addJSON(body)
	case "application/x-www-form-urlencoded":
		if params["charset"] != "" {
			a.charset = "superfluous_charset"
		}
		return a, a.addForm(body)
	case "multipart/form-data":
		return a, a.addMultipart(r, body)
	}
	return a, refuse("invalid_post_type")
}

func (a *args) addJSON(body []byte) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 || string(body) == "null" {
		return nil
	}
	if !json.Valid(body) {
		return refuse("invalid_json")
	}
	if err := json.Unmarshal(body, &a.json); err != nil {
		return refuse("json_not_object")
	}
	return nil
}

func (a *args) addForm(body []byte) error {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return refuse("invalid_form_data")
	}
	for k, v := range values {
		a.form[k] = v
	}
	return nil
}

func (a *args) addMultipart(r *http.Request, body []byte) error {
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err := r.ParseMultipartForm(int64(len(body))); err != nil {
		return refuse("invalid_form_data")
	}
	for k, v := range r.MultipartForm.Value {
		a.form[k] = v
	}
	return nil
}

// has reports whether the argument was sent, even empty. JSON's null counts as not sent.
func (a args) has(name string) bool {
	if raw, ok := a.json[name]; ok && string(raw) != "null" {
		return true
	}
	return len(a.form[name]) > 0
}

// text returns an argument as text.
func (a args) text(name string) string {
	raw, ok := a.json[name]
	if !ok || string(raw) == "null" {
		return a.form.Get(name)
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// raw returns an argument that is itself JSON. Slack takes it as a string that holds JSON, too.
func (a args) raw(name string) []byte { return bytes.TrimSpace([]byte(a.text(name))) }

// flag reads a boolean argument: true, "true" and 1 mean yes.
func (a args) flag(name string) bool {
	v, err := strconv.ParseBool(strings.ToLower(a.text(name)))
	return err == nil && v
}

// number reads an integer argument, or returns the default when it was not sent.
func (a args) number(name string, standard int) (int, error) {
	v := a.text(name)
	if v == "" {
		return standard, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, refuse("invalid_arguments", "must be an integer: "+name)
	}
	return n, nil
}
