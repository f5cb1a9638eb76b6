package main

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stuckbot/commands/present/presenttest"
)

// Server errors of TLS handshakes that a test provokes are no news.
func quiet() *stdlog.Logger { return stdlog.New(io.Discard, "", 0) }

var (
	address = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	took    = regexp.MustCompile(`\b\d+(\.\d)? (ms|s)\b`)
	spaces  = regexp.MustCompile(`(\S) {2,}`)
	port    = regexp.MustCompile(`127\.0\.0\.1:PORT->127\.0\.0\.1:PORT`)
)

// stable replaces what differs from run to run.
func stable(text, dir string) string {
	text = strings.ReplaceAll(text, dir, "DIR")
	text = address.ReplaceAllString(text, "127.0.0.1:PORT")
	text = port.ReplaceAllString(text, "127.0.0.1:PORT")
	return spaces.ReplaceAllString(took.ReplaceAllString(text, "N s"), "$1  ")
}

// jwt makes a token that says when it expires; nobody verifies it.
func jwt(expires time.Time) string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return part(`{"alg":"RS256"}`) + "." + part(fmt.Sprintf(`{"exp":%d}`, expires.Unix())) + "." + part("signature")
}

// Each way in which a cluster refuses says which one it is and what to do next, through the whole program.
func TestRefusalsGolden(t *testing.T) {
	long := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	a, other := newAuthority(t), newAuthority(t)
	fine := start(t, a, nil, &fakeServer{})
	expired, wrongName := a.issue(t, "", long), a.issue(t, "api.prod.example", time.Now().Add(time.Hour))
	answer := func(handler http.HandlerFunc) string { return start(t, a, nil, &fakeServer{answer: handler}).URL }
	status := func(code int, reason, message string) string {
		return answer(func(w http.ResponseWriter, _ *http.Request) { failure(w, code, reason, message) })
	}
	unauthorized := status(http.StatusUnauthorized, "Unauthorized", "Unauthorized")
	token := jwt(long)
	for name, c := range map[string]struct {
		k       kubeconfig
		guarded bool
	}{
		"hanging":                    {k: kubeconfig{server: hanging(t), ca: a.pem()}},
		"refused":                    {k: kubeconfig{server: "https://" + freePort(t), ca: a.pem()}},
		"dns":                        {k: kubeconfig{server: "https://no-such-host.invalid:6443", ca: a.pem()}},
		"certificate-untrusted":      {k: kubeconfig{server: fine.URL, ca: other.pem()}},
		"certificate-expired":        {k: kubeconfig{server: start(t, a, &expired, &fakeServer{}).URL, ca: a.pem()}},
		"certificate-name":           {k: kubeconfig{server: start(t, a, &wrongName, &fakeServer{}).URL, ca: a.pem()}},
		"no-tls":                     {k: kubeconfig{server: plain(t), ca: a.pem()}},
		"unauthorized":               {k: kubeconfig{server: unauthorized, ca: a.pem()}},
		"token-expired":              {k: kubeconfig{server: unauthorized, ca: a.pem(), user: "    token: " + token + "\n"}},
		"client-certificate-expired": {k: kubeconfig{server: unauthorized, ca: a.pem(), user: clientCertificate(t, a, long)}},
		"forbidden": {k: kubeconfig{server: start(t, a, nil, &fakeServer{records: records(),
			forbidden: map[string]bool{"list secrets": true, "list configmaps": true, "list namespaces": true}}).URL, ca: a.pem()}},
		"overloaded": {k: kubeconfig{server: status(http.StatusServiceUnavailable, "ServiceUnavailable", "apiserver is shutting down"), ca: a.pem()}},
		"server":     {k: kubeconfig{server: status(http.StatusInternalServerError, "InternalError", "etcd \x1b[31mleader changed, Authorization: Bearer "+token), ca: a.pem()}},
		"malformed":  {k: kubeconfig{server: answer(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>login</html>") }), ca: a.pem()}},
		"redirect": {k: kubeconfig{server: answer(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://login.example/", http.StatusFound)
		}), ca: a.pem()}},
		"missing-ca":  {k: kubeconfig{server: fine.URL, cluster: "    certificate-authority: /no/such/ca.crt\n"}},
		"exec-failed": {k: kubeconfig{server: fine.URL, ca: a.pem(), user: execUser("no-such-command")}},

		"guard-exec":          {k: kubeconfig{server: fine.URL, ca: a.pem(), user: execUser("aws")}, guarded: true},
		"guard-auth-provider": {k: kubeconfig{server: fine.URL, ca: a.pem(), user: "    auth-provider: {name: gcp}\n"}, guarded: true},
		"guard-insecure":      {k: kubeconfig{server: fine.URL, cluster: "    insecure-skip-tls-verify: true\n"}, guarded: true},
		"guard-outside-file":  {k: kubeconfig{server: fine.URL, cluster: "    certificate-authority: /etc/kubernetes/pki/ca.crt\n"}, guarded: true},
	} {
		t.Run(name, func(t *testing.T) {
			file := writeConfig(t, map[string]kubeconfig{"prod": c.k}, "", "")
			r := execute(t, nil, "sweep", "--config", file, "--cluster-timeout", "1s", fmt.Sprintf("--guarded=%v", c.guarded))
			if r.code != exitPartial {
				t.Errorf("exit status %d", r.code)
			}
			if strings.Contains(r.stdout+r.stderr, token) || strings.Contains(r.stdout, "\x1b") {
				t.Error("promise 8: the token, or an escape sequence, is shown")
			}
			presenttest.Golden(t, "refusals/"+name+".txt", stable(r.stdout+r.stderr, filepath.Dir(file)))
		})
	}
}

// hanging accepts connections and says nothing.
func hanging(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return "https://" + l.Addr().String()
}

// freePort is an address at which nothing listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return address
}

// plain speaks HTTP where HTTPS is expected.
func plain(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(&fakeServer{})
	t.Cleanup(server.Close)
	return "https://" + server.Listener.Addr().String()
}

func clientCertificate(t *testing.T, a *authority, notAfter time.Time) string {
	t.Helper()
	cert := a.issue(t, "", notAfter)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, der []byte) string {
		return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return "    client-certificate-data: " + encode("CERTIFICATE", cert.Certificate[0]) + "\n    client-key-data: " + encode("PRIVATE KEY", key) + "\n"
}

func execUser(command string) string {
	return "    exec: {apiVersion: client.authentication.k8s.io/v1, command: " + command + ", interactiveMode: Never}\n"
}

// records are releases of which one is stuck, one is being upgraded and one failed.
func records() map[string][]record {
	now := time.Now()
	return map[string][]record{
		"payments": {
			{"checkout", 13, "deployed", now.Add(-50 * time.Hour)},
			{"checkout", 14, "pending-upgrade", now.Add(-49*time.Hour - 30*time.Minute)},
			{"ledger", 3, "deployed", now.Add(-time.Hour)},
		},
		"web": {
			{"shop", 1, "superseded", now.Add(-9 * time.Hour)},
			{"shop", 2, "failed", now.Add(-8*time.Hour - 30*time.Second)},
			{"gateway", 5, "deployed", now.Add(-3 * time.Hour)},
			{"gateway", 6, "pending-upgrade", now.Add(-2*time.Minute - 30*time.Second)},
		},
	}
}

func TestKubeconfigsThatDoNotLoadGolden(t *testing.T) {
	for name, c := range map[string]struct{ kubeconfig, entry string }{
		"missing":         {"", ""},
		"no-yaml":         {"{", ""},
		"no-contexts":     {"apiVersion: v1\nkind: Config\n", ""},
		"unknown-context": {"apiVersion: v1\nkind: Config\ncontexts: [{name: prod-eu, context: {cluster: c}}]\n", ", contexts: [prod-us]"},
		"name-of-an-arn":  {"apiVersion: v1\nkind: Config\ncontexts: [{name: \"arn:aws:eks:eu-west-1:1234:cluster/Prod_EU\", context: {cluster: c}}]\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := writeConfig(t, nil, c.entry, "")
			path := filepath.Join(filepath.Dir(file), "kubeconfig")
			if c.kubeconfig == "" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else {
				writeFile(t, path, c.kubeconfig)
			}
			r := execute(t, nil, "sweep", "--config", file)
			if r.code != exitFailed || r.stdout != "" {
				t.Errorf("exit status %d, %s", r.code, r.stdout)
			}
			presenttest.Golden(t, "refusals/kubeconfig-"+name+".txt", stable(r.stderr, filepath.Dir(file)))
		})
	}
}
