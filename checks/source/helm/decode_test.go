package helm

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stuckbot/checks"
)

func secret(packed []byte) *unstructured.Unstructured {
	inner := base64.StdEncoding.EncodeToString(packed)
	return &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"release": base64.StdEncoding.EncodeToString([]byte(inner))}}}
}

func zip(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.Copy(z, strings.NewReader(text)) // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

func TestUnreadablePayloadsAreSaid(t *testing.T) {
	for name, c := range map[string]struct {
		object *unstructured.Unstructured
		says   string
	}{
		"no data":        {&unstructured.Unstructured{Object: map[string]any{}}, "no data.release"},
		"outer base64":   {&unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"release": "%%"}}}, "the Secret's data"},
		"inner base64":   {&unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"release": base64.StdEncoding.EncodeToString([]byte("%%"))}}}, "the payload"},
		"cut gzip":       {secret(zip(`{"version":3,"info":{"status":"deployed"}}`)[:20]), "JSON"},
		"no JSON":        {secret(zip("not JSON")), "JSON"},
		"no status":      {secret(zip(`{"version":3}`)), "no status"},
		"other revision": {secret(zip(`{"version":2,"info":{"status":"deployed"}}`)), "revision 2"},
		"uncompressed":   {secret([]byte(`{"version":3,"info":{"status":"deployed"}}`)), ""},
	} {
		r := complete(checks.HelmRecord{Version: 3}, c.object, checks.HelmSecrets)
		if c.says == "" {
			if r.DecodeError != "" || r.Payload != checks.HelmDeployed {
				t.Errorf("%s: %+v", name, r)
			}
			continue
		}
		if !strings.Contains(r.DecodeError, c.says) || r.Payload != "" {
			t.Errorf("%s: error %q, payload %q, want %q and no payload", name, r.DecodeError, r.Payload, c.says)
		}
	}
}

func TestACompressionBombIsBounded(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, `{"name":"`)
	chunk := bytes.Repeat([]byte("a"), 1<<20)
	for range MaxPayload>>20 + 1 {
		_, _ = z.Write(chunk)
	}
	_ = z.Close()
	if _, err := decodePacked(b.Bytes()); !errors.Is(err, errTooLarge) {
		t.Errorf("error %v, want %v", err, errTooLarge)
	}
}

func FuzzDecodePacked(f *testing.F) {
	f.Add(zip(`{"name":"a","version":3,"info":{"status":"deployed"},"chart":{"metadata":{"name":"a","version":"1"}}}`))
	f.Add([]byte(`{"info":null,"chart":null}`))
	f.Add([]byte{0x1f, 0x8b, 0x08})
	f.Fuzz(func(t *testing.T, packed []byte) {
		r := complete(checks.HelmRecord{Version: 3}, secret(packed), checks.HelmSecrets)
		if (r.DecodeError == "") == (r.Payload == "") {
			t.Errorf("a record is either decoded or says why not: %+v", r)
		}
	})
}
