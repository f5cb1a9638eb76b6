package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stuckbot/checks/kube"
	"stuckbot/checks/source/helm"
	"stuckbot/cmd/stuckbot/internal/strict"
)

// config is the configuration file. Each part belongs to the package that uses it; this file only puts them together.
type config struct {
	Chat      *chatConfig     `yaml:"chat"`
	Clusters  []kube.Config   `yaml:"clusters"`
	Systems   systemsConfig   `yaml:"systems"`
	Mode      mode            `yaml:"mode"`
	Modes     []modeConfig    `yaml:"modes"`
	Approvals approvalsConfig `yaml:"approvals"`
	Storage   storageConfig   `yaml:"storage"`
	Retention retentionConfig `yaml:"retention"`
	HTTP      httpConfig      `yaml:"http"`
	TimeZone  string          `yaml:"timeZone"`

	// file is where the configuration came from; empty when there is none.
	file string
}

// SetDefaults sets what a file need not say.
func (c *config) SetDefaults() {
	defaults := helm.Default()
	c.Systems.Helm = &defaults
	c.Mode = modeObserve
	c.Approvals.SetDefaults()
	c.Storage.SetDefaults()
	c.Retention.SetDefaults()
	c.HTTP.SetDefaults()
	c.TimeZone = "UTC"
}

// Validate checks what no part can check alone.
func (c *config) Validate() error {
	var errs []error
	if len(c.Clusters) == 0 {
		errs = append(errs, strict.Wrong("clusters", "there are none: add at least one, for example - {kubeconfig: ./kubeconfig}"))
	}
	errs = append(errs, c.Mode.check("mode"))
	if _, err := time.LoadLocation(c.TimeZone); err != nil || c.TimeZone == "Local" {
		errs = append(errs, strict.Wrong("timeZone", "%q is no time zone: give a name such as UTC or Europe/Berlin", c.TimeZone))
	}
	if c.Chat != nil && c.Chat.Slack != nil {
		errs = append(errs, c.Approvals.checkSlack())
	}
	return errors.Join(errs...)
}

// dir is where relative paths start.
func (c *config) dir() string { return filepath.Dir(c.file) }

// path resolves a path of the configuration.
func (c *config) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(c.dir(), p)
}

// loadConfig reads and checks a configuration file. An error about its content is a strict.Errors or a *strict.Error.
func loadConfig(file string, env func(string) (string, bool)) (*config, error) {
	data, err := readConfig(file)
	if err != nil {
		return nil, err
	}
	c := &config{file: file}
	if err := strict.Decode(data, c, strict.Options{File: file, Env: env}); err != nil {
		return nil, err
	}
	return c, nil
}

func readConfig(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("--config: %s is a folder: give the file in it", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	return data, nil
}

// systemsConfig says which delivery systems are looked at; without it, Helm.
type systemsConfig struct {
	Helm  *helm.Config `yaml:"helm"`
	Fleet *fleetConfig `yaml:"fleet"`
}

// SetDefaults takes away what applies when there is no `systems` at all: a file that names systems gets those and no
// others.
func (c *systemsConfig) SetDefaults() { *c = systemsConfig{} }

// Validate reports every mistake.
func (c *systemsConfig) Validate() error {
	if c.Helm == nil && c.Fleet == nil {
		return strict.Wrong("", "none is named: give at least helm: {}, or leave systems out")
	}
	return nil
}

// fleetConfig is the `fleet` part of the systems.
type fleetConfig struct {
	// Hub names the cluster that Fleet's hub runs in.
	Hub string `yaml:"hub"`
	// StuckAfter is how long a BundleDeployment may differ before it is reported.
	StuckAfter time.Duration `yaml:"stuckAfter"`
	// HeartbeatAfter is the age from which an agent's heartbeat is stale; agents send one every 15 min.
	HeartbeatAfter time.Duration `yaml:"heartbeatAfter"`
}

// SetDefaults sets what a file need not say.
func (c *fleetConfig) SetDefaults() { c.StuckAfter, c.HeartbeatAfter = 15*time.Minute, 45*time.Minute }

// Validate reports every mistake.
func (c *fleetConfig) Validate() error {
	var errs []error
	if c.Hub == "" {
		errs = append(errs, strict.Wrong("hub", "it is missing: give the name of the cluster that Fleet's hub runs in"))
	}
	return errors.Join(append(errs, positive("stuckAfter", c.StuckAfter), positive("heartbeatAfter", c.HeartbeatAfter))...)
}

// storageConfig says where the bot keeps what it must not forget.
type storageConfig struct {
	Path string `yaml:"path"`
}

// SetDefaults sets what a file need not say.
func (c *storageConfig) SetDefaults() { c.Path = "./stuckbot.db" }

// Validate reports every mistake.
func (c *storageConfig) Validate() error {
	if strings.TrimSpace(c.Path) == "" || strings.HasSuffix(c.Path, "/") {
		return strict.Wrong("path", "%q is no file: give the database's path, for example ./stuckbot.db", c.Path)
	}
	return nil
}

// retentionConfig says how long things are kept. The ledger is kept for ever.
type retentionConfig struct {
	Events time.Duration `yaml:"events"`
	Offers time.Duration `yaml:"offers"`
	Sweeps time.Duration `yaml:"sweeps"`
}

// SetDefaults sets what a file need not say.
func (c *retentionConfig) SetDefaults() {
	const day = 24 * time.Hour
	c.Events, c.Offers, c.Sweeps = day, 7*day, 30*day
}

// Validate reports every mistake.
func (c *retentionConfig) Validate() error {
	return errors.Join(positive("events", c.Events), positive("offers", c.Offers), positive("sweeps", c.Sweeps))
}

// httpConfig is the address of the health and metrics server.
type httpConfig struct {
	Listen string `yaml:"listen"`
}

// SetDefaults sets what a file need not say.
func (c *httpConfig) SetDefaults() { c.Listen = "127.0.0.1:8080" }

// Validate reports every mistake.
func (c *httpConfig) Validate() error {
	_, port, err := net.SplitHostPort(c.Listen)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return strict.Wrong("listen", "%q is no address: give host:port, for example 127.0.0.1:8080", c.Listen)
	}
	return nil
}

func positive(key string, d time.Duration) error {
	if d > 0 {
		return nil
	}
	return strict.Wrong(key, "%s is no waiting time: give more than nothing, for example 15m", d)
}
