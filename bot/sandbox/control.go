package sandbox

import (
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// newControl serves /control/ when Options.Control asks for it: GET and POST /control/faults, DELETE /control/faults,
// POST /control/disconnect?reason=…. It wants the bot token as bearer, so that a web page cannot reach it, and a
// loopback Host.
func (s *Sandbox) newControl() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /control/faults", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, s.faults.Active())
	})
	mux.HandleFunc("POST /control/faults", s.controlInject)
	mux.HandleFunc("DELETE /control/faults", func(w http.ResponseWriter, _ *http.Request) {
		s.faults.Clear()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /control/disconnect", func(w http.ResponseWriter, r *http.Request) {
		n, err := s.faults.Disconnect(DisconnectReason(r.URL.Query().Get("reason")))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{"connections": n})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !loopbackHost(r.Host):
			http.Error(w, "this Host is not loopback", http.StatusMisdirectedRequest)
		case subtle.ConstantTimeCompare([]byte(token), []byte(s.opt.BotToken)) != 1:
			http.Error(w, "the bot token is needed as bearer", http.StatusUnauthorized)
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// controlInject reads one fault as JSON. Durations are in nanoseconds, as Go writes them.
func (s *Sandbox) controlInject(w http.ResponseWriter, r *http.Request) {
	var f Fault
	dec := json.NewDecoder(io.LimitReader(r.Body, 1<<16))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := s.faults.Inject(f); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
