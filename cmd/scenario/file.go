package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// file is a scenario as testdata/scenarios describes it.
type file struct {
	Clusters []clusterSpec `json:"clusters"`
	Silent   *silentSpec   `json:"silent"`
}

type clusterSpec struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	// Forbidden names the namespaces that the bot's account may not read.
	Forbidden []string      `json:"forbidden"`
	Releases  []releaseSpec `json:"releases"`
}

type silentSpec struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
}

// ending is what became of a release's last operation.
type ending string

const (
	endDeployed   ending = "deployed"
	endKilled     ending = "killed"
	endRolledBack ending = "rolled-back"
	endFailed     ending = "failed"
)

type releaseSpec struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Chart     string `json:"chart"`
	Version   string `json:"version"`
	// Upgrades counts the successful upgrades before the last operation.
	Upgrades int    `json:"upgrades"`
	Ends     ending `json:"ends"`
	Deployer string `json:"deployer"`
}

func readFile(path string) (file, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return file{}, err
	}
	var f file
	if err := yaml.UnmarshalStrict(data, &f); err != nil {
		return file{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range f.Clusters {
		for _, r := range c.Releases {
			switch r.Ends {
			case endDeployed, endKilled, endRolledBack, endFailed:
			default:
				return file{}, fmt.Errorf("%s: %s %s/%s: ends: %q is none of deployed, killed, rolled-back, failed",
					path, c.Name, r.Namespace, r.Name, r.Ends)
			}
		}
	}
	return f, nil
}
