package present

// englishChat is what is said in the chat and nowhere else.
func englishChat() map[ID]string {
	return map[ID]string{
		"chat.sweep.running.one":   "Sweeping {n} cluster …",
		"chat.sweep.running.other": "Sweeping {n} clusters …",
		"chat.sweep.production":    "Production",
		"chat.sweep.others":        "Elsewhere",
		"chat.sweep.held.one":      "Held on purpose: {n}",
		"chat.sweep.held.other":    "Held on purpose: {n}",
		"chat.sweep.line":          ": {state}[[ for {age}]][[, {why}]][[, deployed by {owner}]]",
		"chat.sweep.unread.one":    "Not read: {n}",
		"chat.sweep.unread.other":  "Not read: {n}",
		"chat.sweep.read.one":      "{n} of {total} clusters read in {took}.",
		"chat.sweep.read.other":    "{n} of {total} clusters read in {took}.",
		"chat.asked-by":            "Asked for by",

		"chat.help.title":    "I look for releases that are stuck in Pending-Upgrade. You can ask me for:",
		"chat.help.more":     "/stuck help COMMAND explains one. In threads, where slash commands do not work, mention me instead: @stuckbot sweep",
		"chat.help.examples": "Examples",

		"chat.help.sweep.summary": "lists what is stuck in Pending-Upgrade, and everything else that is not Active",
		"chat.help.sweep.details": "Name clusters or labels to look at a part of the fleet; labels must all match. It only reads.",
		"chat.help.sweep.who":     "Everyone in this channel may use it, a few times a minute.",
		"chat.help.help.summary":  "says what I can do",
		"chat.help.help.details":  "With a command's name it explains that one.",
		"chat.help.help.who":      "Everyone may use it; only you see the answer.",

		"chat.no-such-command":    "There is no command “{name}”.[[ Did you mean “{meant}”?]] /stuck help lists what there is.",
		"chat.no-such-cluster":    "No cluster “{name}” is configured.[[ Did you mean “{meant}”?]]",
		"chat.bad-selector":       "“{arg}” is no label: write it as label=value, for example env=prod.",
		"chat.nothing-selected":   "No cluster fits “{args}”. Labels are those in my configuration, and all of them must match.",
		"chat.too-many-sweeps":    "You have started several sweeps just now. Their results are in the channel; you can start the next in {wait}.",
		"chat.stale-order":        "I was not running when you asked for “{order}” {age} ago, so I left it alone. Ask again if you still want it.",
		"chat.order-failed":       "“{order}” failed because of an error of mine. My log says more; nothing was changed in any cluster.",
		"chat.order-given-up":     "I stopped several times while I worked on “{order}”, so I gave it up. My log says more; nothing was changed in any cluster.",
		"chat.cannot-answer-here": "I cannot answer in this channel: I am not in it, or it is archived. Invite me with /invite @stuckbot, or ask in a channel that I am in.",
		"chat.dead-button":        "This button can do nothing any more.",
	}
}
