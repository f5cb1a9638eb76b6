package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"stuckbot/commands/present"
)

// The linker sets these (-ldflags "-X main.version=… -X main.commit=…"): it can only set variables of a package.
var version, commit string

func newVersionCommand(p *program) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print what this program was built from",
		Long: `Version prints the program's version and commit, and the versions of Go and of
the libraries for Helm and for Kubernetes.`,
		Example: `  stuckbot version
  stuckbot version -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			asJSON, err := jsonWanted(output, "text")
			if err != nil {
				return err
			}
			if asJSON {
				return p.printer.VersionJSON(p.stdout, buildVersion())
			}
			return p.printer.VersionText(p.stdout, buildVersion())
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "output `format`: text or json")
	return c
}

// buildVersion reads what the linker was told, and otherwise what Go itself recorded.
func buildVersion() present.Version {
	v := present.Version{Version: version, Commit: commit, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" && info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && v.Commit == "" {
			v.Commit = setting.Value
		}
	}
	for _, module := range info.Deps {
		switch module.Path {
		case "helm.sh/helm/v3":
			v.Helm = module.Version
		case "k8s.io/client-go":
			v.Kubernetes = module.Version
		}
	}
	return v
}
