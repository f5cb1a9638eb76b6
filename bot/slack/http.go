package slack

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	sdk "github.com/slack-go/slack"
)

const (
	dialTimeout    = 10 * time.Second
	requestTimeout = 30 * time.Second
	// maxAnswer bounds an answer of the Web API. A page of history is a few hundred kilobytes.
	maxAnswer = 16 << 20
)

// httpClient returns a client with timeouts that follows no redirects: they would carry the token elsewhere.
func httpClient(given *http.Client) *http.Client {
	c := http.Client{Timeout: requestTimeout}
	if given != nil {
		c = *given
		if c.Timeout == 0 {
			c.Timeout = requestTimeout
		}
	} else {
		tr := http.DefaultTransport.(*http.Transport).Clone()
		tr.DialContext = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
		tr.TLSHandshakeTimeout = dialTimeout
		tr.ResponseHeaderTimeout = requestTimeout
		c.Transport = tr
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// dialer opens web sockets the way the client opens its connections.
func dialer(c *http.Client) *websocket.Dialer {
	d := &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: dialTimeout}
	if tr, ok := c.Transport.(*http.Transport); ok {
		d.Proxy, d.NetDialContext = tr.Proxy, tr.DialContext
		if tr.TLSClientConfig != nil {
			d.TLSClientConfig = tr.TLSClientConfig.Clone()
			d.TLSClientConfig.NextProtos = nil // HTTP/2 knows no web sockets
		} else {
			d.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		}
	}
	return d
}

// traced returns a context that notes whether a request made with it left this machine.
func traced(ctx context.Context) (context.Context, *atomic.Bool) {
	var sent atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		// A request that was written in part may have arrived whole: headers are the first of it.
		WroteHeaders: func() { sent.Store(true) },
	}), &sent
}

// call makes a Web API call whose answer slack-go would read too strictly: one message of someone else that it cannot
// decode must not keep the bot from finding its own.
func (t *Transport) call(ctx context.Context, method string, args url.Values, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.base.String()+method, strings.NewReader(args.Encode()))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+t.o.BotToken)
	resp, err := t.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return statusError(resp)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	var answer sdk.SlackResponse
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if !answer.Ok {
		return sdk.SlackErrorResponse{Err: answer.Error, Needed: answer.Needed, Provided: answer.Provided}
	}
	return json.Unmarshal(raw, out)
}

// statusError is what slack-go makes of an answer that is not 200.
func statusError(resp *http.Response) error {
	if resp.StatusCode == http.StatusTooManyRequests {
		return &sdk.RateLimitedError{RetryAfter: retryAfter(resp.Header)}
	}
	return sdk.StatusCodeError{Code: resp.StatusCode, Status: resp.Status}
}
