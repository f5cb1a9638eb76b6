// Command stuckbot finds what did not move after a release, says why, and repairs it once two people have approved.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // a time zone must be known in a container without zone files too
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	p := newProgram(os.Stdin, os.Stdout, os.Stderr, os.LookupEnv)
	p.libraries = routeLibraryLogs
	os.Exit(p.run(ctx, os.Args[1:]))
}

// run is the whole program but for what belongs to the process: tests call it as main does. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	return newProgram(stdin, stdout, stderr, env).run(ctx, args)
}
