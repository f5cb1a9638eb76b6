package present

// englishCheck is what `stuckbot check` says. A permission-* text says what a permission is needed for.
func englishCheck() map[ID]string {
	return map[ID]string{
		"column.reachable":   "REACHABLE",
		"column.kubernetes":  "KUBERNETES",
		"column.clock":       "CLOCK",
		"column.permissions": "PERMISSIONS",

		"permission-helm-list":  "to find Helm releases",
		"permission-helm-get":   "to read the record of a release that is stuck or failed",
		"permission-namespaces": "to go through the namespaces one by one where they cannot be read all at once",

		"check.yes":          "yes",
		"check.no":           "no",
		"check.permissions":  "{n} of {total}",
		"check.clock-even":   "in step",
		"check.clock-ahead":  "{age} ahead",
		"check.clock-behind": "{age} behind",

		"check.failed":         "Failed:",
		"check.warnings":       "Warnings:",
		"check.line":           "{where}: {sentence}",
		"check.missing":        "may not {verb} {resource}[[ {where}]], which is needed {why}[[ (the server says: {reason})]]",
		"check.everywhere":     "in all namespaces",
		"check.in":             "in {namespaces}",
		"check.in-more":        "{names} and {more} more",
		"check.rule":           "Add to the ClusterRole of the account that is used for {cluster}:",
		"check.rule-in":        "Add to a Role of the account that is used for {cluster}, in each of the namespaces above, or to its ClusterRole:",
		"check.review":         "its permissions could not be asked: {sentence}",
		"check.clock":          "its clock is {difference}: ages and timeouts there cannot be trusted. Compare both with a time server (NTP).",
		"check.file-mode":      "{path} can be read by others (mode {mode}), and it holds credentials: chmod 600 {path}.",
		"check.storage":        "storage: {problem}",
		"check.chat":           "chat: {what}: {problem}[[. To do: {advice}]]",
		"check.chat-fine":      "Slack takes both tokens, and the bot is in its channels.",
		"check.config":         "The configuration {file} is valid.",
		"check.config-none":    "There is no --config: only the cluster was checked.",
		"check.config-failed":  "configuration: {problem}",
		"check.storage-fine":   "The storage {path} can be written.",
		"check.fine.one":       "Everything is in order in {n} cluster.",
		"check.fine.other":     "Everything is in order in all {n} clusters.",
		"check.problems.one":   "{n} check failed.",
		"check.problems.other": "{n} checks failed.",
	}
}
