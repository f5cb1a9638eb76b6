package kubetest

import "testing"

// Pause makes the API server hang until Resume: connections are accepted and nobody answers. Like everything that makes
// an API server fail, it needs a Fresh cluster. It need not be undone: a Fresh cluster ends with its test.
func (c *Cluster) Pause(t testing.TB) {
	t.Helper()
	c.fail(t, "pause")
}

// Resume ends a Pause.
func (c *Cluster) Resume(t testing.TB) {
	t.Helper()
	c.fail(t, "resume")
}

// StopAPI kills the API server: connections are refused.
func (c *Cluster) StopAPI(t testing.TB) {
	t.Helper()
	c.fail(t, "stop-api")
}

// StartAPI starts a stopped API server at its old address and waits until it is ready.
func (c *Cluster) StartAPI(t testing.TB) {
	t.Helper()
	c.fail(t, "start-api")
}

func (c *Cluster) fail(t testing.TB, order string) {
	t.Helper()
	if !c.fresh {
		t.Fatalf("kubetest: %s of %s, which other tests use at the same time: take a Fresh cluster", order, c.Name)
	}
	c.box.mustOrder(t, "", order, "--cluster", c.Name)
}
