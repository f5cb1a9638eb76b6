package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeServer answers like an API server with some Helm records: enough for the way from the command line to the screen.
// What a real API server does is tested elsewhere, against real ones.
type fakeServer struct {
	// records are Secrets by namespace.
	records map[string][]record
	// forbidden are "verb resource", "verb resource namespace", or "verb resource *" for all namespaces at once, that are
	// answered with 403 and denied in reviews.
	forbidden map[string]bool
	// ahead is how far its clock is ahead.
	ahead time.Duration
	// answer, if set, answers everything.
	answer http.HandlerFunc
}

type record struct {
	name    string
	version int
	status  string
	created time.Time
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", time.Now().Add(f.ahead).UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case f.answer != nil:
		f.answer(w, r)
	case r.URL.Path == "/version":
		fmt.Fprint(w, `{"gitVersion":"v1.37.2"}`)
	case strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews"):
		f.review(w, r)
	case len(parts) == 3: // api/v1/RESOURCE
		f.list(w, r, parts[2], "")
	case len(parts) == 5: // api/v1/namespaces/NAMESPACE/RESOURCE
		f.list(w, r, parts[4], parts[3])
	case len(parts) == 6:
		f.get(w, parts[4], parts[3], parts[5])
	default:
		failure(w, http.StatusNotFound, "NotFound", "the server could not find the requested resource")
	}
}

func failure(w http.ResponseWriter, code int, reason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": code})
}

func (f *fakeServer) denies(verb, resource, namespace string) bool {
	return f.forbidden[verb+" "+resource] || f.forbidden[verb+" "+resource+" "+namespace] || (namespace == "" && f.forbidden[verb+" "+resource+" *"])
}

func (f *fakeServer) review(w http.ResponseWriter, r *http.Request) {
	var review map[string]any
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		failure(w, http.StatusBadRequest, "BadRequest", err.Error())
		return
	}
	asked := review["spec"].(map[string]any)["resourceAttributes"].(map[string]any)
	namespace, _ := asked["namespace"].(string)
	review["status"] = map[string]any{"allowed": !f.denies(asked["verb"].(string), asked["resource"].(string), namespace)}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(review)
}

func (f *fakeServer) list(w http.ResponseWriter, r *http.Request, resource, namespace string) {
	if f.denies("list", resource, namespace) {
		where := "at the cluster scope"
		if namespace != "" {
			where = fmt.Sprintf("in the namespace %q", namespace)
		}
		failure(w, http.StatusForbidden, "Forbidden", fmt.Sprintf("%s is forbidden: User \"bot\" cannot list resource %q in API group \"\" %s", resource, resource, where))
		return
	}
	items := []any{}
	for ns, records := range f.records {
		switch {
		case resource == "namespaces":
			items = append(items, map[string]any{"metadata": map[string]any{"name": ns}})
		case resource == "secrets" && (namespace == "" || namespace == ns):
			for _, rec := range records {
				if wanted(rec, r.URL.Query().Get("labelSelector")) {
					items = append(items, map[string]any{"metadata": metadataOf(ns, rec)})
				}
			}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{}, "items": items})
}

// wanted understands the two selectors that narrow a list of records.
func wanted(rec record, selector string) bool {
	if _, statuses, found := strings.Cut(selector, "status in ("); found {
		return strings.Contains(strings.TrimSuffix(statuses, ")")+",", rec.status+",")
	}
	if _, names, found := strings.Cut(selector, "name in ("); found {
		return strings.Contains(","+strings.TrimSuffix(names, ")")+",", ","+rec.name+",")
	}
	return true
}

func metadataOf(namespace string, rec record) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("sh.helm.release.v1.%s.v%d", rec.name, rec.version), "namespace": namespace, "uid": "u", "resourceVersion": "1",
		"creationTimestamp": rec.created.UTC().Format(time.RFC3339),
		"labels":            map[string]any{"owner": "helm", "name": rec.name, "status": rec.status, "version": fmt.Sprint(rec.version)},
		"managedFields": []any{map[string]any{"manager": "Helm", "operation": "Update", "apiVersion": "v1", "time": rec.created.UTC().Format(time.RFC3339),
			"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:data": map[string]any{}}}},
	}
}

func (f *fakeServer) get(w http.ResponseWriter, resource, namespace, name string) {
	for _, rec := range f.records[namespace] {
		if resource != "secrets" || fmt.Sprintf("sh.helm.release.v1.%s.v%d", rec.name, rec.version) != name {
			continue
		}
		payload, _ := json.Marshal(map[string]any{"name": rec.name, "version": rec.version, "info": map[string]any{"status": rec.status},
			"chart": map[string]any{"metadata": map[string]any{"name": rec.name, "version": "1.2.3"}}})
		twice := base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(payload)))
		_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Secret", "apiVersion": "v1", "metadata": metadataOf(namespace, rec), "data": map[string]any{"release": twice}})
		return
	}
	failure(w, http.StatusNotFound, "NotFound", name+" not found")
}

// authority signs the certificates of one test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-10 * 365 * 24 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign}
	key := newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// issue signs a certificate for 127.0.0.1, or for another name.
func (a *authority) issue(t *testing.T, name string, notAfter time.Time) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "bot"},
		NotBefore: notAfter.Add(-365 * 24 * time.Hour), NotAfter: notAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if name == "" {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	} else {
		template.DNSNames = []string{name}
	}
	key := newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// start serves with a certificate; without one, with one that is right.
func start(t *testing.T, a *authority, certificate *tls.Certificate, handler http.Handler) *httptest.Server {
	t.Helper()
	if certificate == nil {
		right := a.issue(t, "", time.Now().Add(time.Hour))
		certificate = &right
	}
	server := httptest.NewUnstartedServer(handler)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{*certificate}}
	server.Config.ErrorLog = nil
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// kubeconfig is what differs between the kubeconfigs of the tests.
type kubeconfig struct {
	server string
	ca     []byte
	// cluster and user are further lines of the cluster and the user.
	cluster, user string
}

// write writes a kubeconfig with one context for each name and a configuration that uses it, and returns the latter.
func writeConfig(t *testing.T, contexts map[string]kubeconfig, entry, rest string) string {
	t.Helper()
	dir := t.TempDir()
	var clusters, users, names strings.Builder
	for name, k := range contexts {
		fmt.Fprintf(&clusters, "- name: %s\n  cluster:\n    server: %s\n", name, k.server)
		if k.ca != nil {
			fmt.Fprintf(&clusters, "    certificate-authority-data: %s\n", base64.StdEncoding.EncodeToString(k.ca))
		}
		clusters.WriteString(k.cluster)
		user := k.user
		if user == "" {
			user = "    token: abc\n"
		}
		fmt.Fprintf(&users, "- name: %s\n  user:\n%s", name, user)
		fmt.Fprintf(&names, "- name: %s\n  context: {cluster: %s, user: %s}\n", name, name, name)
	}
	text := "apiVersion: v1\nkind: Config\nclusters:\n" + clusters.String() + "users:\n" + users.String() + "contexts:\n" + names.String()
	writeFile(t, filepath.Join(dir, "kubeconfig"), text)
	file := filepath.Join(dir, "stuckbot.yaml")
	writeFile(t, file, "clusters:\n- {kubeconfig: ./kubeconfig"+entry+"}\n"+rest)
	return file
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
