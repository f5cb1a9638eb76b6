package present

import (
	"errors"
	"net/url"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/kube"
)

// Failure returns which failure it is and what to do next. now tells an expired certificate from one that is not valid yet.
func (p *Printer) Failure(f checks.Failure, now time.Time) string {
	var guard *kube.GuardError
	if errors.As(f.Err, &guard) && p.Has(ID("guard."+guard.Rule)) {
		return p.Text(ID("guard."+guard.Rule), Args{"value": guard.Value})
	}
	host := f.Host
	if host == "" {
		host = p.Text("failure.server-name", nil)
	}
	args := Args{"host": host, "detail": detail(f), "at": moment(f.At)}
	return p.Text(failureID(f, now), args)
}

func failureID(f checks.Failure, now time.Time) ID {
	switch {
	case f.Kind == checks.FailureCertificateExpired && (f.At.IsZero() || f.At.After(now)):
		return "failure.certificate-not-yet"
	case f.Kind == checks.FailureClientCertificate && !f.At.IsZero() && f.At.Before(now):
		return "failure.client-certificate-expired"
	case f.Kind == checks.FailureTokenExpired && f.At.IsZero():
		return "failure.unauthorized"
	case f.Kind == checks.FailureMalformed && f.Host == "":
		return "failure.malformed-record" // an object in the cluster, not the server's answer
	default:
		return ID("failure." + string(f.Kind))
	}
}

// detail returns the error's own words, without the request that net/http puts before them: the sentence names the host,
// and a query could hold a selector that nobody wants to read.
func detail(f checks.Failure) string {
	var request *url.Error
	if errors.As(f.Err, &request) {
		return request.Err.Error()
	}
	if f.Detail == "" {
		return string(f.Kind)
	}
	return f.Detail
}
