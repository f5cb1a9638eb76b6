package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"stuckbot/commands/present"
)

// Promise 8: no token reaches the log, whoever logs it and however the log looks.
func TestLogsHoldNoTokens(t *testing.T) {
	const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJib3QifQ.c2lnbmF0dXJl"
	secret := `a "quoted" known secret`
	for name, terminal := range map[string]bool{"JSON": false, "console": true} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			p := newProgram(nil, io.Discard, &b, lookupIn(nil))
			p.progress, p.logLevel = terminal, "debug"
			p.redactor.Add(secret)
			if err := p.startLog(); err != nil {
				t.Fatal(err)
			}
			p.log.Info().Str("header", "Authorization: Bearer "+jwt).Str("slack", "xoxb-1-2-abc").Msg("known: " + secret)
			p.log.Error().Err(errors.New("Get with xapp-1-A-2-b failed: "+jwt)).Strs("list", []string{"Bearer " + jwt}).Send()
			klog := libraryLogger(p.log)
			klog.Info("request", "headers", map[string][]string{"Authorization": {"Basic dXNlcjpwYXNz"}})
			klog.Error(errors.New(secret), "token "+jwt)
			klog.V(4).Info("chatter")
			got := b.String()
			for _, leak := range []string{"eyJ", "xoxb-", "xapp-", "dXNl", "known secret"} {
				if strings.Contains(got, leak) {
					t.Errorf("%q is in the log:\n%s", leak, got)
				}
			}
			if strings.Contains(got, "chatter") {
				t.Error("client-go's chatter is in the log")
			}
			if n := strings.Count(got, present.Redacted); n < 7 {
				t.Errorf("only %d values were taken out:\n%s", n, got)
			}
		})
	}
}

func TestLogLevels(t *testing.T) {
	var b strings.Builder
	p := newProgram(nil, io.Discard, &b, lookupIn(nil))
	p.logLevel = "ERROR"
	if err := p.startLog(); err != nil {
		t.Fatal(err)
	}
	p.log.Warn().Msg("quiet")
	p.log.Error().Msg("loud")
	if got := b.String(); strings.Contains(got, "quiet") || !strings.Contains(got, "loud") {
		t.Error(got)
	}
}
