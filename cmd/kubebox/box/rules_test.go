package box

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func rule(t *testing.T, file string, o LogOrder) logRule {
	t.Helper()
	r, err := newLogRule(o)
	if err != nil {
		t.Fatal(err)
	}
	r.file = file
	return r
}

func TestLogRulesResolve(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1", Labels: map[string]string{"app": "web", "tier": "front"}},
		Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "init"}},
			Containers:     []corev1.Container{{Name: "web"}, {Name: "sidecar"}},
		},
	}
	all := LogOrder{Namespace: "shop", Selector: "app=web"}
	web := LogOrder{Namespace: "shop", Selector: "app=web", Container: "web"}
	for _, tt := range []struct {
		name  string
		rules []logRule
		want  []containerLog
	}{
		{"no rule", nil, nil},
		{"another namespace", []logRule{rule(t, "1", LogOrder{Namespace: "x"})}, nil},
		{"another label", []logRule{rule(t, "1", LogOrder{Namespace: "shop", Selector: "app=db"})}, nil},
		{"another container", []logRule{rule(t, "1", LogOrder{Namespace: "shop", Container: "db"})}, nil},
		{"all containers", []logRule{rule(t, "1", all)}, []containerLog{{"init", "1", ""}, {"web", "1", ""}, {"sidecar", "1", ""}}},
		{"one container, the others are empty", []logRule{rule(t, "1", web)}, []containerLog{{"init", "empty", ""}, {"web", "1", ""}, {"sidecar", "empty", ""}}},
		{"the named container wins over a newer rule for all", []logRule{rule(t, "1", web), rule(t, "2", all)}, []containerLog{{"init", "2", ""}, {"web", "1", ""}, {"sidecar", "2", ""}}},
		{"the newest selector wins", []logRule{rule(t, "1", all), rule(t, "2", LogOrder{Namespace: "shop", Selector: "tier=front"})}, []containerLog{{"init", "2", ""}, {"web", "2", ""}, {"sidecar", "2", ""}}},
		{"the same order again replaces, and is the newest", []logRule{rule(t, "1", all), rule(t, "2", LogOrder{Namespace: "shop"}), rule(t, "3", all)}, []containerLog{{"init", "3", ""}, {"web", "3", ""}, {"sidecar", "3", ""}}},
		{"the previous log beside the current one", []logRule{rule(t, "1", web), rule(t, "2", LogOrder{Namespace: "shop", Previous: true, Container: "web"})}, []containerLog{{"init", "empty", ""}, {"web", "1", "2"}, {"sidecar", "empty", ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rules logRules
			for _, r := range tt.rules {
				rules = rules.with(r)
			}
			if got := rules.resolve(pod, "empty"); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestBadLogOrdersAreRefused(t *testing.T) {
	for _, o := range []LogOrder{{}, {Namespace: "shop", Selector: "app in"}} {
		if _, err := newLogRule(o); !errors.Is(err, ErrRule) {
			t.Errorf("%+v: the error is %v, want %v", o, err, ErrRule)
		}
	}
}
