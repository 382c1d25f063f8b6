#!/usr/bin/env bash
# `run ready` with Envoy in a container. Uses the daemon that answers, else starts one with the lab's script where that is there.
# Arguments go to vitest. Exits 77 (skipped) when there can be no daemon or no image here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lab=../shared/lab
image=envoyproxy/envoy:v1.40.0
skip() { echo "skipped: $1"; exit 77; }

started_by_us=
if ! timeout 10 docker version >/dev/null 2>&1; then
  [[ -r $lab/docker-up.sh ]] || skip 'no Docker daemon answers, and there is no script here that starts one'
  # shellcheck source=/dev/null
  source "$lab/docker-up.sh"
  trap 'docker_down' EXIT
  docker_up || skip 'the Docker daemon cannot be started here; its own words stand above'
  started_by_us=yes
fi
if ! docker image inspect "$image" >/dev/null 2>&1; then
  if [[ -r $lab/images.sh ]]; then bash "$lab/images.sh" envoy 1.40.0; else docker pull -q "$image" || skip "no image $image and none to be had"; fi
fi
before=$(docker ps -aq | wc -l)
node dist/bin/fake-istiod.js run ready --envoy "docker:$image"
npx vitest run --project envoy test/envoy/envoy-docker.test.ts "$@"
after=$(docker ps -aq | wc -l)
[[ $before == "$after" || -z $started_by_us ]] || { echo "a container was left behind"; docker ps -a; exit 1; }
