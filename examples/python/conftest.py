from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from testcontainers.core.network import Network

from fake_istiod import Envoy, FakeIstiod


@pytest.fixture
def istiod() -> Iterator[FakeIstiod]:
    """A fake istiod for this test alone, on a network of its own."""
    with Network() as network:
        istiod = FakeIstiod(network)
        yield istiod
        istiod.container.stop()


@pytest.fixture
def start_envoy(istiod: FakeIstiod) -> Iterator[Callable[[], Envoy]]:
    """Starts an Envoy at that fake istiod. All are stopped after the test."""
    with ExitStack() as started:

        def start() -> Envoy:
            envoy = Envoy(istiod)
            started.callback(envoy.container.stop)
            return envoy

        yield start


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """A test that fails, for whatever reason, shows the last events of its fake istiod."""
    report = yield
    istiod = getattr(item, "funcargs", {}).get("istiod")
    # What was awaited in vain has them already.
    if report.when == "call" and report.failed and istiod and "last events:" not in str(call.excinfo.value):
        report.sections.append(("last events of the fake istiod", istiod.last_events()))
    return report
