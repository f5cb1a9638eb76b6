package present

import (
	"strconv"

	"stuckbot/checks/sweep"
)

// Progress says how far a sweep has come, on one line.
func (p *Printer) Progress(s sweep.Progress) string {
	return p.Text("progress", Args{
		"done": strconv.Itoa(s.Done), "total": strconv.Itoa(s.Total), "stuck": strconv.Itoa(s.Stuck),
		"waiting": p.names(s.Waiting, "progress.and-more"),
	})
}
