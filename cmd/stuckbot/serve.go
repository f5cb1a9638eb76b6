package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stuckbot/checks/kube"
	"stuckbot/storage"
)

type serveFlags struct {
	config           string
	unsafeChatServer bool
}

func newServeCommand(p *program) *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the bot in the channel",
		Long: `Serve runs the bot: it connects to the chat, answers what people ask, and serves /healthz and /readyz.

Kubeconfigs that run login commands, skip verification or read files elsewhere are refused, unless the configuration allows
that very command: the bot must not run what others can write. A chat server that is not Slack's own can let anyone act as anyone:
with it nothing is executed, and its database is marked and refused by a bot that talks to Slack.`,
		Example: "  stuckbot serve --config stuckbot.yaml",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return p.serve(c.Context(), f) },
	}
	c.Flags().StringVar(&f.config, "config", "", "configuration `file`")
	c.Flags().BoolVar(&f.unsafeChatServer, "unsafe-chat-server", false, "trust a chat server that is not Slack's own as if it were")
	return c
}

func (p *program) serve(ctx context.Context, f serveFlags) error {
	if f.config == "" {
		return errors.New("--config is missing: serve needs a configuration file")
	}
	c, err := p.configuration(f.config)
	if err != nil {
		return err
	}
	if c.Chat == nil {
		return fmt.Errorf("%s: chat is missing: serve needs a workspace to talk in; `stuckbot sweep` works without", f.config)
	}
	a, err := p.newApplication(c, f.unsafeChatServer)
	if err != nil {
		return err
	}
	defer a.close()
	return a.run(ctx)
}

// openDatabase opens the bot's database and holds the chat server's guard.
func openDatabase(c *config, unsafe bool) (db *storage.DB, sandboxed bool, err error) {
	path := c.path(c.Storage.Path)
	opened, err := storage.Open(path, storage.Options{Program: "stuckbot serve"})
	if err != nil {
		return nil, false, err
	}
	sandboxed = !unsafe && !isSlack(c.Chat.Slack.APIURL)
	if err := guardDatabase(opened, path, c.Chat.Slack.APIURL, sandboxed); err != nil {
		_ = opened.Close() // the first error is the one to tell
		return nil, false, err
	}
	return opened, sandboxed, nil
}

// guardDatabase marks a database that meets a sandbox, and refuses a marked one to a bot that talks to Slack.
func guardDatabase(db *storage.DB, path, server string, sandboxed bool) error {
	if sandboxed {
		return db.MarkSandbox(server)
	}
	marked, err := db.Sandbox()
	if err != nil {
		return err
	}
	if marked != "" {
		return fmt.Errorf("%s was used with the chat server %s, where anyone may have acted as anyone: give another storage.path", path, marked)
	}
	return nil
}

// isSlack reports whether a Web API address is Slack's own.
func isSlack(apiURL string) bool {
	u, err := url.Parse(apiURL)
	if err != nil || u.Scheme != "https" {
		return false
	}
	host := u.Hostname()
	return (host == "slack.com" || host == "slack-gov.com" || strings.HasSuffix(host, ".slack.com")) && (u.Port() == "" || u.Port() == "443")
}

// controlSocket is where the running bot can be asked, beside its database.
func controlSocket(database string) (net.Listener, error) {
	path := database + ".sock"
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	const longest = 100 // Linux takes 107 bytes, other systems less
	if len(abs) > longest {
		return nil, fmt.Errorf("the socket's path %s is longer than %d characters: give a shorter storage.path", abs, longest)
	}
	// The database's lock is ours: a socket that is there was left by a process that died.
	return listenUnix(abs)
}

// kubeSet returns the clusters of the configuration as serve takes them.
func (p *program) kubeSet(c *config) (*kube.Set, error) {
	o := kube.Options{BaseDir: c.dir(), Guarded: true, Client: kube.ClientOptions{UserAgent: "stuckbot/" + buildVersion().Version}}
	set, err := kube.NewSet(c.Clusters, o)
	if err != nil {
		return nil, inFile(c.file, err)
	}
	return set, nil
}
