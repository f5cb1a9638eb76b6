package checks

import "time"

// HelmStatus is the status of a Helm record, as the label and the payload spell it.
type HelmStatus string

// The statuses of helm.sh/helm/v3/pkg/release.
const (
	HelmDeployed        HelmStatus = "deployed"
	HelmSuperseded      HelmStatus = "superseded"
	HelmFailed          HelmStatus = "failed"
	HelmUninstalled     HelmStatus = "uninstalled"
	HelmUninstalling    HelmStatus = "uninstalling"
	HelmPendingInstall  HelmStatus = "pending-install"
	HelmPendingUpgrade  HelmStatus = "pending-upgrade"
	HelmPendingRollback HelmStatus = "pending-rollback"
	HelmUnknown         HelmStatus = "unknown"
)

// HelmLocks lists the statuses of a head that an operation holds or held when it died.
func HelmLocks() []HelmStatus {
	return []HelmStatus{HelmPendingInstall, HelmPendingUpgrade, HelmPendingRollback, HelmUninstalling}
}

// Locks reports whether a head with this status is held by an operation.
func (s HelmStatus) Locks() bool {
	for _, lock := range HelmLocks() {
		if s == lock {
			return true
		}
	}
	return false
}

// HelmStorage is the kind of object that holds Helm's records.
type HelmStorage string

// The storages that live in a cluster; Helm's SQL driver cannot be read through an API server.
const (
	HelmSecrets    HelmStorage = "Secret"
	HelmConfigMaps HelmStorage = "ConfigMap"
)

// HelmFacts is what was read of one release.
type HelmFacts struct {
	Storage HelmStorage
	// Head is the record with the highest version: what Helm looks at.
	Head HelmRecord
	// Deployed is the version of the newest record that is labelled deployed; 0 when there is none.
	Deployed int
}

// HelmRecord is one revision's record.
type HelmRecord struct {
	Version int
	// Label is the status in the record's label, by which Helm searches.
	Label HelmStatus
	// Payload is the status inside the record, by which Helm locks; empty when the record was not decoded.
	Payload HelmStatus
	// DecodeError says why the payload could not be decoded; empty when it was, or was not tried.
	DecodeError string
	// Created is the record's creationTimestamp: the labels createdAt and modifiedAt are copied from older revisions.
	Created time.Time
	// Written is the last time a manager wrote the record's status or payload; zero when the server does not say.
	Written time.Time
	// Managers names who wrote the record's payload, newest first.
	Managers []string
	// ChartName, ChartVersion and AppVersion come from the payload; empty when it was not decoded.
	ChartName, ChartVersion, AppVersion string
	UID, ResourceVersion                string
}

// Status is what Helm goes by: the payload's status where it is known, otherwise the label's.
func (r HelmRecord) Status() HelmStatus {
	if r.Payload != "" {
		return r.Payload
	}
	return r.Label
}
