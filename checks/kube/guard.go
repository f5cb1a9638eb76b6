package kube

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd/api"
)

// GuardError says what in a kubeconfig a service refuses, and is the Err of the cluster's failure.
type GuardError struct {
	// Rule is one of "exec", "auth-provider", "insecure" and "outside-file".
	Rule string
	// Value is the plugin's command or name, or the file's path.
	Value string
}

// Error names what was refused.
func (e *GuardError) Error() string {
	return fmt.Sprintf("kubeconfig refused: %s %q", e.Rule, e.Value)
}

// guard checks what the context uses; other contexts of the same file do not matter.
func guard(config *api.Config, context string, allowed []string) error {
	c := config.Contexts[context]
	if user := config.AuthInfos[c.AuthInfo]; user != nil {
		if user.Exec != nil && !slices.Contains(allowed, user.Exec.Command) {
			return &GuardError{"exec", user.Exec.Command}
		}
		if user.AuthProvider != nil {
			return &GuardError{"auth-provider", user.AuthProvider.Name}
		}
		for _, file := range []string{user.ClientCertificate, user.ClientKey, user.TokenFile} {
			if outside(user.LocationOfOrigin, file) {
				return &GuardError{"outside-file", file}
			}
		}
	}
	if cluster := config.Clusters[c.Cluster]; cluster != nil {
		if cluster.InsecureSkipTLSVerify {
			return &GuardError{"insecure", cluster.Server}
		}
		if outside(cluster.LocationOfOrigin, cluster.CertificateAuthority) {
			return &GuardError{"outside-file", cluster.CertificateAuthority}
		}
	}
	return nil
}

// outside reports whether a file lies outside the folder of the kubeconfig that names it. It follows links, so that a link
// in the folder cannot lead out of it. A file that cannot be resolved is judged by its path, and reading it fails later
// with its own error.
func outside(kubeconfig, file string) bool {
	if file == "" {
		return false
	}
	dir := filepath.Dir(kubeconfig)
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if resolved, err := filepath.EvalSymlinks(file); err == nil {
		file = resolved
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(dir, file)
	return err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
