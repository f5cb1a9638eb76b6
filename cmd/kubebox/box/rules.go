package box

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// ErrRule is returned for an order to set logs that cannot be followed.
var ErrRule = errors.New("cannot set logs")

// LogOrder says what the logs of pods return: those that match Selector in Namespace, now or later.
type LogOrder struct {
	Namespace string `json:"namespace"`
	// Selector is a label selector; empty for all pods of the namespace.
	Selector string `json:"selector,omitempty"`
	// Container is empty for all containers.
	Container string `json:"container,omitempty"`
	// Previous sets the log of the container's last terminated instance.
	Previous bool `json:"previous,omitempty"`
	// Text is the log: plain lines, or lines in the form of a kubelet's log files.
	Text []byte `json:"text"`
}

// logRule is a LogOrder that was accepted.
type logRule struct {
	namespace string
	selector  labels.Selector
	container string
	previous  bool
	// file holds the log in the form of a kubelet's log files, text is what a client reads.
	file string
	text []byte
}

// newLogRule checks an order. The rule has no file and text yet.
func newLogRule(o LogOrder) (logRule, error) {
	if o.Namespace == "" {
		return logRule{}, fmt.Errorf("%w: no namespace", ErrRule)
	}
	selector, err := labels.Parse(o.Selector)
	if err != nil {
		return logRule{}, fmt.Errorf("%w: selector %q: %w", ErrRule, o.Selector, err)
	}
	return logRule{namespace: o.Namespace, selector: selector, container: o.Container, previous: o.Previous}, nil
}

// replaces reports whether r sets exactly what other set.
func (r logRule) replaces(other logRule) bool {
	return r.namespace == other.namespace && r.selector.String() == other.selector.String() &&
		r.container == other.container && r.previous == other.previous
}

func (r logRule) matches(pod *corev1.Pod) bool {
	return r.namespace == pod.Namespace && r.selector.Matches(labels.Set(pod.Labels))
}

// logRules are the rules of a cluster, the newest last.
type logRules []logRule

// with returns the rules with r as the newest. A rule that it replaces is gone.
func (rs logRules) with(r logRule) logRules {
	kept := slices.DeleteFunc(slices.Clone(rs), r.replaces)
	return append(kept, r)
}

// find returns the rule for the current or previous log of a pod's container: a rule that names the container wins over
// one that names none, then the newest wins.
func (rs logRules) find(pod *corev1.Pod, container string, previous bool) (logRule, bool) {
	for _, named := range []string{container, ""} {
		for _, r := range slices.Backward(rs) {
			if r.previous == previous && r.container == named && r.matches(pod) {
				return r, true
			}
		}
	}
	return logRule{}, false
}

// containerLog is one entry of kwok's Logs object.
type containerLog struct {
	container, file, previous string
}

// resolve returns the logs of each of a pod's containers, or nil when no rule matches the pod. Containers without a rule
// get the file empty; kwok asks nobody else once a pod has a Logs object.
func (rs logRules) resolve(pod *corev1.Pod, empty string) []containerLog {
	var logs []containerLog
	found := false
	for _, name := range containerNames(pod) {
		log := containerLog{container: name, file: empty}
		if r, ok := rs.find(pod, name, false); ok {
			log.file, found = r.file, true
		}
		if r, ok := rs.find(pod, name, true); ok {
			log.previous, found = r.file, true
		}
		logs = append(logs, log)
	}
	if !found {
		return nil
	}
	return logs
}

func containerNames(pod *corev1.Pod) []string {
	var names []string
	for _, c := range pod.Spec.InitContainers {
		names = append(names, c.Name)
	}
	for _, c := range pod.Spec.Containers {
		names = append(names, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		names = append(names, c.Name)
	}
	return names
}
