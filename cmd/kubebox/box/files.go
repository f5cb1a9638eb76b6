package box

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/kwok/kustomize/stage/node/fast"
	"sigs.k8s.io/kwok/kustomize/stage/node/heartbeat"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
)

// file is the path of one of the cluster's files.
func (c *cluster) file(name string) string { return filepath.Join(c.dir, name) }

// prepare makes the cluster's folder with its certificates, keys, token and the configuration of its components.
func (c *cluster) prepare(now time.Time) error {
	if err := os.MkdirAll(c.file(logsFolder), 0o700); err != nil {
		return fmt.Errorf("make the cluster's folder: %w", err)
	}
	ca, err := newAuthority(c.name, now)
	if err != nil {
		return err
	}
	c.admin = access{server: "https://" + c.apiPort.address(), ca: ca.pem, token: rand.Text()}
	files := map[string][]byte{
		"ca.crt":                            ca.pem,
		"tokens.csv":                        []byte(c.admin.token + ",admin,admin,system:masters\n"),
		"kwok.yaml":                         []byte(c.kwokConfig()),
		filepath.Join(logsFolder, emptyLog): nil,
	}
	if files["api.crt"], files["api.key"], err = ca.issue("kube-apiserver", now); err != nil {
		return err
	}
	if files["kubelet.crt"], files["kubelet.key"], err = ca.issue("kubelet", now); err != nil {
		return err
	}
	if files["sa.key"], files["sa.pub"], err = signingKeys(); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(c.file(name), data, 0o600); err != nil {
			return fmt.Errorf("write the cluster's files: %w", err)
		}
	}
	return writeKubeconfig(c.file("kubeconfig"), c.dir, map[string]access{c.name: c.admin}, c.name)
}

// kwokConfig says how kwok's nodes and pods behave: nodes become ready and send heartbeats, pods with a node become ready
// at once, pods of jobs complete, and deleted pods go at once. A container that no log was set for has an empty one, like
// a container that writes none. This default is not an object in the cluster because the API server makes the first
// object of a new kind wait for two seconds.
func (c *cluster) kwokConfig() string {
	return strings.Join([]string{
		fast.DefaultNodeInit,
		heartbeat.DefaultNodeHeartbeat,
		podfast.DefaultPodReady,
		podfast.DefaultPodComplete,
		podfast.DefaultPodDelete,
		fmt.Sprintf(defaultLogs, c.file(filepath.Join(logsFolder, emptyLog))),
	}, "\n---\n")
}

const defaultLogs = `apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterLogs
metadata: {name: default}
spec:
  logs: [{logsFile: %q}]
`
