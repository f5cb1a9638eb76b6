package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"stuckbot/cmd/kubebox/box"
)

// apiCommands are the orders that make an API server fail in the ways real ones do.
func apiCommands() []*cobra.Command {
	return []*cobra.Command{
		apiCommand("pause", "Make a cluster's API server hang: connections are accepted and never answered", (*box.Client).Pause),
		apiCommand("resume", "End a pause", (*box.Client).Resume),
		apiCommand("stop-api", "Kill a cluster's API server: connections are refused", (*box.Client).StopAPI),
		apiCommand("start-api", "Start a stopped API server at its old address, and wait until it is ready", (*box.Client).StartAPI),
	}
}

func apiCommand(name, short string, order func(*box.Client, context.Context, string) error) *cobra.Command {
	var dir, cluster string
	c := &cobra.Command{
		Use:   name + " --dir DIR --cluster NAME",
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := box.Dial(dir)
			if err != nil {
				return err
			}
			return order(client, c.Context(), cluster)
		},
	}
	dirFlag(c, &dir)
	clusterFlag(c, &cluster)
	return c
}

func logsCommand() *cobra.Command {
	var dir, cluster string
	var order box.LogOrder
	c := &cobra.Command{
		Use:   "logs --dir DIR --cluster NAME --namespace NAMESPACE --selector SELECTOR FILE",
		Short: "Set what the logs of pods return",
		Long: `Set what the logs of pods return, through the API server as from any pod. FILE, or stdin when it is "-", has plain
lines, which get the present time, or lines in the form of a kubelet's log files:

  2026-11-30T20:00:00.000000000Z stdout F the text

It holds for the pods that match the selector now and for those that are made later; it returns when those that run now
return the log. The same namespace, selector and container again replace the log; of several logs for a container, one
that names the container wins, then the newest. The log of a container that none is set for is empty. A pod without a
node has no log.`,
		Example: `  kubebox logs --dir /tmp/box --cluster prod-eu --namespace shop --selector app=web ./web.log`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := box.Dial(dir)
			if err != nil {
				return err
			}
			if order.Text, err = readInput(args[0]); err != nil {
				return err
			}
			return client.SetLogs(c.Context(), cluster, order)
		},
	}
	dirFlag(c, &dir)
	clusterFlag(c, &cluster)
	c.Flags().StringVar(&order.Namespace, "namespace", "", "namespace of the pods")
	c.Flags().StringVar(&order.Selector, "selector", "", "label selector; empty for all pods of the namespace")
	c.Flags().StringVar(&order.Container, "container", "", "name of the container; empty for all containers")
	c.Flags().BoolVar(&order.Previous, "previous", false, "set the log of the container's last terminated instance")
	require(c, "namespace", "selector")
	return c
}

func readInput(path string) ([]byte, error) {
	if path == "-" {
		data, err := io.ReadAll(os.Stdin)
		if err != nil {
			return nil, fmt.Errorf("read stdin: %w", err)
		}
		return data, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return data, nil
}

func clusterFlag(c *cobra.Command, cluster *string) {
	c.Flags().StringVar(cluster, "cluster", "", "name of the cluster")
	require(c, "cluster")
}
