//go:build broken

// Broken on purpose: nobody releases what is withheld. broken.txt shows how that fails.
package example

import (
	"testing"
	"time"

	"example.com/readiness/fakeistiod"
)

func TestBrokenProxyBecomesReady(t *testing.T) {
	istiod := fakeistiod.StartIstiod(t, "ready")
	check(t, istiod.Withhold(t.Context(), "CDS"))
	envoy := fakeistiod.StartEnvoy(t, istiod)
	check(t, istiod.AwaitEvent(t.Context(), "response.withheld", fields{"type": "CDS"}, "10s"))

	check(t, envoy.AwaitState("LIVE", 2*time.Second))
}

func TestBrokenProxyAcceptsAChange(t *testing.T) {
	istiod := fakeistiod.StartIstiod(t, "ready")
	check(t, istiod.Withhold(t.Context(), "CDS"))
	fakeistiod.StartEnvoy(t, istiod)
	check(t, istiod.AwaitEvent(t.Context(), "response.withheld", fields{"type": "CDS"}, "10s"))

	version, err := istiod.Set(t.Context(), fields{"clusters": []fields{{"name": "new", "connect_timeout": "1s"}}})
	check(t, err)
	check(t, istiod.AwaitAck(t.Context(), version, "2s"))
}
