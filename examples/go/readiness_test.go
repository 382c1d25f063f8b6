package example

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/readiness/fakeistiod"
)

type fields = fakeistiod.Fields

func TestProxyIsNotReadyBeforeItHasItsClusters(t *testing.T) {
	istiod := fakeistiod.StartIstiod(t, "ready")
	check(t, istiod.Withhold(t.Context(), "CDS"))
	envoy := fakeistiod.StartEnvoy(t, istiod)

	check(t, istiod.AwaitEvent(t.Context(), "response.withheld", fields{"type": "CDS"}, "10s"))
	state, err := envoy.State()
	check(t, err)
	if state != "PRE_INITIALIZING" {
		t.Errorf("Envoy is %s while CDS is withheld", state)
	}

	check(t, istiod.Release(t.Context(), "CDS"))
	check(t, envoy.AwaitState("LIVE", 10*time.Second))
}

func TestProxyAcceptsAChange(t *testing.T) {
	istiod := fakeistiod.StartIstiod(t, "ready")
	envoy := fakeistiod.StartEnvoy(t, istiod)
	check(t, envoy.AwaitState("LIVE", 10*time.Second))

	version, err := istiod.Set(t.Context(), fields{"clusters": []fields{{"name": "new", "connect_timeout": "1s"}}})
	check(t, err)
	check(t, istiod.AwaitAck(t.Context(), version, "10s"))
}

func TestProxySaysWhyItRejectsAChange(t *testing.T) {
	istiod := fakeistiod.StartIstiod(t, "ready")
	envoy := fakeistiod.StartEnvoy(t, istiod)
	check(t, envoy.AwaitState("LIVE", 10*time.Second))

	address := fields{"socket_address": fields{"address": "0.0.0.0", "port_value": 10001}}
	version, err := istiod.Set(t.Context(), fields{"listeners": []fields{{"name": "bad", "address": address}}})
	check(t, err)

	var problem *fakeistiod.Error
	err = istiod.AwaitAck(t.Context(), version, "10s")
	if !errors.As(err, &problem) || problem.Code != "push.nacked" || !strings.Contains(problem.Detail, "no filter chains") {
		t.Errorf("want a NACK that says that there are no filter chains, got: %v", err)
	}
	// What it had before, it keeps.
	check(t, envoy.AwaitState("LIVE", time.Second))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
