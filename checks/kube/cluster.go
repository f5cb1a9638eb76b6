package kube

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"stuckbot/checks"
)

// Cluster is one API server that the program may read.
type Cluster struct {
	Name string
	// Origin says where the cluster was found, for people.
	Origin string
	Labels map[string]string
	// Namespaces are read one by one where all of them may not be read at once.
	Namespaces []string

	config  *rest.Config
	refused error
	client  ClientOptions
}

// ClientOptions bound what one client may do to its server, and how long the server may take.
type ClientOptions struct {
	// UserAgent names the program in the server's audit log.
	UserAgent string
	// DialTimeout bounds connecting and the TLS handshake, each; ResponseTimeout the time until an answer begins.
	DialTimeout, ResponseTimeout time.Duration
	// QPS and Burst bound the requests to one server.
	QPS   float32
	Burst int
	// Connections bounds the open connections to one server.
	Connections int
}

func (o ClientOptions) withDefaults() ClientOptions {
	if o.UserAgent == "" {
		o.UserAgent = "stuckbot"
	}
	if o.DialTimeout == 0 {
		o.DialTimeout = 5 * time.Second
	}
	if o.ResponseTimeout == 0 {
		o.ResponseTimeout = 15 * time.Second
	}
	if o.QPS == 0 {
		o.QPS = 50
	}
	if o.Burst == 0 {
		o.Burst = 100
	}
	if o.Connections == 0 {
		o.Connections = 8
	}
	return o
}

// Connect builds a client without talking to the server. The caller closes it.
func (c *Cluster) Connect() (*Client, error) {
	if c.refused != nil {
		return nil, &checks.Failure{Kind: checks.FailureConfig, Detail: c.refused.Error(), Err: c.refused}
	}
	o := c.client.withDefaults()
	config := rest.CopyConfig(c.config)
	config.UserAgent = o.UserAgent
	config.QPS, config.Burst = o.QPS, o.Burst
	config.WarningHandler = rest.NoWarnings{}
	httpClient, closeIdle, err := newHTTPClient(config, o)
	if err != nil {
		return nil, c.configFailure(err)
	}
	client := &Client{base: config.Host, http: httpClient, closeIdle: closeIdle, hint: credentialHint(config)}
	if client.metadata, err = metadata.NewForConfigAndClient(metadata.ConfigFor(config), httpClient); err != nil {
		return nil, c.configFailure(err)
	}
	if client.dynamic, err = dynamic.NewForConfigAndClient(dynamic.ConfigFor(config), httpClient); err != nil {
		return nil, c.configFailure(err)
	}
	if client.discovery, err = discovery.NewDiscoveryClientForConfigAndClient(config, httpClient); err != nil {
		return nil, c.configFailure(err)
	}
	return client, nil
}

func (c *Cluster) configFailure(err error) error {
	return &checks.Failure{Kind: checks.FailureConfig, Detail: err.Error(), Err: err}
}

// newHTTPClient makes a transport of our own. client-go's are kept in a process-wide cache for ever, which a sweep over a
// thousand clusters would fill.
func newHTTPClient(config *rest.Config, o ClientOptions) (*http.Client, func(), error) {
	tlsConfig, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, nil, err
	}
	rt := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer(o.DialTimeout),
		TLSClientConfig:       tlsConfig,
		TLSHandshakeTimeout:   o.DialTimeout,
		ResponseHeaderTimeout: o.ResponseTimeout,
		MaxConnsPerHost:       o.Connections,
		MaxIdleConnsPerHost:   o.Connections,
		IdleConnTimeout:       90 * time.Second,
		ForceAttemptHTTP2:     true,
	}
	if config.Proxy != nil {
		rt.Proxy = config.Proxy
	}
	if config.Dial != nil {
		rt.DialContext = config.Dial
	}
	wrapped, err := rest.HTTPWrappersForConfig(config, rt)
	if err != nil {
		return nil, nil, err
	}
	// A redirect could carry the token to another host.
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: wrapped, CheckRedirect: refuse}, rt.CloseIdleConnections, nil
}

// credential is what a kubeconfig itself says about the end of its credential; it explains a 401.
type credential struct {
	tokenExpired, certificateExpired time.Time
}

// credentialHint reads the expiry of a token that is a JWT, and of a client certificate. Nothing is verified: it only
// chooses the sentence that people read.
func credentialHint(config *rest.Config) credential {
	var hint credential
	token := config.BearerToken
	if config.BearerTokenFile != "" {
		if data, err := os.ReadFile(config.BearerTokenFile); err == nil {
			token = string(data)
		}
	}
	var claims jwt.RegisteredClaims
	if _, _, err := jwt.NewParser().ParseUnverified(token, &claims); err == nil && claims.ExpiresAt != nil {
		hint.tokenExpired = claims.ExpiresAt.Time
	}
	data := config.CertData
	if config.CertFile != "" {
		data, _ = os.ReadFile(config.CertFile) // a missing file has already failed in TLSConfigFor
	}
	if block, _ := pem.Decode(data); block != nil {
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil {
			hint.certificateExpired = cert.NotAfter
		}
	}
	return hint
}

func hostOf(base string) string {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		return u.Host
	}
	return base
}
