package fakeistiod

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	stdlog "log"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/exec"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	alias       = "istiod.istio-system.svc"
	controlPort = "15080/tcp"
	adminPort   = 9901
	configFile  = "/etc/envoy/bootstrap.json"
)

// Each step of each container in the output of a test would hide what matters. A start that fails shows the container's log.
func init() { log.SetDefault(stdlog.New(io.Discard, "", 0)) }

// Istiod is a fake istiod in a container, on a network of its own.
type Istiod struct {
	*Control
	network    *testcontainers.DockerNetwork
	showEvents func()
}

// StartIstiod serves a packaged scenario. All is removed after the test; if the test fails, the last events are in its output.
func StartIstiod(t *testing.T, scenario string) *Istiod {
	t.Helper()
	ctx := t.Context()
	mesh, err := network.New(ctx)
	testcontainers.CleanupNetwork(t, mesh)
	fatal(t, "make a network", err)
	token := rand.Text()
	container, err := testcontainers.Run(ctx, imageOr("FAKE_ISTIOD_IMAGE", "fake-istiod:local"),
		testcontainers.WithCmd("serve", scenario),
		testcontainers.WithEnv(map[string]string{"FAKE_ISTIOD_CONTROL_TOKEN": token}),
		testcontainers.WithExposedPorts(controlPort),
		network.WithNetwork([]string{alias}, mesh),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/health").WithPort(controlPort)),
	)
	testcontainers.CleanupContainer(t, container, testcontainers.StopTimeout(0))
	started(t, "the fake istiod", container, err)
	endpoint, err := container.PortEndpoint(ctx, controlPort, "http")
	fatal(t, "find the control port", err)
	showEvents := sync.OnceFunc(func() {
		if t.Failed() {
			t.Logf("last events of the fake istiod:\n%s", lastEvents(container))
		}
	})
	t.Cleanup(showEvents)
	return &Istiod{&Control{URL: endpoint, Token: token}, mesh, showEvents}
}

// Envoy is a real Envoy in a container.
type Envoy struct{ adminURL string }

// StartEnvoy starts one at the fake istiod. It is up when its admin API answers, whatever its state.
func StartEnvoy(t *testing.T, istiod *Istiod) *Envoy {
	t.Helper()
	ctx := t.Context()
	bootstrap, err := istiod.Bootstrap(ctx, alias, adminPort)
	fatal(t, "make a bootstrap", err)
	admin := fmt.Sprintf("%d/tcp", adminPort)
	container, err := testcontainers.Run(ctx, imageOr("ENVOY_IMAGE", "envoyproxy/envoy:v1.40.0"),
		testcontainers.WithCmd("-c", configFile, "--log-level", "warning"),
		testcontainers.WithFiles(testcontainers.ContainerFile{Reader: bytes.NewReader(bootstrap), ContainerFilePath: configFile, FileMode: 0o644}),
		testcontainers.WithExposedPorts(admin),
		network.WithNetwork(nil, istiod.network),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/server_info").WithPort(admin)),
	)
	testcontainers.CleanupContainer(t, container, testcontainers.StopTimeout(0))
	started(t, "Envoy", container, err)
	// What is registered last is called first: before this Envoy is stopped, which would be the last event.
	t.Cleanup(istiod.showEvents)
	endpoint, err := container.PortEndpoint(ctx, admin, "http")
	fatal(t, "find the admin port", err)
	return &Envoy{adminURL: endpoint}
}

// State is PRE_INITIALIZING, INITIALIZING, LIVE or DRAINING.
func (e *Envoy) State() (string, error) {
	response, err := http.Get(e.adminURL + "/ready")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return strings.TrimSpace(string(body)), err
}

// AwaitState waits until Envoy gets into a state.
func (e *Envoy) AwaitState(want string, timeout time.Duration) error {
	for deadline := time.Now().Add(timeout); ; time.Sleep(50 * time.Millisecond) {
		state, err := e.State()
		if err == nil && state == want {
			return nil
		}
		if time.Now().After(deadline) {
			if err != nil {
				return err
			}
			return fmt.Errorf("Envoy is not %s within %s: it is %s", want, timeout, state)
		}
	}
}

func lastEvents(container testcontainers.Container) string {
	// The test's own context is over when it has failed.
	_, output, err := container.Exec(context.Background(), []string{"fake-istiod", "ctl", "events", "--limit", "10"}, exec.Multiplexed())
	if err != nil {
		return err.Error()
	}
	events, _ := io.ReadAll(output)
	return string(events)
}

func started(t *testing.T, name string, container *testcontainers.DockerContainer, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var said []byte
	if container != nil {
		if logs, logsErr := container.Logs(t.Context()); logsErr == nil {
			said, _ = io.ReadAll(logs)
		}
	}
	t.Fatalf("cannot start %s: %v\n%s", name, err, said)
}

func imageOr(variable, image string) string {
	if named := os.Getenv(variable); named != "" {
		return named
	}
	return image
}

func fatal(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("cannot %s: %v", what, err)
	}
}
