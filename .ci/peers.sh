#!/usr/bin/env bash
# Brings what the tests with other people's clients need: Go's builds of them, and `ip` for a network namespace of their own.
set -euo pipefail
if ! command -v ip >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends iproute2 >/dev/null
fi
command -v ip >/dev/null || echo 'there is no ip (iproute2): tests in a network namespace will be skipped'
if ! command -v go >/dev/null; then
  echo 'there is no Go, which other clients are built with: their tests will be skipped'
  exit 77
fi
exec node tools/peers.mjs
