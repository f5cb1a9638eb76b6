package checks

import (
	"cmp"
	"time"
)

// Owner says who deploys a subject. A controller that owns it would undo or fight a repair by hand.
type Owner string

// The owners that can be told apart.
const (
	OwnerCLI       Owner = "cli"
	OwnerFleet     Owner = "fleet"
	OwnerFlux      Owner = "flux"
	OwnerArgoCD    Owner = "argocd"
	OwnerTerraform Owner = "terraform"
	OwnerRancher   Owner = "rancher"
	OwnerUnknown   Owner = "unknown"
)

// Observation is a Subject with what was read of it. A source fills everything but State, Held and Reason, which a rule
// concludes.
type Observation struct {
	Subject Subject
	State   State
	// Held marks a PendingUpgrade that somebody holds on purpose; it is counted apart.
	Held bool
	// Reason says why the State is what it is.
	Reason Reason
	// Desired and Actual are revision identifiers of the system. For Helm the head revision and the last deployed one.
	Desired string
	Actual  string
	// Version is what people call the desired revision. For Helm the chart version.
	Version string
	// Since is when the present state began, in the cluster's clock; zero when unknown.
	Since time.Time
	Owner Owner
	// Heartbeat is the last sign of life of the subject's agent; zero for systems without agents.
	Heartbeat time.Time
	// Helm holds the facts of a Helm release; nil for other systems.
	Helm *HelmFacts
}

// Compare orders observations: by subject, then, for a release that exists in two storages, by storage.
func (o Observation) Compare(other Observation) int {
	storage := func(o Observation) HelmStorage {
		if o.Helm == nil {
			return ""
		}
		return o.Helm.Storage
	}
	return cmp.Or(o.Subject.Compare(other.Subject), cmp.Compare(storage(o), storage(other)))
}

// ReasonID names why a rule concluded a state. Its sentence lives in the catalogue of commands/present.
type ReasonID string

// Reason is a conclusion without a sentence: an id and the arguments that the sentence quotes. Arguments may come from a
// cluster and are untrusted text.
type Reason struct {
	ID   ReasonID
	Args map[string]string
}

// Unreadable is something that could not be read. It is always said and never shown as healthy.
type Unreadable struct {
	Cluster string
	// What names what could not be read, for example "secrets in namespace vaults".
	What string
	// Whole says that nothing of a kind could be read, so that numbers of it would be wrong.
	Whole bool
	// Failure says why.
	Failure Failure
}

// Compare orders unreadable things by cluster and by what could not be read.
func (u Unreadable) Compare(other Unreadable) int {
	return cmp.Or(cmp.Compare(u.Cluster, other.Cluster), cmp.Compare(u.What, other.What))
}
