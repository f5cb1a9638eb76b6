package main

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"stuckbot/commands/present"
)

// program is what all commands share.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) (string, bool)
	// screen is what tables are written to; progress says whether lines of stderr can be written over.
	screen   present.Screen
	progress bool

	redactor *present.Redactor
	printer  *present.Printer
	log      zerolog.Logger
	logLevel string
	// libraries routes the logs of libraries, which belong to the process; nil leaves them alone, as tests need it.
	libraries func(zerolog.Logger)
	// decorate wraps what the running bot's chat stands on; nil leaves it alone.
	decorate func(chatParts) chatParts
}

func newProgram(stdin io.Reader, stdout, stderr io.Writer, env func(string) (string, bool)) *program {
	redactor := present.NewRedactor()
	return &program{
		stdin: stdin, stdout: stdout, stderr: redactor.Writer(stderr), env: env,
		screen:   screenOf(stdout, env),
		progress: understandsEscapes(stderr, env),
		redactor: redactor,
		log:      zerolog.Nop(),
	}
}

func (p *program) run(ctx context.Context, args []string) int {
	printer, err := present.New(present.English, p.redactor.Redact)
	if err != nil {
		return p.fail(err)
	}
	p.printer = printer
	root := newRootCommand(p)
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	return p.fail(root.ExecuteContext(ctx))
}

// fail says what went wrong, if anything did and it was not said already, and returns the exit status.
func (p *program) fail(err error) int {
	code := exitStatus(err)
	if err != nil && code == exitFailed {
		for _, line := range strings.Split(err.Error(), "\n") {
			if line = present.Clean(line); line != "" {
				fmt.Fprintln(p.stderr, "stuckbot: "+line)
			}
		}
	}
	return code
}

func newRootCommand(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "stuckbot",
		Short: "Find what did not move after a release, and why",
		Long: `Stuckbot finds releases that are stuck in many clusters, says why, and repairs
them once two people have approved.

Exit status: 0 done; 1 findings matched --fail-on, or a check failed;
2 could not run; 3 ran, but part could not be read.`,
		Example: `  stuckbot sweep                          what is stuck in the cluster of the current context
  stuckbot sweep --config stuckbot.yaml   what is stuck in all clusters of a configuration
  stuckbot check --config stuckbot.yaml   which cluster cannot be reached, which permission is missing`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return p.startLog()
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.PersistentFlags().StringVar(&p.logLevel, "log-level", "warn", "what to log on stderr, by `level`: debug, info, warn or error")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w\nsee %s --help", err, c.CommandPath())
	})
	root.AddCommand(newSweepCommand(p), newCheckCommand(p), newServeCommand(p), newDemoCommand(p), newVersionCommand(p))
	return root
}

// configuration loads a configuration file, or returns the defaults when none is given.
func (p *program) configuration(file string) (*config, error) {
	if file == "" {
		c := &config{}
		c.SetDefaults()
		return c, nil
	}
	c, err := loadConfig(file, p.env)
	if err != nil {
		return nil, err
	}
	p.redactor.Add(secretsIn(reflect.ValueOf(c))...)
	return c, nil
}
