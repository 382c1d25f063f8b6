import pytest

from fake_istiod import IstiodError


def test_a_proxy_is_not_ready_before_it_has_its_clusters(istiod, start_envoy):
    istiod.control.withhold("CDS")
    envoy = start_envoy()
    istiod.control.await_event("response.withheld", type="CDS")
    assert envoy.state() == "PRE_INITIALIZING"

    istiod.control.release("CDS")
    envoy.await_state("LIVE")


def test_a_proxy_accepts_a_change(istiod, start_envoy):
    start_envoy().await_state("LIVE")

    version = istiod.control.set(clusters=[{"name": "new", "connect_timeout": "1s"}])
    istiod.control.await_ack(version)


def test_a_proxy_says_why_it_rejects_a_change(istiod, start_envoy):
    envoy = start_envoy()
    envoy.await_state("LIVE")

    address = {"socket_address": {"address": "0.0.0.0", "port_value": 10001}}
    version = istiod.control.set(listeners=[{"name": "bad", "address": address}])
    with pytest.raises(IstiodError, match="no filter chains") as nack:
        istiod.control.await_ack(version)
    assert nack.value.code == "push.nacked"
    # What it had before, it keeps.
    assert envoy.state() == "LIVE"
