package checks

import (
	"errors"
	"time"
)

// FailureKind says in which way reading failed, so that people are told what to do about it.
type FailureKind string

// The kinds of failure that are told apart.
const (
	// FailureTimeout: the server accepted the connection or swallowed the packets, and no answer came in time.
	FailureTimeout FailureKind = "timeout"
	// FailureRefused: nothing listens at the address.
	FailureRefused FailureKind = "refused"
	// FailureDNS: the server's name does not resolve.
	FailureDNS FailureKind = "dns"
	// FailureNetwork: another network error, such as a reset or an unreachable route.
	FailureNetwork FailureKind = "network"
	// FailureUntrusted: the server's certificate is signed by an authority the kubeconfig does not trust.
	FailureUntrusted FailureKind = "certificate-untrusted"
	// FailureCertificateExpired: the server's certificate has expired, or is not valid yet.
	FailureCertificateExpired FailureKind = "certificate-expired"
	// FailureCertificateName: the server's certificate is for another name.
	FailureCertificateName FailureKind = "certificate-name"
	// FailureClientCertificate: the client certificate of the kubeconfig has expired or was refused.
	FailureClientCertificate FailureKind = "client-certificate"
	// FailureTLS: another failure of the TLS handshake.
	FailureTLS FailureKind = "tls"
	// FailureUnauthorized: the server answered 401: the token or certificate is unknown, expired or revoked.
	FailureUnauthorized FailureKind = "unauthorized"
	// FailureTokenExpired: the server answered 401 and the token itself says that it has expired.
	FailureTokenExpired FailureKind = "token-expired"
	// FailureForbidden: the server answered 403: the account is known and lacks the permission.
	FailureForbidden FailureKind = "forbidden"
	// FailureNotFound: the object or the kind does not exist.
	FailureNotFound FailureKind = "not-found"
	// FailureOverloaded: the server answered 429 or 503, also after the retries.
	FailureOverloaded FailureKind = "overloaded"
	// FailureExpired: a list took so long that its continue token expired (410).
	FailureExpired FailureKind = "expired"
	// FailureServer: another error status of the server.
	FailureServer FailureKind = "server"
	// FailureMalformed: the answer could not be decoded.
	FailureMalformed FailureKind = "malformed"
	// FailureNotTried: the time was up before it was tried.
	FailureNotTried FailureKind = "not-tried"
	// FailureTooMany: more than the program keeps.
	FailureTooMany FailureKind = "too-many"
	// FailureConfig: the client could not be built from the configuration.
	FailureConfig FailureKind = "config"
	// FailureUnknown: none of the above.
	FailureUnknown FailureKind = "unknown"
)

// Unreachable reports whether a failure of this kind means that the cluster as a whole cannot be read.
func (k FailureKind) Unreachable() bool {
	switch k {
	case FailureTimeout, FailureRefused, FailureDNS, FailureNetwork, FailureUntrusted, FailureCertificateExpired,
		FailureCertificateName, FailureClientCertificate, FailureTLS, FailureUnauthorized,
		FailureTokenExpired, FailureConfig:
		return true
	default:
		return false
	}
}

// Failure is a failed read: its kind and the error's own words, which may come from a cluster and are untrusted text.
type Failure struct {
	Kind FailureKind
	// Host is the address that was asked, without path, user or query; empty where it does not matter.
	Host string
	// Detail is the original message.
	Detail string
	// At is when the certificate or token expired; zero for other kinds and where that is not known.
	At time.Time
	// Err is the original error, for errors.Is and errors.As; nil for a failure that was read from a bundle or the store.
	Err error
}

// Error implements error for programmers; people read the catalogue's sentence instead.
func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Detail }

// Unwrap returns the original error.
func (f *Failure) Unwrap() error { return f.Err }

// KindOf returns the kind of the first Failure in err's chain, or FailureUnknown.
func KindOf(err error) FailureKind {
	var f *Failure
	if errors.As(err, &f) {
		return f.Kind
	}
	return FailureUnknown
}

// AsFailure returns the first Failure in err's chain, or wraps err as FailureUnknown.
func AsFailure(err error) Failure {
	var f *Failure
	if errors.As(err, &f) {
		return *f
	}
	return Failure{Kind: FailureUnknown, Detail: err.Error(), Err: err}
}
