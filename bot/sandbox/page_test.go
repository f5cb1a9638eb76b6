package sandbox_test

import (
	"bufio"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"stuckbot/bot/sandbox"
)

// visit asks for a path of the page. Headers come in pairs; Host counts as one.
func (w *workspace) visit(method, path, body string, headers ...string) (*http.Response, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		} else {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp, string(raw)
}

func (w *workspace) pageToken() string {
	w.t.Helper()
	_, html := w.visit("GET", "/", "")
	found := regexp.MustCompile(`name="sandbox-token" content="([a-z0-9]{32})"`).FindStringSubmatch(html)
	if found == nil {
		w.t.Fatalf("no token in %s", html)
	}
	return found[1]
}

func TestThePageForbidsWhatItDoesNotNeed(t *testing.T) {
	w := start(t, nil)
	for _, path := range []string{"/", "/app.js", "/base.css", "/icon.svg", "/archives/C0RELEASES/p1"} {
		resp, _ := w.visit("GET", path, "")
		csp := resp.Header.Get("Content-Security-Policy")
		if resp.StatusCode != http.StatusOK || !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") ||
			!strings.Contains(csp, "require-trusted-types-for 'script'") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, resp.StatusCode, resp.Header)
		}
	}
	for path, kind := range map[string]string{"/app.js": "text/javascript", "/base.css": "text/css", "/icon.svg": "image/svg+xml"} {
		if resp, _ := w.visit("GET", path, ""); !strings.HasPrefix(resp.Header.Get("Content-Type"), kind) {
			t.Errorf("%s is %s", path, resp.Header.Get("Content-Type"))
		}
	}
	if resp, _ := w.visit("GET", "/nothing", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("nothing: %d", resp.StatusCode)
	}
}

func TestThePageAnswersOnlyToLoopbackNames(t *testing.T) {
	w := start(t, nil)
	for host, want := range map[string]int{
		"localhost:80": 200, "127.0.0.1": 200, "127.8.8.8:99": 200, "[::1]:80": 200,
		"evil.example": 421, "localhost.evil.example": 421, "10.0.0.1": 421, "127.0.0.1.evil.example:80": 421,
	} {
		if resp, _ := w.visit("GET", "/", "", "Host", host); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", host, resp.StatusCode, want)
		}
	}
}

func TestThePageAPIIsForThePage(t *testing.T) {
	w := start(t, nil)
	token := w.pageToken()
	for _, tc := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"the page", []string{"X-Sandbox-Token", token}, 200},
		{"the page, as browsers say", []string{"X-Sandbox-Token", token, "Origin", w.url, "Sec-Fetch-Site", "same-origin"}, 200},
		{"no token", nil, 403},
		{"wrong token", []string{"X-Sandbox-Token", strings.Repeat("a", 32)}, 403},
		{"another origin", []string{"X-Sandbox-Token", token, "Origin", "https://evil.example"}, 403},
		{"another site", []string{"X-Sandbox-Token", token, "Sec-Fetch-Site", "cross-site"}, 403},
		{"another port of this machine", []string{"X-Sandbox-Token", token, "Sec-Fetch-Site", "same-site"}, 403},
		{"a name that was pointed here", []string{"X-Sandbox-Token", token, "Host", "evil.example"}, 421},
	} {
		if resp, _ := w.visit("GET", "/page/state", "", tc.headers...); resp.StatusCode != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, resp.StatusCode, tc.want)
		}
	}
	other := start(t, nil)
	if token == other.pageToken() {
		t.Error("two sandboxes have one token")
	}
}

func TestAStrangeHostDoesNotMoveTheResponseURLs(t *testing.T) {
	w := start(t, nil)
	w.dial().hello()
	w.visit("POST", "/api/auth.test", "", "Host", "evil.example")
	w.visit("POST", "/page/send", "{}", "Host", "evil.example")
	if got := w.responseURL(); !strings.HasPrefix(got, w.url+"/hooks/") {
		t.Errorf("%s", got)
	}
}

