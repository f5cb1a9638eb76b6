package present

import (
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// minSecret is the length below which a value is no secret worth hiding: it would black out ordinary words.
const minSecret = 8

// Redactor takes secrets out of text: the values it was told, and what looks like a token. It is safe for concurrent use.
type Redactor struct {
	patterns []pattern

	mu    sync.RWMutex
	known []string
}

type pattern struct {
	find    *regexp.Regexp
	replace string
}

// NewRedactor returns a Redactor that knows the patterns of tokens and no values yet.
func NewRedactor() *Redactor {
	return &Redactor{patterns: []pattern{
		{regexp.MustCompile(`(?i)(authorization\\?["']?\s*[:=]\s*\[?\s*\\?["']?)(?:(basic|bearer|digest|negotiate|token)\s+)?[^\s"'\\,\]\}]+`), "${1}" + Redacted},
		{regexp.MustCompile(`(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}`), "${1}" + Redacted},
		{regexp.MustCompile(`\bx(?:ox[a-z]|app)(?:\.xox[a-z])?-[A-Za-z0-9-]{4,}`), Redacted},
		{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?`), Redacted},
	}}
}

// Add tells values that must never be shown. They are looked for as they are and as JSON spells them, also JSON within JSON:
// a library's message that quotes a value becomes one field of our log.
func (r *Redactor) Add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		once := escaped(secret)
		r.known = append(r.known, secret, once, escaped(once))
	}
	slices.Sort(r.known)
	r.known = slices.Compact(r.known)
}

func escaped(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return text // a string always encodes
	}
	return string(quoted[1 : len(quoted)-1])
}

// Redact returns the text without secrets.
func (r *Redactor) Redact(text string) string {
	r.mu.RLock()
	for _, secret := range r.known {
		text = strings.ReplaceAll(text, secret, Redacted)
	}
	r.mu.RUnlock()
	for _, p := range r.patterns {
		text = p.find.ReplaceAllString(text, p.replace)
	}
	return text
}

// Writer returns a writer that takes secrets out of what passes through it. A secret that is split over two writes is not
// seen, so each write should be a whole line, as loggers do.
func (r *Redactor) Writer(w io.Writer) io.Writer { return &redactingWriter{r, w} }

type redactingWriter struct {
	redactor *Redactor
	to       io.Writer
}

// Write implements io.Writer. It reports the length of what came in, since what goes out is of another length.
func (w *redactingWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.redactor.Redact(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
