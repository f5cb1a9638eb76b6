package sandbox

import (
	"bytes"
	"crypto/subtle"
	"embed"
	"fmt"
	"html"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed web/*.html web/*.css web/*.js web/*.svg
var webFiles embed.FS

// contentPolicy lets the page load its own files and nothing else, and forbids every way to make markup out of text.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// tokenHeader carries the page's token. A page of another origin cannot send it.
const tokenHeader = "X-Sandbox-Token"

// page serves the web page and its API.
type page struct {
	sandbox *Sandbox
	token   string
	files   map[string][]byte

	mu     sync.Mutex
	nonces []string // of the latest requests
}

func newPage(s *Sandbox) (*page, error) {
	p := &page{sandbox: s, token: randomText(32), files: map[string][]byte{}}
	entries, err := fs.ReadDir(webFiles, "web")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if p.files[e.Name()], err = webFiles.ReadFile("web/" + e.Name()); err != nil {
			return nil, err
		}
	}
	mark := []byte("{{token}}")
	if !bytes.Contains(p.files["index.html"], mark) {
		return nil, fmt.Errorf("sandbox: index.html has no place for the token")
	}
	p.files["index.html"] = bytes.ReplaceAll(p.files["index.html"], mark, []byte(html.EscapeString(p.token)))
	return p, nil
}

func (p *page) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.serveFile("index.html"))
	mux.HandleFunc("GET /archives/{channel}/{message}", p.serveFile("index.html")) // permalinks
	for name := range p.files {
		mux.HandleFunc("GET /"+name, p.serveFile(name))
	}
	mux.Handle("/page/", p.api())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !loopbackHost(r.Host) {
			http.Error(w, "This page answers only under a loopback name such as localhost.", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (p *page) serveFile(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		w.Write(p.files[name]) // a client that has gone away is no concern
	}
}

// ours reports whether a request comes from our own page: it has the page's token, and no foreign origin.
func (p *page) ours(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
		return false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(p.token)) == 1
}

// loopbackHost reports whether a Host header names this machine. A name that an attacker lets point here does not.
func loopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}
