package helm

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stuckbot/checks"
)

// MaxPayload bounds a decompressed payload in bytes. A record holds at most 1 MiB compressed; more than this is no release
// but an attempt to exhaust memory.
const MaxPayload = 32 << 20

var errTooLarge = fmt.Errorf("the payload is larger than %d MiB when decompressed", MaxPayload>>20)

// payload is the part of a release that is decoded. Manifests, values and templates are passed over.
type payload struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Info    *struct {
		Status string `json:"status"`
	} `json:"info"`
	Chart *struct {
		Metadata *struct {
			Name       string `json:"name"`
			Version    string `json:"version"`
			AppVersion string `json:"appVersion"`
		} `json:"metadata"`
	} `json:"chart"`
}

// complete adds what the payload of object says to a record. A payload that cannot be decoded sets DecodeError: Helm itself
// stumbles over such a record, so it is reported and never passed over.
func complete(r checks.HelmRecord, object *unstructured.Unstructured, storage checks.HelmStorage) checks.HelmRecord {
	p, err := decode(object, storage)
	switch {
	case err != nil:
		r.DecodeError = err.Error()
		return r
	case p.Info == nil || p.Info.Status == "":
		r.DecodeError = "the payload has no status"
		return r
	case p.Version != r.Version:
		r.DecodeError = fmt.Sprintf("the payload is of revision %d, the record of revision %d", p.Version, r.Version)
		return r
	}
	r.Payload = checks.HelmStatus(p.Info.Status)
	if p.Chart != nil && p.Chart.Metadata != nil {
		m := p.Chart.Metadata
		r.ChartName, r.ChartVersion, r.AppVersion = m.Name, m.Version, m.AppVersion
	}
	return r
}

// decode reverses Helm's encoding: base64(gzip(JSON)) in data.release, and base64 once more for a Secret on the wire.
// Releases of early Helm 3 versions may lack the compression.
func decode(object *unstructured.Unstructured, storage checks.HelmStorage) (payload, error) {
	text, found, err := unstructured.NestedString(object.Object, "data", "release")
	if err != nil || !found {
		return payload{}, errors.New("the record has no data.release")
	}
	raw := []byte(text)
	if storage == checks.HelmSecrets {
		if raw, err = base64.StdEncoding.DecodeString(text); err != nil {
			return payload{}, fmt.Errorf("the Secret's data: %w", err)
		}
	}
	packed := make([]byte, base64.StdEncoding.DecodedLen(len(raw)))
	n, err := base64.StdEncoding.Decode(packed, raw)
	if err != nil {
		return payload{}, fmt.Errorf("the payload: %w", err)
	}
	return decodePacked(packed[:n])
}

func decodePacked(packed []byte) (payload, error) {
	var r io.Reader = bytes.NewReader(packed)
	if bytes.HasPrefix(packed, []byte{0x1f, 0x8b, 0x08}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return payload{}, fmt.Errorf("the payload's compression: %w", err)
		}
		r = z
	}
	bounded := &limitedReader{r: r, left: MaxPayload}
	var p payload
	d := json.NewDecoder(bounded)
	if err := d.Decode(&p); err != nil {
		return payload{}, fmt.Errorf("the payload's JSON: %w", err)
	}
	return p, nil
}

// limitedReader fails where io.LimitReader would pretend that the input ended.
type limitedReader struct {
	r    io.Reader
	left int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > l.left {
		p = p[:l.left]
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	return n, err
}
