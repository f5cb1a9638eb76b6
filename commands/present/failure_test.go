package present

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/kube"
	"stuckbot/commands/present/presenttest"
)

func TestFailuresSayWhichOneItIsAndWhatToDoGolden(t *testing.T) {
	p := newPrinter(t)
	past, future := now.Add(-49*time.Hour), now.Add(72*time.Hour)
	failures := []checks.Failure{}
	for _, kind := range found(t, "../../checks", `FailureKind = "([a-z-]+)"`) {
		failures = append(failures, checks.Failure{Kind: checks.FailureKind(kind), Host: "10.1.0.9:6443", Detail: "the error's own words"})
	}
	failures = append(failures,
		checks.Failure{Kind: checks.FailureMalformed, Detail: "neither the label version nor the name ends in a number"},
		checks.Failure{Kind: checks.FailureCertificateExpired, Host: "10.1.0.9:6443", At: past},
		checks.Failure{Kind: checks.FailureCertificateExpired, Host: "10.1.0.9:6443", At: future},
		checks.Failure{Kind: checks.FailureClientCertificate, Host: "10.1.0.9:6443", At: past},
		checks.Failure{Kind: checks.FailureTokenExpired, Host: "10.1.0.9:6443", At: past},
	)
	for _, g := range []kube.GuardError{{Rule: "exec", Value: "aws"}, {Rule: "auth-provider", Value: "gcp"},
		{Rule: "insecure", Value: "https://10.1.0.9:6443"}, {Rule: "outside-file", Value: "/etc/kubernetes/pki/ca.crt"}, {Rule: "new-rule", Value: "x"}} {
		failures = append(failures, checks.Failure{Kind: checks.FailureConfig, Detail: g.Error(), Err: &g})
	}
	var b strings.Builder
	for _, f := range failures {
		text := p.Failure(f, now)
		if strings.Contains(text, "{") {
			t.Errorf("%s: a placeholder is left in %q", f.Kind, text)
		}
		fmt.Fprintf(&b, "%-22s %s\n", f.Kind, text)
	}
	presenttest.Golden(t, "present/failures.txt", b.String())
}

func TestFailureQuotesTheErrorWithoutTheRequest(t *testing.T) {
	p := newPrinter(t)
	err := fmt.Errorf("wrapped: %w", &url.Error{Op: "Get", URL: "https://10.1.0.9/api/v1/secrets?labelSelector=owner%3Dhelm",
		Err: x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"a.example", "b.example"}}, Host: "10.1.0.9"}})
	got := p.Failure(checks.Failure{Kind: checks.FailureCertificateName, Host: "10.1.0.9", Detail: err.Error(), Err: err}, now)
	if strings.Contains(got, "labelSelector") {
		t.Errorf("the request is quoted: %s", got)
	}
}

func TestFailureOfABundleNeedsNoError(t *testing.T) {
	got := newPrinter(t).Failure(checks.Failure{Kind: checks.FailureServer}, now)
	if !strings.Contains(got, "the API server answered with an error (server)") {
		t.Error(got)
	}
}

func TestFailureBoundsAndCleansWhatAServerSays(t *testing.T) {
	long := "\x1b[2J\u202e" + strings.Repeat("x", 100_000)
	got := newPrinter(t).Failure(checks.Failure{Kind: checks.FailureServer, Host: "h", Detail: long, Err: errors.New(long)}, now)
	if len(got) > 2*maxText || strings.ContainsAny(got, "\x1b\u202e") {
		t.Errorf("%d bytes: %.80q", len(got), got)
	}
}
