"""Broken on purpose: nobody releases what is withheld. `broken.txt` shows how that fails."""

import pytest


@pytest.fixture
def envoy(istiod, start_envoy):
    istiod.control.withhold("CDS")
    envoy = start_envoy()
    istiod.control.await_event("response.withheld", type="CDS")
    return envoy


def test_a_proxy_becomes_ready(envoy):
    envoy.await_state("LIVE", timeout=2)


def test_a_proxy_accepts_a_change(istiod, envoy):
    version = istiod.control.set(clusters=[{"name": "new", "connect_timeout": "1s"}])
    istiod.control.await_ack(version, timeout="2s")
