package main

import (
	"fmt"
	stdlog "log"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/rs/zerolog"
	"k8s.io/klog/v2"
)

// startLog makes the logger: lines for people on a terminal, JSON elsewhere. p.stderr takes secrets out of both.
func (p *program) startLog() error {
	level, err := zerolog.ParseLevel(strings.ToLower(p.logLevel))
	if err != nil || level == zerolog.NoLevel {
		return fmt.Errorf("--log-level %q is none: give debug, info, warn or error", p.logLevel)
	}
	w := p.stderr
	if p.progress {
		w = zerolog.ConsoleWriter{Out: p.stderr, NoColor: !p.screen.Color, TimeFormat: time.TimeOnly}
	}
	p.log = zerolog.New(w).Level(level).With().Timestamp().Logger()
	if p.libraries != nil {
		p.libraries(p.log)
	}
	return nil
}

// routeLibraryLogs sends what client-go and the standard library log through our log, and with it through the filter that
// takes secrets out. Their destinations belong to the process: only main calls it.
func routeLibraryLogs(log zerolog.Logger) {
	klog.SetLogger(libraryLogger(log))
	stdlog.SetFlags(0)
	stdlog.SetOutput(log.With().Str("from", "library").Logger())
}

// libraryLogger keeps client-go's errors and warnings and drops its chatter.
func libraryLogger(log zerolog.Logger) logr.Logger {
	return funcr.New(func(prefix, args string) {
		log.Warn().Str("from", strings.TrimSpace("client-go "+prefix)).Msg(args)
	}, funcr.Options{Verbosity: 0})
}
