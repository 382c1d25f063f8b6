#!/usr/bin/env bash
# Checks the running control API against its openapi.json, with schemathesis. Brings it from PyPI into the cache; 77 if that cannot be.
set -euo pipefail
version=4.32.5
cache="${XDG_CACHE_HOME:-$HOME/.cache}/fake-istiod/schemathesis-$version"

if ! [ -x "$cache/bin/schemathesis" ]; then
  if ! command -v python3 >/dev/null; then
    echo 'there is no Python 3, which schemathesis needs: the control API is not checked against openapi.json'
    exit 77
  fi
  if ! { python3 -m venv "$cache" && "$cache/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version"; } >&2; then
    rm -rf "$cache"
    echo "schemathesis $version is not to be had: the control API is not checked against openapi.json"
    exit 77
  fi
fi

work="$(mktemp -d)"
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

node tools/setup.mjs >&2
node dist/bin/fake-istiod.js serve ready --port 0 --no-plaintext-port --control-port 0 --log-level error 2>"$work/said" &
server=$!
url=
for _ in $(seq 100); do
  url="$(sed -n 's/^The control API is at \(http[^ ]*\) .*/\1/p' "$work/said")"
  [ -n "$url" ] && break
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
if [ -z "$url" ]; then
  cat "$work/said"
  echo 'the server did not start'
  exit 1
fi

# Left out: the stream of events, which does not end; and that whatever fits the schema is taken, for what a resource type or a scenario is
# called is in no schema.
hooks="$PWD/.ci"
run() {
  (cd "$work" && PYTHONPATH="$hooks" PYTHONDONTWRITEBYTECODE=1 SCHEMATHESIS_HOOKS=schemathesis_hooks \
    "$cache/bin/schemathesis" run "$url/openapi.json" --exclude-path /events/stream --exclude-checks positive_data_acceptance \
    --warnings off --request-timeout 15 --seed 1 --no-color --workers 2 --no-shrink "$@")
}
run --phases examples,coverage --max-time 300
run --phases fuzzing --max-examples 15 --max-time 120
kill -0 "$server" || { echo 'the server did not survive it'; exit 1; }
