// Command scenario loads a scenario file into running clusters with the real Helm SDK, for the demo and the tests. It is a
// program of its own because it writes to clusters, which the bot's own code must not be able to do.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{
		Use:           "scenario",
		Short:         "Load a scenario into running clusters with the real Helm",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(loadCommand(), deployCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "scenario:", err)
		os.Exit(1)
	}
}
