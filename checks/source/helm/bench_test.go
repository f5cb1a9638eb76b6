package helm_test

import (
	"fmt"
	"testing"

	"stuckbot/checks"
	"stuckbot/checks/checkstest"
	"stuckbot/checks/source/helm"
	"stuckbot/checks/source/helm/helmtest"
	"stuckbot/checks/sweep"
)

func BenchmarkObserve1000Releases(b *testing.B) {
	r := &checkstest.Reader{}
	for i := range 1000 {
		for v := 1; v <= 10; v++ {
			status := checks.HelmSuperseded
			if v == 10 {
				status = checks.HelmDeployed
			}
			r.Add("secrets", helmtest.Record{Namespace: "n", Name: fmt.Sprintf("r%d", i), Version: v, Status: status}.Object())
		}
	}
	source := helm.New(helm.Config{})
	b.ReportAllocs()
	for b.Loop() {
		source.Observe(b.Context(), sweep.Scope{Cluster: "c"}, r, func(checks.Observation) {})
	}
}
