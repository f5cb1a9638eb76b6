package present

import (
	"fmt"
	"slices"
	"strings"
)

// rules returns the RBAC rules that give an account what it lacks, ready to be pasted.
func (p *Printer) rules(c CheckedCluster, s Screen) string {
	missing := c.missing()
	if len(missing) == 0 {
		return ""
	}
	title := ID("check.rule")
	if slices.ContainsFunc(missing, func(a Access) bool { return len(a.In) > 0 }) {
		title = "check.rule-in"
	}
	var b strings.Builder
	b.WriteString(wrap(p.Text(title, Args{"cluster": c.Name}), s.Width))
	for _, r := range merge(missing) {
		fmt.Fprintf(&b, "  - apiGroups: [%q]\n    resources: [%s]\n    verbs: [%s]\n",
			r.group, strings.Join(r.resources, ", "), strings.Join(r.verbs, ", "))
	}
	return b.String() + "\n"
}

// rule is a PolicyRule of RBAC.
type rule struct {
	group            string
	resources, verbs []string
}

// merge makes one rule of the verbs of a resource, and one of the resources that need the same verbs.
func merge(missing []Access) []rule {
	var rules []rule
	for _, a := range missing {
		at := slices.IndexFunc(rules, func(r rule) bool { return r.group == a.Group && r.resources[0] == a.Resource })
		if at < 0 {
			rules = append(rules, rule{a.Group, []string{a.Resource}, []string{a.Verb}})
			continue
		}
		if !slices.Contains(rules[at].verbs, a.Verb) {
			rules[at].verbs = append(rules[at].verbs, a.Verb)
			slices.Sort(rules[at].verbs)
		}
	}
	var merged []rule
	for _, r := range rules {
		at := slices.IndexFunc(merged, func(m rule) bool { return m.group == r.group && slices.Equal(m.verbs, r.verbs) })
		if at < 0 {
			merged = append(merged, r)
			continue
		}
		merged[at].resources = append(merged[at].resources, r.resources...)
	}
	return merged
}
