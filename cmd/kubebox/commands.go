package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"stuckbot/cmd/kubebox/box"
)

func newCommand() *cobra.Command {
	forgetFlags()
	root := &cobra.Command{
		Use:   "kubebox",
		Short: "Run real Kubernetes control planes for demos and tests",
		Long: `Run real Kubernetes control planes for demos and tests.

Every cluster has its own API server with RBAC, admission and quotas, the controllers that a release needs, and two
simulated nodes, node-1 and node-2. A pod whose spec has a nodeName becomes ready at once, and its logs can be set; a
pod without one stays Pending, because there is no scheduler. Everything listens on ` + "127.0.0.1" + ` only.`,
		Version:       "with Kubernetes " + kubernetesVersion(),
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(upCommand(), addCommand(), removeCommand(), logsCommand())
	root.AddCommand(apiCommands()...)
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}

func upCommand() *cobra.Command {
	var o box.Options
	c := &cobra.Command{
		Use:   "up --dir DIR --clusters a,b,c --kubeconfig FILE [-- COMMAND ARGS...]",
		Short: "Run clusters in the foreground, until a signal or until COMMAND ends",
		Long: `Run clusters in the foreground.

When all are ready, FILE has a context per cluster, with the rights of cluster-admin, and "ready" is printed on its own
line of stdout. On SIGINT, SIGTERM or SIGHUP, on the death of the process that started it, or when a part of a cluster
dies, kubebox ends every process and deletes every file that it made; files of others in DIR stay. If kubebox itself is
killed, its processes end too, and the next "up" with the same DIR deletes its files.

With COMMAND, that is run once everything is ready, with KUBECONFIG=FILE, KUBEBOX_DIR=DIR and KUBEBOX_BIN (this program)
in its environment, and stdout is its own. Signals are passed on to it; kubebox exits with its status, or with 128 and
the signal that ended it.

The logs of the parts are DIR/CLUSTER/kube-apiserver.log, kube-controller-manager.log and kwok.log, and
DIR/etcd/etcd.log. The kubeconfig, DIR/control.json and the keys in DIR can be read by their owner only.`,
		Example: `  kubebox up --dir /tmp/box --clusters prod-eu,prod-us --kubeconfig ./kubeconfig
  kubebox up --dir /tmp/box --clusters a --kubeconfig /tmp/kubeconfig -- go test ./...`,
		RunE: func(_ *cobra.Command, args []string) error {
			signals := make(chan os.Signal, 8)
			signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
			// Who reads the output may die first; what is left to do then must not end with the next line written.
			signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
			// A watch that breaks off while an API server is stopped on purpose is nothing to report.
			klog.SetLogger(logr.Discard())
			o.Command, o.Signals = args, signals
			o.Stdin, o.Stdout, o.Stderr = os.Stdin, os.Stdout, os.Stderr
			return box.Up(o)
		},
	}
	c.Args = commandAfterDash
	c.Flags().StringVar(&o.Dir, "dir", "", "directory for everything kubebox writes: new, empty or its own")
	c.Flags().StringSliceVar(&o.Clusters, "clusters", nil, "names of the clusters: DNS labels")
	c.Flags().StringVar(&o.Kubeconfig, "kubeconfig", "", "kubeconfig file to write; no other's file is overwritten")
	c.Flags().DurationVar(&o.Timeout, "timeout", 2*time.Minute, "how long a cluster may take to become ready")
	require(c, "dir", "clusters", "kubeconfig")
	return c
}

// commandAfterDash refuses arguments before "--", which are most likely forgotten commas between names.
func commandAfterDash(c *cobra.Command, args []string) error {
	if dash := c.ArgsLenAtDash(); dash > 0 || dash < 0 && len(args) > 0 {
		return cobra.NoArgs(c, args)
	}
	return nil
}

func addCommand() *cobra.Command {
	var dir string
	var ifMissing bool
	c := &cobra.Command{
		Use:   "add --dir DIR NAME",
		Short: "Add a cluster to a running kubebox",
		Long: `Add a cluster to the kubebox that runs on DIR. When it is ready its context is in the kubeconfig, and "ready" is
printed on its own line of stdout.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := box.Dial(dir)
			if err != nil {
				return err
			}
			if err := client.Add(c.Context(), args[0], ifMissing); err != nil {
				return err
			}
			c.Println("ready")
			return nil
		},
	}
	c.SetOut(os.Stdout)
	dirFlag(c, &dir)
	c.Flags().BoolVar(&ifMissing, "if-missing", false, "succeed also when the cluster exists, once it is ready")
	return c
}

func removeCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "remove --dir DIR NAME",
		Short: "Remove a cluster from a running kubebox",
		Long:  `Remove a cluster from the kubebox that runs on DIR: its processes, its data, and its context in the kubeconfig.`,
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := box.Dial(dir)
			if err != nil {
				return err
			}
			return client.Remove(c.Context(), args[0])
		},
	}
	dirFlag(c, &dir)
	return c
}

func dirFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "dir", "", "directory of the running kubebox")
	require(c, "dir")
}

func require(c *cobra.Command, flags ...string) {
	for _, flag := range flags {
		_ = c.MarkFlagRequired(flag) // fails only for a flag that is not defined
	}
}
