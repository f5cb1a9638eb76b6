package slack

// Slack's limits for one message. The characters of all blocks together are not documented: about 13,200 were measured.
// Sizes are units (wrap.go).
const (
	maxBlocks        = 50
	maxUnits         = 12000
	maxBlockUnits    = 3000
	maxHeaderUnits   = 150
	maxNoteElements  = 10
	maxActions       = 25
	maxLabelUnits    = 75
	maxActionID      = 255
	maxValue         = 2000
	maxConfirmTitle  = 100
	maxConfirmText   = 300
	maxConfirmButton = 30

	// maxSummaryUnits bounds the line that notifications show. A longer one stands in the message, too.
	maxSummaryUnits = 1000
	// maxListItems and maxSpans keep single blocks small: what Slack takes at most is not documented.
	maxListItems = 100
	maxSpans     = 200
)
