package sandbox

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// FaultKind names a way in which Slack, or the network before it, can fail.
type FaultKind string

// The faults. Those before the line concern calls of the Web API and response URLs, those after it Socket Mode.
const (
	FaultRateLimited FaultKind = "ratelimited"  // 429 with RetryAfter
	FaultServerError FaultKind = "server_error" // Status, 500 when it is not given, and no JSON
	FaultDropBefore  FaultKind = "drop_before"  // the connection breaks and nothing was done
	FaultDropAfter   FaultKind = "drop_after"   // it was done, and the connection breaks before the answer
	FaultHang        FaultKind = "hang"         // no answer for Delay; without Delay until the client gives up
	FaultInvalidAuth FaultKind = "invalid_auth" // the token is no longer taken

	FaultEnvelopeDrop      FaultKind = "envelope_drop"      // sent into the void
	FaultEnvelopeDelay     FaultKind = "envelope_delay"     // comes after Delay
	FaultEnvelopeDuplicate FaultKind = "envelope_duplicate" // comes twice
	FaultStorm             FaultKind = "storm"              // each connection is told to disconnect Delay after its hello
)

// faultResponseURL is the method name under which faults name calls of response URLs.
const faultResponseURL = "response_url"

// Fault is something to go wrong.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Method limits it to one Web API method, to "response_url", or to one type of envelope: slash_commands,
	// interactive, events_api. Empty means all.
	Method string `json:"method,omitempty"`
	Times  int    `json:"times,omitempty"` // how often; 0 means until it is cleared

	RetryAfter time.Duration    `json:"retry_after,omitempty"` // ratelimited; 1 s when not given
	Status     int              `json:"status,omitempty"`      // server_error
	Delay      time.Duration    `json:"delay,omitempty"`       // hang, envelope_delay, storm
	Reason     DisconnectReason `json:"reason,omitempty"`      // storm; refresh_requested when not given
}

func (f Fault) reason() DisconnectReason {
	if f.Reason == "" {
		return DisconnectRefreshRequested
	}
	return f.Reason
}

// Faults are the faults in force. Its methods may be called from any goroutine.
type Faults struct {
	disconnect func(DisconnectReason) int

	mu     sync.Mutex
	active []Fault
}

func newFaults() *Faults { return &Faults{} }

// Inject adds a fault. It stays until it has happened Times times, or is cleared.
func (f *Faults) Inject(fault Fault) error {
	if !slices.Contains(faultKinds(), fault.Kind) {
		return fmt.Errorf("sandbox: unknown fault %q", fault.Kind)
	}
	if fault.Times < 0 || fault.Delay < 0 || fault.RetryAfter < 0 {
		return fmt.Errorf("sandbox: fault %s: negative number", fault.Kind)
	}
	if fault.Reason != "" && !fault.Reason.valid() {
		return fmt.Errorf("sandbox: unknown disconnect reason %q", fault.Reason)
	}
	if fault.Status != 0 && (fault.Status < 500 || fault.Status > 599) {
		return fmt.Errorf("sandbox: status %d is not a server error", fault.Status)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = append(f.active, fault)
	return nil
}

// Clear ends all faults.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = nil
}

// Active returns the faults in force.
func (f *Faults) Active() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.active)
}

// Disconnect ends all Socket Mode connections for a reason now and returns how many there were.
func (f *Faults) Disconnect(reason DisconnectReason) (int, error) {
	if !reason.valid() {
		return 0, fmt.Errorf("sandbox: unknown disconnect reason %q", reason)
	}
	return f.disconnect(reason), nil
}

// take uses a fault of this kind up once, if one is in force for the method.
func (f *Faults) take(kind FaultKind, method string) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, fault := range f.active {
		if fault.Kind != kind || fault.Method != "" && fault.Method != method {
			continue
		}
		switch fault.Times {
		case 0:
		case 1:
			f.active = slices.Delete(slices.Clone(f.active), i, i+1)
		default:
			f.active[i].Times--
		}
		return fault, true
	}
	return Fault{}, false
}

func faultKinds() []FaultKind {
	return []FaultKind{
		FaultRateLimited, FaultServerError, FaultDropBefore, FaultDropAfter, FaultHang, FaultInvalidAuth,
		FaultEnvelopeDrop, FaultEnvelopeDelay, FaultEnvelopeDuplicate, FaultStorm,
	}
}
