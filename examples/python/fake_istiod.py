"""A fake istiod and Envoys in containers; the istiod is moved over its control API."""

import json
import os
import secrets
import time
from typing import Any

import requests
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network
from testcontainers.core.wait_strategies import HttpWaitStrategy

ALIAS = "istiod.istio-system.svc"
CONTROL_PORT = 15080
ADMIN_PORT = 9901
CONFIG_FILE = "/etc/envoy/bootstrap.json"

Fields = dict[str, Any]
"""An object of JSON: a resource in Envoy's JSON form, or the pattern of an event."""


class IstiodError(Exception):
    """What the control API says when something is wrong, or is not as awaited."""

    def __init__(self, problem: Fields) -> None:
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.code: str = problem["code"]  # one of the error codes of fake-istiod, such as push.nacked


class Control:
    """A client of the control API: the few operations that these tests need. GET /openapi.json has all."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"

    def withhold(self, resource_type: str) -> None:
        """Lets a type, such as CDS, be unanswered until it is released."""
        self.call("POST", "/withhold", json=resource_type)

    def release(self, resource_type: str) -> None:
        """Answers what was withheld, with what is served now."""
        self.call("POST", "/release", json=resource_type)

    def set(self, **resources: list[Fields]) -> str:
        """Serves resources beside all others: set(clusters=[...]). Returns the version of the push."""
        return self.call("PATCH", "/snapshot", json={"set": resources})["version"]

    def await_ack(self, version: str, timeout: str = "10s") -> None:
        """Waits until every connected Envoy has accepted a push. IstiodError `push.nacked` with Envoy's own words, or
        `wait.timed-out` with what is missing."""
        __tracebackhide__ = True
        self.call("GET", "/wait/acked", params={"version": version, "timeout": timeout})

    def await_event(self, name: str, timeout: str = "10s", **pattern: Any) -> Fields:
        """Waits until something happens, or has happened: await_event("response.withheld", type="CDS")."""
        __tracebackhide__ = True
        return self.call("POST", "/wait", json={name: pattern, "timeout": timeout})["event"]

    def bootstrap(self, host: str, admin_port: int) -> Fields:
        """A bootstrap for an Envoy that reaches the istiod as `host`."""
        params = {"host": host, "port": 15012, "admin_host": "0.0.0.0", "admin_port": admin_port}
        return self.call("GET", "/bootstrap", params=params)

    def call(self, method: str, path: str, **request: Any) -> Fields:
        __tracebackhide__ = True
        response = self.session.request(method, self.url + path, timeout=60, **request)
        if response.headers["content-type"] == "application/problem+json":
            raise IstiodError(response.json())
        response.raise_for_status()
        return response.json()


class FakeIstiod:
    """A fake istiod in a container, which serves a packaged scenario."""

    def __init__(self, network: Network, scenario: str = "ready") -> None:
        token = secrets.token_hex(16)
        self.network = network
        self.container = started(
            DockerContainer(os.environ.get("FAKE_ISTIOD_IMAGE", "fake-istiod:local"))
            .with_command(["serve", scenario])
            .with_env("FAKE_ISTIOD_CONTROL_TOKEN", token)
            .with_exposed_ports(CONTROL_PORT)
            .with_network(network)
            .with_network_aliases(ALIAS)
            .waiting_for(HttpWaitStrategy(CONTROL_PORT, "/health").with_poll_interval(0.1).with_startup_timeout(30))
        )
        self.control = Control(url_of(self.container, CONTROL_PORT), token)

    def last_events(self) -> str:
        return self.container.exec(["fake-istiod", "ctl", "events", "--limit", "10"]).output.decode()


class Envoy:
    """A real Envoy in a container. It is up when its admin API answers, whatever its state."""

    def __init__(self, istiod: FakeIstiod) -> None:
        bootstrap = json.dumps(istiod.control.bootstrap(ALIAS, ADMIN_PORT)).encode()
        self.container = started(
            DockerContainer(os.environ.get("ENVOY_IMAGE", "envoyproxy/envoy:v1.40.0"))
            .with_command(["-c", CONFIG_FILE, "--log-level", "warning"])
            .with_copy_into_container(bootstrap, CONFIG_FILE, 0o644)
            .with_exposed_ports(ADMIN_PORT)
            .with_network(istiod.network)
            .waiting_for(HttpWaitStrategy(ADMIN_PORT, "/server_info").with_poll_interval(0.1).with_startup_timeout(30))
        )
        self.admin_url = url_of(self.container, ADMIN_PORT)

    def state(self) -> str:
        """PRE_INITIALIZING, INITIALIZING, LIVE or DRAINING."""
        return requests.get(f"{self.admin_url}/ready", timeout=5).text.strip()

    def await_state(self, wanted: str, timeout: float = 10) -> None:
        __tracebackhide__ = True
        deadline = time.monotonic() + timeout
        while (state := self.state()) != wanted:
            assert time.monotonic() < deadline, f"Envoy is not {wanted} within {timeout} s: it is {state}"
            time.sleep(0.05)


def started(container: DockerContainer) -> DockerContainer:
    """Starts it; one that does not get up is removed at once."""
    try:
        return container.start()
    except BaseException:
        container.stop()
        raise


def url_of(container: DockerContainer, port: int) -> str:
    return f"http://{container.get_container_host_ip()}:{container.get_exposed_port(port)}"
