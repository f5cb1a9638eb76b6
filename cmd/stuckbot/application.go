package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"stuckbot/bot"
	"stuckbot/bot/slack"
	"stuckbot/checks/kube"
	"stuckbot/checks/sweep"
	"stuckbot/commands"
	"stuckbot/storage"
)

const (
	// shutdownTime is how long a stopping bot may take.
	shutdownTime = 10 * time.Second
	pruneEvery   = time.Hour
	// messagesFor is how long the bot can update what it said.
	messagesFor = 30 * 24 * time.Hour
)

// application is the running bot.
type application struct {
	config     *config
	log        zerolog.Logger
	db         *storage.DB
	transport  *slack.Transport
	dispatcher *bot.Dispatcher
	outbox     *bot.Outbox
	control    net.Listener
	public     net.Listener
	set        *kube.Set
	sources    []sweep.Source
	since      time.Time
}

// newApplication builds the bot from its configuration. Nothing runs yet, but the database is held and the addresses are
// bound.
func (p *program) newApplication(c *config, unsafe bool) (_ *application, err error) {
	a := &application{config: c, log: p.log, since: time.Now().UTC()}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if a.set, err = p.kubeSet(c); err != nil {
		return nil, err
	}
	if a.sources, err = p.sources(c, nil); err != nil {
		return nil, err
	}
	var sandboxed bool
	if a.db, sandboxed, err = openDatabase(c, unsafe); err != nil {
		return nil, err
	}
	if sandboxed {
		a.log.Warn().Str("server", c.Chat.Slack.APIURL).Msg("the chat server is not Slack's own: nothing will be executed")
	}
	a.transport, err = slack.New(slack.Options{
		AppToken: c.Chat.Slack.AppToken.Reveal(), BotToken: c.Chat.Slack.BotToken.Reveal(), APIURL: c.Chat.Slack.APIURL,
		Receive: func(e bot.Event) error { return a.dispatcher.Receive(e) },
		Log:     a.log,
	})
	if err != nil {
		return nil, err
	}
	a.wire(p)
	if a.control, err = controlSocket(c.path(c.Storage.Path)); err != nil {
		return nil, err
	}
	if a.public, err = net.Listen("tcp", c.HTTP.Listen); err != nil {
		return nil, fmt.Errorf("http.listen: %w: stop what uses the address, or give another", err)
	}
	return a, nil
}

// chatParts are what the chat's mechanisms stand on. Tests put decorators around them that die or fail.
type chatParts struct {
	events    bot.EventStore
	messages  bot.MessageStore
	transport bot.Transport
}

// wire joins the chat's mechanisms with the commands.
func (a *application) wire(p *program) {
	parts := chatParts{a.db.Events(), a.db.Messages(), a.transport}
	if p.decorate != nil {
		parts = p.decorate(parts)
	}
	sweeper := commands.NewSharedSweeper(a.clusters, a.sweep)
	a.outbox = bot.NewOutbox(bot.OutboxOptions{
		Messages: parts.messages, Transport: parts.transport, Split: a.transport.Split, Now: time.Now,
		Report: func(o bot.Outgoing, err error) {
			a.unsent(o, err, p.printer.CannotAnswerHere(), parts.transport)
		},
	})
	handler := commands.NewHandler(commands.HandlerOptions{
		Commands: commands.All(commands.Options{Printer: p.printer, Sweeper: sweeper, Limits: commands.NewLimits()}),
		Printer:  p.printer, Queue: a.outbox.Queue, Whisper: parts.transport.Whisper,
		Threads: threads{a.db.Conversations()}, Now: time.Now,
	})
	a.dispatcher = bot.NewDispatcher(bot.DispatcherOptions{
		Events: parts.events, Handler: handler, Queued: a.outbox.Wake, Now: time.Now, Pages: a.outbox.Pages,
		Report: func(e bot.Event, err error) { a.log.Error().Err(err).Str("event", e.Key).Msg("an event failed") },
	})
}

// run runs the bot until ctx ends, or until something fails that no waiting cures.
func (a *application) run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var parts sync.WaitGroup
	start := func(name string, part func(context.Context) error) {
		parts.Go(func() {
			if err := part(ctx); err != nil {
				stop(fmt.Errorf("%s: %w", name, err))
				return
			}
			stop(nil)
		})
	}
	start("chat", a.transport.Run)
	start("events", a.dispatcher.Run)
	start("messages", a.outbox.Run)
	start("http", a.serveHTTP(a.public, a.publicHandler()))
	start("control", a.serveHTTP(a.control, a.controlHandler()))
	start("pruning", a.prune)
	a.log.Info().Str("http", a.public.Addr().String()).Msg("the bot runs")
	<-ctx.Done()
	a.log.Info().Msg("the bot stops")
	stopped := make(chan struct{})
	go func() {
		parts.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(shutdownTime):
		return fmt.Errorf("stopping took longer than %s; what was under way is done by the next start", shutdownTime)
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// close lets go of what newApplication took.
func (a *application) close() {
	for _, l := range []net.Listener{a.public, a.control} {
		if l != nil {
			_ = l.Close() // serving has closed most of them already
		}
	}
	if a.db != nil {
		if err := a.db.Close(); err != nil {
			a.log.Error().Err(err).Msg("closing the database failed")
		}
	}
}

func (a *application) serveHTTP(l net.Listener, handler http.Handler) func(context.Context) error {
	return func(ctx context.Context) error {
		server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
			WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
		stop := context.AfterFunc(ctx, func() {
			grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
			defer cancel()
			_ = server.Shutdown(grace) // what does not end in time is cut off with the process
		})
		defer stop()
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}
}

// publicHandler serves /healthz, which says that the process lives, and /readyz, which says that people are heard.
func (a *application) publicHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		ready, why := a.transport.Ready()
		if !ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintln(w, why)
	})
	return mux
}

// controlHandler answers other processes of the same owner.
func (a *application) controlHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) {
		ready, why := a.transport.Ready()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{ // who asked has gone when this fails
			"pid": os.Getpid(), "version": buildVersion().Version, "since": a.since, "ready": ready, "chat": why,
		})
	})
	return mux
}
