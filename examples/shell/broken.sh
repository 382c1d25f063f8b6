#!/usr/bin/env bash
# Broken on purpose: nobody releases what is withheld. broken.txt shows how that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source ./fake-istiod.sh
source ./tap.sh

start_envoy_without_clusters() {
  start_istiod ready
  withhold CDS
  start_envoy
  await_event response.withheld '{"type": "CDS"}'
}

a_proxy_becomes_ready() {
  start_envoy_without_clusters
  await_state LIVE 2
}

a_proxy_accepts_a_change() {
  start_envoy_without_clusters
  set_resources '{"clusters": [{"name": "new", "connect_timeout": "1s"}]}'
  await_ack 2s
}

run_tests a_proxy_becomes_ready a_proxy_accepts_a_change