// TestThePageMakesNoMarkupFromText reads the page's own source.
func TestThePageMakesNoMarkupFromText(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser|createContextualFragment|https?://`)
	allowed := regexp.MustCompile(`const SVG = '` + `http://www\.w3\.org/2000/svg'|xmlns="http://www\.w3\.org/2000/svg"`)
	root := os.DirFS("web")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(raw), "\n") {
			if forbidden.MatchString(line) && !allowed.MatchString(line) {
				t.Errorf("%s:%d: %s", path, i+1, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// page asks the page's API as a person.
func (w *workspace) page(token, path, user string, query url.Values) map[string]any {
	w.t.Helper()
	if query == nil {
		query = url.Values{}
	}
	query.Set("user", user)
	_, body := w.visit("GET", path+"?"+query.Encode(), "", "X-Sandbox-Token", token)
	var out map[string]any
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		w.t.Fatalf("%s: %v", body, err)
	}
	return out
}

func TestWhatThePageShowsToWhom(t *testing.T) {
	w := start(t, nil)
	token := w.pageToken()
	channels := func(user string) (names []string) {
		for _, c := range w.page(token, "/page/state", user, nil)["channels"].([]any) {
			names = append(names, c.(map[string]any)["name"].(string))
		}
		return names
	}
	if got := channels(alice); len(got) != 5 {
		t.Errorf("alice: %v", got)
	}
	if got := channels(mallory); len(got) != 1 || got[0] != "releases" {
		t.Errorf("the guest: %v", got)
	}
	if got := channels(trent); len(got) != 1 || got[0] != "partners" {
		t.Errorf("the stranger: %v", got)
	}
	must(w.api.PostEphemeral(releases, alice, text("psst")))(t)
	ts := w.post(releases, text("root"))
	must(w.As(bob).Say(releases, ts, "reply"))(t)
	count := func(path, user string, query url.Values) int {
		list, _ := w.page(token, path, user, query)["messages"].([]any)
		return len(list)
	}
	in := url.Values{"channel": {releases}}
	if a, b := count("/page/messages", alice, in), count("/page/messages", bob, in); a != 2 || b != 1 {
		t.Errorf("alice sees %d, bob %d", a, b)
	}
	if n := count("/page/thread", alice, url.Values{"channel": {releases}, "ts": {ts}}); n != 2 {
		t.Errorf("thread: %d", n)
	}
	for code, query := range map[string]url.Values{
		"channel_not_found": {"channel": {random}}, "thread_not_found": {"channel": {releases}, "ts": {"1.000000"}},
	} {
		if got := w.page(token, "/page/thread", mallory, query); got["error"] != code {
			t.Errorf("%v, want %s", got, code)
		}
	}
}

func TestThePageActs(t *testing.T) {
	w := start(t, nil)
	r := w.dial()
	r.hello()
	token := w.pageToken()
	send := func(path string, in map[string]string) map[string]any {
		raw, _ := json.Marshal(in)
		_, body := w.visit("POST", path, string(raw), "X-Sandbox-Token", token)
		var out map[string]any
		json.Unmarshal([]byte(body), &out)
		return out
	}
	ok := func(out map[string]any) {
		t.Helper()
		if out["ok"] != true {
			t.Errorf("%v", out)
		}
	}
	ok(send("/page/send", map[string]string{"user": alice, "channel": releases, "text": "hello"}))
	said := w.last(releases)
	for r.read()["type"] != "events_api" {
	}
	ok(send("/page/react", map[string]string{"user": bob, "channel": releases, "ts": said.TS, "name": "eyes"}))
	ok(send("/page/send", map[string]string{"user": alice, "channel": releases, "text": "/stuck sweep"}))
	if e := r.read(); e["type"] != "slash_commands" {
		t.Errorf("%v", e)
	}
	ok(send("/page/send", map[string]string{"user": alice, "channel": releases, "thread_ts": said.TS, "text": "/stuck sweep"}))
	if got := w.Ephemerals(releases, alice); len(got) != 1 || !strings.Contains(got[0].Text, "not supported in threads") {
		t.Errorf("%+v", got)
	}
	for range 2 { // as when the browser sends it again
		ok(send("/page/send", map[string]string{"user": alice, "channel": releases, "text": "once", "nonce": "n1"}))
	}
	if got := w.Messages(releases); got[len(got)-1].Text != "once" || got[len(got)-2].Text == "once" {
		t.Errorf("%+v", got)
	}
	ok(send("/page/join", map[string]string{"user": alice, "channel": random}))
	if out := send("/page/send", map[string]string{"user": eve, "channel": releases, "text": "hi"}); out["error"] != "account_inactive" {
		t.Errorf("%v", out)
	}
	if resp, _ := w.visit("POST", "/page/send", "{", "X-Sandbox-Token", token); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("broken JSON: %d", resp.StatusCode)
	}
}

// events follows the changes as a person after a sequence number.
func (w *workspace) events(token, user, after string) (next func() sandbox.Change, status int) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), "GET", w.url+"/page/events?user="+user+"&after="+after, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("X-Sandbox-Token", token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	return func() sandbox.Change {
		w.t.Helper()
		timer := time.AfterFunc(10*time.Second, func() { resp.Body.Close() })
		defer timer.Stop()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var c sandbox.Change
				if err := json.Unmarshal([]byte(data), &c); err != nil {
					w.t.Fatal(err)
				}
				return c
			}
		}
		w.t.Fatalf("the stream ended: %v", lines.Err())
		return sandbox.Change{}
	}, resp.StatusCode
}

func TestTheStreamShowsEachPersonTheirOwn(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Limits.Changes = 5 })
	token := w.pageToken()
	asAlice, _ := w.events(token, alice, "0")
	asMallory, _ := w.events(token, mallory, "0")
	must(w.api.PostEphemeral(releases, alice, text("psst")))(t)
	w.post("C0INCIDENTS", text("not for guests"))
	w.post(releases, text("for all"))
	for _, want := range []string{"psst", "not for guests", "for all"} {
		if c := asAlice(); c.Type != sandbox.ChangeMessage || c.Message.Text != want {
			t.Errorf("%+v, want %s", c, want)
		}
	}
	last := asMallory()
	if last.Message == nil || last.Message.Text != "for all" {
		t.Errorf("%+v", last)
	}

	w.post(releases, text("missed"))
	again, _ := w.events(token, mallory, "3") // as after a broken stream
	if c := again(); c.Seq != 4 || c.Message.Text != "missed" {
		t.Errorf("%+v", c)
	}
	for range 5 {
		w.post(releases, text("more"))
	}
	for _, after := range []string{"1", "1000"} { // too long ago; of another sandbox
		late, _ := w.events(token, alice, after)
		if c := late(); c.Type != sandbox.ChangeReset {
			t.Errorf("after %s: %+v", after, c)
		}
	}
	if _, status := w.events(token, alice, "soon"); status != http.StatusBadRequest {
		t.Errorf("%d", status)
	}
}
