package present

// englishReasons says why a subject is in its state. A why.* sentence is short, for a table that shows the age and
// the revisions beside it; a summary.* sentence stands alone. They claim what was read and nothing more: that a revision is the last one deployed
// does not prove that it serves.
func englishReasons() map[ID]string {
	return map[ID]string{
		"why.helm-deployed":           "deployed",
		"why.helm-failed":             "revision {head} failed",
		"why.helm-pending":            "{status}",
		"why.helm-pending-install":    "install, never finished",
		"why.helm-uninstalling":       "uninstall, never finished",
		"why.helm-in-progress":        "{status}, may be running",
		"why.helm-uninstalled":        "uninstalled, history kept",
		"why.helm-superseded-head":    "newest revision {head} is superseded, no newer one",
		"why.helm-status-unknown":     "unknown status {status}",
		"why.helm-payload-unreadable": "record {head} unreadable: {error}",
		"why.helm-label-edited":       "label says {label}, the record {status}",
		"why.unknown":                 "nothing known of it",

		"summary.helm-deployed":            "revision {head} is deployed",
		"summary.helm-failed":              "revision {head}[[, begun {age} ago,]] failed; {last}",
		"summary.helm-pending":             "{status}[[ for {age}]]; {last}",
		"summary.helm-pending-install":     "the install has not finished[[ for {age}]]; {last}",
		"summary.helm-uninstalling":        "the uninstall of revision {head} has not finished; {last}",
		"summary.helm-in-progress":         "{status}[[ for {age}]]: an operation may still be running",
		"summary.helm-uninstalled":         "uninstalled, its history was kept",
		"summary.helm-superseded-head":     "the newest revision {head} is marked superseded although there is no newer one; {last}",
		"summary.helm-status-unknown":      "the record of revision {head} has the status {status}, which Helm 3 does not know",
		"summary.helm-payload-unreadable":  "the record of revision {head} cannot be read ({error})",
		"summary.helm-label-edited":        "{status}, though the label of revision {head} says {label}",
		"summary.helm-label-edited.locked": "{status}[[ for {age}]], though the label of revision {head} says {label}; {last}",
		"summary.unknown":                  "what was read does not say what state it is in",

		"reason.last":          "revision {deployed} is the last deployed",
		"reason.none-deployed": "no revision is labelled deployed",
		"reason.held":          "held on purpose: {why}",
	}
}
