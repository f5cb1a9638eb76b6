package helm

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"stuckbot/checks"
)

// Config is the `helm` part of the configuration's systems.
type Config struct {
	// StuckAfter is how long a release may be pending without a sign of life before it is reported; default 15 min.
	StuckAfter time.Duration `yaml:"stuckAfter"`
	// QuietFor is how long nothing may have moved before a remedy is permitted; default 30 min. Helm's own timeout is not
	// stored in the cluster: give at least twice what the pipelines use.
	QuietFor time.Duration `yaml:"quietFor"`
	// LookInterval is the time between the two looks that must find nothing moving; default 60 s.
	LookInterval time.Duration `yaml:"lookInterval"`
	// Storage lists the kinds that hold Helm's records, Secret or ConfigMap; empty means both.
	Storage []string `yaml:"storage"`
	// DecodeHeads reads the payload of every newest record and not only of suspicious ones. It finds releases whose label
	// was edited by hand, and costs a read for each release.
	DecodeHeads bool `yaml:"decodeHeads"`
}

// Default returns the configuration that applies where none is given.
func Default() Config {
	return Config{StuckAfter: 15 * time.Minute, QuietFor: 30 * time.Minute, LookInterval: time.Minute}
}

// SetDefaults sets what a configuration file need not say.
func (c *Config) SetDefaults() { *c = Default() }

// Validate returns every mistake, joined; each is a *ConfigError.
func (c Config) Validate() error {
	var errs []error
	wrong := func(key, format string, args ...any) {
		errs = append(errs, &ConfigError{Name: key, Problem: fmt.Sprintf(format, args...)})
	}
	if c.StuckAfter <= 0 {
		wrong("stuckAfter", "%s is no waiting time: give more than nothing, for example 15m", c.StuckAfter)
	}
	if c.QuietFor < c.StuckAfter {
		wrong("quietFor", "%s is shorter than stuckAfter (%s): what is not reported as stuck yet must not be repaired", c.QuietFor, c.StuckAfter)
	}
	if c.LookInterval <= 0 {
		wrong("lookInterval", "%s is no waiting time: give more than nothing, for example 60s", c.LookInterval)
	}
	known := []string{string(checks.HelmSecrets), string(checks.HelmConfigMaps)}
	for i, storage := range c.Storage {
		if !slices.Contains(known, storage) {
			wrong(fmt.Sprintf("storage[%d]", i), "%q holds no Helm records: give Secret or ConfigMap", storage)
		}
	}
	return errors.Join(errs...)
}

// ConfigError is a mistake in one key of a Config.
type ConfigError struct {
	// Name is the key.
	Name string
	// Problem says what is wrong and what to give instead.
	Problem string
}

// Error returns the key and the problem.
func (e *ConfigError) Error() string { return e.Name + ": " + e.Problem }

// Key returns the key.
func (e *ConfigError) Key() string { return e.Name }

// Message returns the problem without the key.
func (e *ConfigError) Message() string { return e.Problem }
