package box

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

// orderLimit bounds an order, in bytes; what counts is the log in it.
const orderLimit = 64 << 20

// server takes the orders of the other subcommands. It is HTTP on loopback with a random token, and not a unix socket,
// because the path of a socket may have only about a hundred bytes.
type server struct {
	box   *box
	token string
	http  *http.Server
}

// serve starts the server and records in the control file how to reach it.
func serve(b *box) (*server, error) {
	l, err := net.Listen("tcp4", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return nil, fmt.Errorf("listen for orders: %w", err)
	}
	s := &server{box: b, token: rand.Text()}
	s.http = &http.Server{
		Handler:           s.authorize(s.routes()),
		ReadHeaderTimeout: 10 * time.Second,
		// Orders in progress end with the box.
		BaseContext: func(net.Listener) context.Context { return b.ctx },
	}
	go func() { _ = s.http.Serve(l) }()
	err = b.home.update(func(c *control) { c.Address, c.Token = l.Addr().String(), s.token })
	if err != nil {
		_ = s.http.Close()
		return nil, err
	}
	return s, nil
}

// close waits for the orders in progress, which the end of the box cuts short.
func (s *server) close() {
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		_ = s.http.Close()
	}
}

func (s *server) authorize(next http.Handler) http.Handler {
	want := []byte("Bearer " + s.token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "the token is in "+controlName, http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, orderLimit)
		next.ServeHTTP(w, r)
	})
}

// routes are the orders.
func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /clusters/{name}", answer(func(r *http.Request) error {
		if r.URL.Query().Has("if-missing") {
			return s.box.ensure(r.Context(), r.PathValue("name"))
		}
		return s.box.add(r.Context(), r.PathValue("name"))
	}))
	mux.HandleFunc("DELETE /clusters/{name}", answer(func(r *http.Request) error {
		return s.box.remove(r.PathValue("name"))
	}))
	for order, follow := range map[string]func(*cluster, *http.Request) error{
		"pause":     func(c *cluster, _ *http.Request) error { return c.pause() },
		"resume":    func(c *cluster, _ *http.Request) error { return c.resume() },
		"stop-api":  func(c *cluster, _ *http.Request) error { return c.stopAPI() },
		"start-api": func(c *cluster, r *http.Request) error { return c.startAPI(r.Context()) },
		"logs":      setLogs,
	} {
		mux.HandleFunc("POST /clusters/{name}/"+order, answer(func(r *http.Request) error {
			c, err := s.box.find(r.PathValue("name"))
			if err != nil {
				return err
			}
			return follow(c, r)
		}))
	}
	return mux
}

func setLogs(c *cluster, r *http.Request) error {
	var order LogOrder
	if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	return c.logs.set(r.Context(), order)
}

// answer answers 204, or 409 with the error as text.
func answer(follow func(*http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := follow(r); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}
