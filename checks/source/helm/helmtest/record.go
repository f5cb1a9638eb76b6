// Package helmtest makes Helm release records for tests, encoded as Helm 3 encodes them. The tests of package helm prove
// them against Helm's own command line on a real API server.
package helmtest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stuckbot/checks"
)

// Record describes one revision's record.
type Record struct {
	Storage         checks.HelmStorage
	Namespace, Name string
	Version         int
	// Status is the payload's, Label the label's; an empty Label is the same as Status.
	Status, Label checks.HelmStatus
	ChartVersion  string
	// Padding makes the record about this much larger, in bytes, with text that does not compress.
	Padding int
	// Raw replaces the payload, to make records that cannot be decoded.
	Raw []byte
}

// Object returns the Secret or ConfigMap.
func (r Record) Object() *unstructured.Unstructured {
	label := r.Label
	if label == "" {
		label = r.Status
	}
	raw := r.Raw
	if raw == nil {
		raw = r.payload()
	}
	data := base64.StdEncoding.EncodeToString(raw)
	object := map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata": map[string]any{
			"name":      fmt.Sprintf("sh.helm.release.v1.%s.v%d", r.Name, r.Version),
			"namespace": r.Namespace,
			"labels": map[string]any{
				"name": r.Name, "owner": "helm", "status": string(label), "version": strconv.Itoa(r.Version),
			},
		},
		"data": map[string]any{"release": data},
	}
	if r.Storage != checks.HelmConfigMaps {
		object["kind"], object["type"] = "Secret", "helm.sh/release.v1"
		object["data"] = map[string]any{"release": base64.StdEncoding.EncodeToString([]byte(data))}
	}
	return &unstructured.Unstructured{Object: object}
}

// Resource returns the plural name of the record's resource.
func (r Record) Resource() string {
	if r.Storage == checks.HelmConfigMaps {
		return "configmaps"
	}
	return "secrets"
}

func (r Record) payload() []byte {
	version := r.ChartVersion
	if version == "" {
		version = "1.0." + strconv.Itoa(r.Version)
	}
	release := map[string]any{
		"name": r.Name, "namespace": r.Namespace, "version": r.Version,
		"info":     map[string]any{"status": string(r.Status), "first_deployed": "2026-01-01T00:00:00Z", "last_deployed": "2026-01-01T00:00:00Z", "description": "made by a test"},
		"chart":    map[string]any{"metadata": map[string]any{"name": r.Name, "version": version, "appVersion": version, "apiVersion": "v2"}},
		"config":   map[string]any{"padding": noise(r.Padding)},
		"manifest": "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + r.Name + "}\n",
	}
	text, err := json.Marshal(release)
	if err != nil {
		panic(err) // maps of strings and numbers always encode
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return packed.Bytes()
}

// noise returns n characters that look random and are the same each time.
func noise(n int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	b := make([]byte, n)
	state := uint64(88172645463325252)
	for i := range b {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		b[i] = alphabet[state%64]
	}
	return string(b)
}
