#!/usr/bin/env bash
# ./readiness.sh, or without Docker: WITHOUT_DOCKER=1 ./readiness.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source ./fake-istiod.sh
source ./tap.sh

a_proxy_is_not_ready_before_it_has_its_clusters() {
  start_istiod ready
  withhold CDS
  start_envoy
  await_event response.withheld '{"type": "CDS"}'
  [[ $(state) == PRE_INITIALIZING ]] || fail "Envoy is $(state) while CDS is withheld"

  release CDS
  await_state LIVE
}

a_proxy_accepts_a_change() {
  start_istiod ready
  start_envoy
  await_state LIVE

  set_resources '{"clusters": [{"name": "new", "connect_timeout": "1s"}]}'
  await_ack
}

a_proxy_says_why_it_rejects_a_change() {
  start_istiod ready
  start_envoy
  await_state LIVE

  set_resources '{"listeners": [{"name": "bad", "address": {"socket_address": {"address": "0.0.0.0", "port_value": 10001}}}]}'
  local said
  if said=$(await_ack 2>&1); then fail 'a listener without filter chains was accepted'; fi
  [[ $said == *'no filter chains'* ]] || fail "it was rejected for another reason: $said"
  # What it had before, it keeps.
  [[ $(state) == LIVE ]]
}

run_tests a_proxy_is_not_ready_before_it_has_its_clusters a_proxy_accepts_a_change a_proxy_says_why_it_rejects_a_change
