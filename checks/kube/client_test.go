package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"stuckbot/checks"
)

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// connect makes a client of a server that is not there to be real but to misbehave. The real one is met in the tests of
// the sources and of the command line.
func connect(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c := &Cluster{Name: "c", config: &rest.Config{Host: server.URL}, client: ClientOptions{ResponseTimeout: time.Second}}
	client, err := c.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func page(w http.ResponseWriter, next string, names ...string) {
	list := metav1.PartialObjectMetadataList{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}, ListMeta: metav1.ListMeta{Continue: next},
	}
	for _, n := range names {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: n}})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list) // a broken connection fails the test elsewhere
}

func status(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: int32(code), Reason: reason, Message: string(reason),
	})
}

func list(t *testing.T, c *Client) ([]string, error) {
	t.Helper()
	var names []string
	err := c.ListMetadata(t.Context(), checks.Query{Resource: secrets}, func(m *metav1.PartialObjectMetadata) error {
		names = append(names, m.Name)
		return nil
	})
	return names, err
}

func TestListsFollowTheirPagesAndBeginAgainOnce(t *testing.T) {
	var expiries atomic.Int64
	c := connect(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("limit") != "500" {
			t.Errorf("limit %q", r.URL.Query().Get("limit"))
		}
		switch {
		case r.URL.Query().Get("continue") == "":
			page(w, "two", "a")
		case expiries.Add(1) == 1:
			status(w, http.StatusGone, metav1.StatusReasonExpired)
		default:
			page(w, "", "b")
		}
	})
	names, err := list(t, c)
	if got := strings.Join(names, ""); err != nil || got != "aab" {
		t.Errorf("saw %q, %v; want a twice, because the list began again, and b", got, err)
	}
}

func TestAListThatAlwaysExpiresEnds(t *testing.T) {
	c := connect(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("continue") == "" {
			page(w, "two", "a")
			return
		}
		status(w, http.StatusGone, metav1.StatusReasonExpired)
	})
	if _, err := list(t, c); checks.KindOf(err) != checks.FailureExpired {
		t.Errorf("error %v", err)
	}
}

func TestAnErrorOfTheCallbackEndsTheList(t *testing.T) {
	enough := errors.New("enough")
	c := connect(t, func(w http.ResponseWriter, _ *http.Request) { page(w, "more", "a", "b") })
	err := c.ListMetadata(t.Context(), checks.Query{Resource: secrets}, func(*metav1.PartialObjectMetadata) error { return enough })
	if !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
}

func TestStatusesAreTold(t *testing.T) {
	for code, want := range map[int]checks.FailureKind{
		http.StatusUnauthorized:        checks.FailureUnauthorized,
		http.StatusForbidden:           checks.FailureForbidden,
		http.StatusNotFound:            checks.FailureNotFound,
		http.StatusInternalServerError: checks.FailureServer,
		http.StatusGatewayTimeout:      checks.FailureTimeout,
	} {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) { status(w, code, reasonOf(code)) })
		if _, err := list(t, c); checks.KindOf(err) != want {
			t.Errorf("%d: %v, want %s", code, err, want)
		}
	}
}

func reasonOf(code int) metav1.StatusReason {
	return map[int]metav1.StatusReason{
		http.StatusUnauthorized: metav1.StatusReasonUnauthorized, http.StatusForbidden: metav1.StatusReasonForbidden,
		http.StatusNotFound: metav1.StatusReasonNotFound, http.StatusInternalServerError: metav1.StatusReasonInternalError,
		http.StatusGatewayTimeout: metav1.StatusReasonTimeout,
	}[code]
}

func TestGarbageIsAFailureAndNoCluster(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"a web page": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>login</html>") },
		"a redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"nothing":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) },
	} {
		c := connect(t, handler)
		if server, err := c.Server(t.Context()); err == nil {
			t.Errorf("%s was taken for the server %+v", name, server)
		}
		if names, err := list(t, c); err == nil && len(names) > 0 {
			t.Errorf("%s was taken for the list %v", name, names)
		}
	}
}

func TestTheServersClockIsRead(t *testing.T) {
	clock := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	for name, forbidden := range map[string]bool{"version": false, "version forbidden": true} {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", clock.Format(http.TimeFormat))
			if forbidden {
				status(w, http.StatusForbidden, metav1.StatusReasonForbidden)
				return
			}
			fmt.Fprint(w, `{"gitVersion":"v1.37.2"}`)
		})
		server, err := c.Server(t.Context())
		if err != nil || !server.Time.Equal(clock) || (server.Version == "") != forbidden {
			t.Errorf("%s: %+v, %v", name, server, err)
		}
	}
}
