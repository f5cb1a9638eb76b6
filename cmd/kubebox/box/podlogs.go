package box

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	logsFolder = "logs"
	emptyLog   = "empty.log"
	// logsTimeout bounds the wait until pods return a log that was just set.
	logsTimeout = 15 * time.Second
)

var logsResource = schema.GroupVersionResource{Group: "kwok.x-k8s.io", Version: "v1alpha1", Resource: "logs"}

// podLogs sets what the logs of a cluster's pods return. kwok finds a pod's log by the pod's name, in a Logs object of
// that name; its ClusterLogs know names and namespaces, and neither knows labels. So the pods are watched, and every pod
// that a rule matches gets a Logs object, also when it is made later.
type podLogs struct {
	cluster *cluster

	// setting serializes orders: what one waits for, another must not change meanwhile.
	setting sync.Mutex
	mu      sync.Mutex
	rules   logRules
	files   int
	watcher *podWatcher
}

func newPodLogs(c *cluster) *podLogs { return &podLogs{cluster: c} }

// set follows an order, and returns when all pods that match it and run return the log.
func (l *podLogs) set(ctx context.Context, o LogOrder) error {
	ctx, cancel := context.WithTimeoutCause(ctx, logsTimeout, fmt.Errorf("not set after %s", logsTimeout))
	defer cancel()
	if err := l.cluster.answers(); err != nil {
		return err
	}
	rule, err := newLogRule(o)
	if err != nil {
		return err
	}
	l.setting.Lock()
	defer l.setting.Unlock()
	file, text := toCRI(o.Text, time.Now())
	rule.file, rule.text = l.newFile(), text
	if err := writeFile(rule.file, file); err != nil {
		return err
	}
	watcher, err := l.add(rule)
	if err != nil {
		return err
	}
	pods, err := l.pods(ctx, rule)
	if err != nil {
		return err
	}
	watcher.enqueue(pods)
	return l.awaitAll(ctx, pods)
}

func (l *podLogs) newFile() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files++
	return l.cluster.file(filepath.Join(logsFolder, fmt.Sprintf("%d.log", l.files)))
}

// add makes rule the newest one and starts the watch with the first.
func (l *podLogs) add(rule logRule) (*podWatcher, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rules = l.rules.with(rule)
	if l.watcher == nil {
		watcher, err := watchPods(l.cluster, l.resolve)
		if err != nil {
			return nil, err
		}
		l.watcher = watcher
	}
	return l.watcher, nil
}

func (l *podLogs) current() logRules {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rules
}

func (l *podLogs) resolve(pod *corev1.Pod) []containerLog {
	return l.current().resolve(pod, l.cluster.file(filepath.Join(logsFolder, emptyLog)))
}

// pods lists the pods to which a rule applies now and which a log can be read of.
func (l *podLogs) pods(ctx context.Context, rule logRule) ([]corev1.Pod, error) {
	list, err := l.cluster.client.CoreV1().Pods(rule.namespace).List(ctx, metav1.ListOptions{LabelSelector: rule.selector.String()})
	if err != nil {
		return nil, fmt.Errorf("list the pods: %w", err)
	}
	var pods []corev1.Pod
	for _, pod := range list.Items {
		if pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}

// awaitAll waits until the API server returns what the rules say for every container of the pods.
func (l *podLogs) awaitAll(ctx context.Context, pods []corev1.Pod) error {
	rules := l.current()
	for _, pod := range pods {
		for _, container := range containerNames(&pod) {
			for _, previous := range []bool{false, true} {
				rule, ok := rules.find(&pod, container, previous)
				if !ok {
					continue
				}
				if err := l.await(ctx, pod, container, rule); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

var errOldLog = errors.New("it still returns another log")

func (l *podLogs) await(ctx context.Context, pod corev1.Pod, container string, rule logRule) error {
	pods := l.cluster.client.CoreV1().Pods(pod.Namespace)
	options := &corev1.PodLogOptions{Container: container, Previous: rule.previous}
	what := fmt.Sprintf("the log of %s/%s/%s", pod.Namespace, pod.Name, container)
	return l.cluster.await(ctx, Kwok, what, func(ctx context.Context) error {
		text, err := pods.GetLogs(pod.Name, options).DoRaw(ctx)
		if err != nil {
			if l.gone(ctx, pod) {
				return nil
			}
			return err
		}
		if !bytes.Equal(text, rule.text) {
			return errOldLog
		}
		return nil
	})
}

// gone reports whether a pod has ended since it was listed; its log does not matter any more.
func (l *podLogs) gone(ctx context.Context, pod corev1.Pod) bool {
	now, err := l.cluster.client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil {
		return apierrors.IsNotFound(err)
	}
	return now.UID != pod.UID || now.DeletionTimestamp != nil
}

// logsObject is kwok's Logs object of one pod.
func logsObject(namespace, pod string, logs []containerLog) *unstructured.Unstructured {
	entries := make([]any, 0, len(logs))
	for _, log := range logs {
		entry := map[string]any{"containers": []any{log.container}, "logsFile": log.file}
		if log.previous != "" {
			entry["previousLogsFile"] = log.previous
		}
		entries = append(entries, entry)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": logsResource.GroupVersion().String(),
		"kind":       "Logs",
		"metadata":   map[string]any{"name": pod, "namespace": namespace},
		"spec":       map[string]any{"logs": entries},
	}}
}
