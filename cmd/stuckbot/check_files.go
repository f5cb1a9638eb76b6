package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"

	"stuckbot/checks/kube"
	"stuckbot/commands/present"
)

// storageProblem says why a database could not be kept at a path, or nothing. It leaves no file behind and does not make
// the database, whose owner and mode serve must choose.
func storageProblem(path string) string {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return fmt.Sprintf("%s is a folder: give the path of a file", path)
	case err == nil:
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return fmt.Sprintf("the database cannot be written: %v", err)
		}
		defer f.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return err.Error()
	}
	dir := filepath.Dir(path)
	probe, err := os.CreateTemp(dir, ".stuckbot-check-*")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("the folder %s does not exist: create it", dir)
	case err != nil:
		return fmt.Sprintf("the folder %s cannot be written: give the account that runs the bot the right to, or another storage.path", dir)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return fmt.Sprintf("the folder %s takes files and does not let go of them: %v", dir, err)
	}
	return ""
}

// readableByOthers returns the kubeconfigs that other accounts of this machine may read.
func readableByOthers(c *config) []present.ReadableFile {
	var found []present.ReadableFile
	for _, path := range kubeconfigs(c) {
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 {
			found = append(found, present.ReadableFile{Path: path, Mode: info.Mode()})
		}
	}
	return found
}

// kubeconfigs returns the kubeconfig files that a configuration uses, or that kubectl would use.
func kubeconfigs(c *config) []string {
	if c.file == "" {
		return clientcmd.NewDefaultClientConfigLoadingRules().GetLoadingPrecedence()
	}
	var paths []string
	for _, entry := range c.Clusters {
		paths = append(paths, entryFiles(c, entry)...)
	}
	return paths
}

func entryFiles(c *config, entry kube.Config) []string {
	switch {
	case entry.Kubeconfig != "":
		return []string{c.path(entry.Kubeconfig)}
	case entry.KubeconfigDir == "":
		return nil
	}
	dir := c.path(entry.KubeconfigDir)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil // reading the clusters has said so already
	}
	var paths []string
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), ".") {
			paths = append(paths, filepath.Join(dir, f.Name()))
		}
	}
	return paths
}
