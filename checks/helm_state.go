package checks

import (
	"strconv"
	"time"
)

// Reasons that HelmState gives.
const (
	ReasonHelmDeployed         ReasonID = "helm-deployed"
	ReasonHelmFailed           ReasonID = "helm-failed"
	ReasonHelmPending          ReasonID = "helm-pending"
	ReasonHelmPendingInstall   ReasonID = "helm-pending-install"
	ReasonHelmUninstalling     ReasonID = "helm-uninstalling"
	ReasonHelmInProgress       ReasonID = "helm-in-progress"
	ReasonHelmUninstalled      ReasonID = "helm-uninstalled"
	ReasonHelmSupersededHead   ReasonID = "helm-superseded-head"
	ReasonHelmStatusUnknown    ReasonID = "helm-status-unknown"
	ReasonHelmStatusUnreadable ReasonID = "helm-payload-unreadable"
	ReasonHelmLabelEdited      ReasonID = "helm-label-edited"
)

// HelmThresholds are the waiting times that turn an operation into a stuck one.
type HelmThresholds struct {
	// StuckAfter is how long a head may be pending without a sign of life before it is reported. It permits no remedy.
	StuckAfter time.Duration
}

// HelmState concludes a release's state from its records. now is the cluster's clock. Only the head counts: an older
// pending record below a healthy head is history (H1).
//
// Pending is not stuck (promise 9): until StuckAfter has passed since the last sign of life the operation counts as alive,
// which is Upgrading. A time in the future, as after a jump of the server's clock, is a sign of life. Where no time is known
// at all nothing speaks for a living operation.
func HelmState(f HelmFacts, t HelmThresholds, now time.Time) (State, Reason) {
	head := f.Head
	args := map[string]string{
		"status":   string(head.Status()),
		"label":    string(head.Label),
		"head":     strconv.Itoa(head.Version),
		"deployed": strconv.Itoa(f.Deployed),
	}
	if head.DecodeError != "" {
		args["error"] = head.DecodeError
		return Unknown, Reason{ReasonHelmStatusUnreadable, args}
	}
	switch status := head.Status(); {
	case status.Locks():
		return lockedHelmState(f, t, now, args)
	case status == HelmFailed:
		return Failed, Reason{ReasonHelmFailed, args}
	case status == HelmDeployed:
		if head.Label != HelmDeployed {
			return Active, Reason{ReasonHelmLabelEdited, args}
		}
		return Active, Reason{ReasonHelmDeployed, args}
	case status == HelmUninstalled:
		return Active, Reason{ReasonHelmUninstalled, args}
	case status == HelmSuperseded:
		return Unknown, Reason{ReasonHelmSupersededHead, args}
	default:
		return Unknown, Reason{ReasonHelmStatusUnknown, args}
	}
}

func lockedHelmState(f HelmFacts, t HelmThresholds, now time.Time, args map[string]string) (State, Reason) {
	head := f.Head
	life := head.Created
	if head.Written.After(life) {
		life = head.Written
	}
	if !life.IsZero() && now.Sub(life) < t.StuckAfter {
		return Upgrading, Reason{ReasonHelmInProgress, args}
	}
	switch {
	case head.Payload != "" && head.Label != head.Payload:
		return PendingUpgrade, Reason{ReasonHelmLabelEdited, args}
	case head.Status() == HelmUninstalling:
		return PendingUpgrade, Reason{ReasonHelmUninstalling, args}
	case head.Status() == HelmPendingInstall:
		return PendingUpgrade, Reason{ReasonHelmPendingInstall, args}
	default:
		return PendingUpgrade, Reason{ReasonHelmPending, args}
	}
}
