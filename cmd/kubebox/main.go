// Kubebox runs real Kubernetes control planes, one per name, for the demo and the tests: one etcd for all of them, and
// per cluster an API server, the controllers a release needs, and simulated nodes whose pods become ready and whose logs
// can be set. Package box has the how and the measured costs; this package is its command line.
package main

import (
	"errors"
	"fmt"
	"os"

	"stuckbot/cmd/kubebox/box"
)

func main() {
	if len(os.Args) > 1 {
		if run := component(os.Args[1]); run != nil {
			os.Args = os.Args[1:]
			os.Exit(run())
		}
	}
	err := newCommand().Execute()
	var status box.ExitStatus
	switch {
	case err == nil:
	case errors.As(err, &status):
		os.Exit(int(status))
	default:
		fmt.Fprintf(os.Stderr, "kubebox: %v\n", err)
		os.Exit(1)
	}
}
