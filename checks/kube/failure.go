package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"stuckbot/checks"
)

// failure classifies an error of the transport or the API server; nil stays nil.
func (c *Client) failure(err error) error {
	if err == nil {
		return nil
	}
	var already *checks.Failure
	if errors.As(err, &already) {
		return err
	}
	kind := classify(err)
	now := time.Now()
	if kind == checks.FailureUnauthorized || kind == checks.FailureTLS {
		switch {
		case expired(c.hint.tokenExpired, now):
			kind = checks.FailureTokenExpired
		case expired(c.hint.certificateExpired, now):
			kind = checks.FailureClientCertificate
		}
	}
	f := &checks.Failure{Kind: kind, Host: hostOf(c.base), Detail: err.Error(), Err: err}
	switch kind {
	case checks.FailureTokenExpired:
		f.At = c.hint.tokenExpired.UTC()
	case checks.FailureClientCertificate:
		f.At = c.hint.certificateExpired.UTC()
	case checks.FailureCertificateExpired:
		var invalid x509.CertificateInvalidError
		if errors.As(err, &invalid) && invalid.Cert != nil {
			f.At = invalid.Cert.NotAfter.UTC()
		}
	}
	return f
}

func expired(at, now time.Time) bool { return !at.IsZero() && at.Before(now) }

func classify(err error) checks.FailureKind {
	if kind := classifyStatus(err); kind != checks.FailureUnknown {
		return kind
	}
	if kind := classifyTLS(err); kind != checks.FailureUnknown {
		return kind
	}
	var dns *net.DNSError
	var timeout net.Error
	var op *net.OpError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &dns) && !dns.IsTimeout:
		return checks.FailureDNS
	case errors.Is(err, context.Canceled):
		return checks.FailureNotTried
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return checks.FailureTimeout
	case errors.As(err, &timeout) && timeout.Timeout():
		return checks.FailureTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return checks.FailureRefused
	case errors.As(err, &op), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return checks.FailureNetwork
	case errors.As(err, &syntax):
		return checks.FailureMalformed
	default:
		return checks.FailureUnknown
	}
}

func classifyStatus(err error) checks.FailureKind {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return checks.FailureUnknown
	}
	switch {
	case apierrors.IsUnauthorized(err):
		return checks.FailureUnauthorized
	case apierrors.IsForbidden(err):
		return checks.FailureForbidden
	case apierrors.IsNotFound(err):
		return checks.FailureNotFound
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return checks.FailureExpired
	case apierrors.IsTooManyRequests(err), apierrors.IsServiceUnavailable(err):
		return checks.FailureOverloaded
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), status.Status().Code == http.StatusGatewayTimeout:
		return checks.FailureTimeout
	default:
		return checks.FailureServer
	}
}

func classifyTLS(err error) checks.FailureKind {
	var untrusted x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var hostname x509.HostnameError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &untrusted):
		return checks.FailureUntrusted
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return checks.FailureCertificateExpired
	case errors.As(err, &hostname):
		return checks.FailureCertificateName
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &verification), errors.As(err, &invalid), errors.As(err, &record), errors.As(err, &alert):
		return checks.FailureTLS
	default:
		return checks.FailureUnknown
	}
}
