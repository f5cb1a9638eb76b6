package main

import (
	"context"
	"fmt"
	"os"
	_ "time/tzdata" // CronJob schedules name time zones, and machines without tzdata exist

	"github.com/spf13/pflag"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"

	"stuckbot/cmd/kubebox/box"
)

// component returns the main function of a part of a control plane, or nil when name is not one. The parts run as child
// processes of the same binary because two API servers in one process would share global state.
func component(name string) func() int {
	run, ok := map[string]func() int{
		box.APIServer:         runAPIServer,
		box.ControllerManager: runControllerManager,
		box.Kwok:              runKwok,
	}[name]
	if !ok {
		return nil
	}
	return func() int {
		if err := box.HoldLeash(); err != nil {
			fmt.Fprintf(os.Stderr, "kubebox: %s is started by `kubebox up`, not by hand: %v\n", name, err)
			return 2
		}
		return run()
	}
}

func runAPIServer() int {
	tellVersion()
	return cli.Run(apiserver.NewAPIServerCommand())
}

func runControllerManager() int {
	tellVersion()
	return cli.Run(controllers.NewControllerManagerCommand())
}

// runKwok is kwok's own main function: its packages read os.Args themselves.
func runKwok() int {
	forgetFlags()
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, _ := log.InitFlags(signals.SetupSignalContext(), flags)
	ctx, err := config.InitFlags(ctx, flags)
	if err == nil {
		err = executeKwok(ctx, flags)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "kwok: %v\n", err)
		return 1
	}
	return 0
}

func executeKwok(ctx context.Context, flags *pflag.FlagSet) error {
	command := kwok.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(flags)
	return command.ExecuteContext(ctx)
}

// forgetFlags drops the flags that Kubernetes' libraries define for the whole process, a --version among them, since
// cobra would add them to commands that have their own.
func forgetFlags() { pflag.CommandLine = pflag.NewFlagSet(os.Args[0], pflag.ContinueOnError) }
