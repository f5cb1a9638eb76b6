package sandbox

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// before lets a call go wrong before anything is done. It returns true when the call is answered.
func (f *Faults) before(w http.ResponseWriter, r *http.Request, method string) bool {
	if fault, ok := f.take(FaultHang, method); ok {
		// The server notices that the client has gone only once the body is read.
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		hang(r, fault.Delay)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if _, ok := f.take(FaultDropBefore, method); ok {
		panic(http.ErrAbortHandler)
	}
	if fault, ok := f.take(FaultRateLimited, method); ok {
		if fault.RetryAfter == 0 {
			fault.RetryAfter = time.Second
		}
		answer{err: &Error{Code: "ratelimited", RetryAfter: fault.RetryAfter}}.write(w)
		return true
	}
	if fault, ok := f.take(FaultServerError, method); ok {
		if fault.Status == 0 {
			fault.Status = http.StatusInternalServerError
		}
		http.Error(w, "<html><body>"+http.StatusText(fault.Status)+"</body></html>", fault.Status)
		return true
	}
	return false
}

// after lets the answer of a call that was done get lost.
func (f *Faults) after(_ *http.Request, method string) {
	if _, ok := f.take(FaultDropAfter, method); ok {
		panic(http.ErrAbortHandler)
	}
}

// hang waits for the delay, or until the client has gone when there is none; then the connection is of no use.
func hang(r *http.Request, delay time.Duration) {
	if delay == 0 {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	t := time.NewTimer(delay)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

func (f *Faults) invalidAuth(method string) bool {
	_, ok := f.take(FaultInvalidAuth, method)
	return ok
}

// delivery says how an envelope travels.
type delivery struct {
	copies int
	delay  time.Duration
}

func (f *Faults) envelope(kind string) delivery {
	if _, ok := f.take(FaultEnvelopeDrop, kind); ok {
		return delivery{}
	}
	d := delivery{copies: 1}
	if _, ok := f.take(FaultEnvelopeDuplicate, kind); ok {
		d.copies = 2
	}
	if fault, ok := f.take(FaultEnvelopeDelay, kind); ok {
		d.delay = fault.Delay
	}
	return d
}

func (f *Faults) storm() (Fault, bool) { return f.take(FaultStorm, "") }
