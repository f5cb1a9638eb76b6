package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"go.yaml.in/yaml/v3"

	"stuckbot/bot/sandbox"
)

// workspace is the demo's chat: a sandbox on an address of this machine.
type workspace struct {
	sandbox *sandbox.Sandbox
	server  *http.Server
	address string
}

// startWorkspace serves a sandbox. Its page lets whoever opens it act as anyone, so it is bound to loopback only.
func startWorkspace(listen string) (*workspace, error) {
	addr, err := netip.ParseAddrPort(listen)
	if err != nil || !addr.Addr().IsLoopback() {
		return nil, fmt.Errorf("--listen %q is no address of this machine: give 127.0.0.1 and a port, for example 127.0.0.1:7080", listen)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil { // most likely another demo runs
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
	}
	address := "http://" + l.Addr().String()
	box, err := sandbox.New(sandbox.Options{BaseURL: address, Commands: []sandbox.Command{{
		Command: "/stuck", Description: "find what is stuck in Pending-Upgrade", UsageHint: "[sweep|help] …",
		Completions: []sandbox.Completion{
			{Text: "sweep", Description: "list what is stuck"},
			{Text: "sweep env=prod", Description: "in clusters with a label"},
			{Text: "help", Description: "say what the bot can do"},
		},
	}}})
	if err != nil {
		_ = l.Close() // the first error is the one to tell
		return nil, err
	}
	w := &workspace{sandbox: box, address: address, server: &http.Server{Handler: box.Handler(), ReadHeaderTimeout: 5 * time.Second}}
	go func() { _ = w.server.Serve(l) }() // it ends when stop closes it
	return w, nil
}

// configure adds the workspace to the bot's configuration file.
func (w *workspace) configure(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var config map[string]any
	if err := yaml.Unmarshal(data, &config); err != nil {
		return err
	}
	config["chat"] = map[string]any{
		"slack":    map[string]any{"appToken": w.sandbox.AppToken(), "botToken": w.sandbox.BotToken(), "apiURL": w.address + "/api/"},
		"channels": []any{map[string]any{"id": "C0RELEASES"}},
	}
	config["http"] = map[string]any{"listen": "127.0.0.1:0"}
	if data, err = yaml.Marshal(config); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

func (w *workspace) stop() {
	_ = w.server.Close() // the process ends soon
	if err := w.sandbox.Close(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintln(os.Stderr, "closing the workspace:", err)
	}
}

// awaitReady waits until people are heard, and reports false when ctx ends before.
func (a *application) awaitReady(ctx context.Context) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if ready, _ := a.transport.Ready(); ready {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}
