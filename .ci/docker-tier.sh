#!/usr/bin/env bash
# Everything that needs a Docker daemon: Envoy in a container, our image, docker-compose.yml up to each verdict, testcontainers, the examples
# in other languages (those whose tools are here; the others say so).
# Uses the daemon that answers, else starts one with the lab's script where that is there. Images that cannot be pulled are made by the
# lab's scripts, too; the product itself needs none of them. Arguments go to vitest. Exits 77 (skipped) where there can be no daemon.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lab=../shared/lab
envoy=envoyproxy/envoy:v1.40.0
node=node:20-slim
skip() { echo "skipped: $1"; exit 77; }
has_image() { docker image inspect "$1" >/dev/null 2>&1; }
part() { # WORDS COMMAND…: tells how long it took
  local words=$1 began=$SECONDS; shift
  "$@" || return $?
  echo "-- $words: $((SECONDS - began)) s"
}

started_by_us=
if ! timeout 10 docker version >/dev/null 2>&1; then
  [[ -r $lab/docker-up.sh ]] || skip 'no Docker daemon answers, and there is no script here that starts one'
  # shellcheck source=/dev/null
  source "$lab/docker-up.sh"
  part 'the daemon starts' docker_up || skip 'the Docker daemon cannot be started here; its own words stand above'
  started_by_us=yes
fi

labels=(fake-istiod=test fake-istiod-example org.testcontainers)
labelled() { for label in "${labels[@]}"; do docker ps -aq --filter "label=$label"; done; }
networks() { for label in "${labels[@]}"; do docker network ls -q --filter "label=$label"; done; }
earlier=$(labelled; networks)

# Containers, networks and volumes of these tests, and of nothing else: by what they are labelled with.
clean_up() {
  local projects project id
  projects=$(docker ps -a --format '{{.Label "com.docker.compose.project"}}' | grep '^fake-istiod-test' | sort -u || true)
  for project in $projects; do
    docker ps -aq --filter "label=com.docker.compose.project=$project" | xargs -r docker rm -f -v >/dev/null
    docker network ls -q --filter "label=com.docker.compose.project=$project" | xargs -r docker network rm >/dev/null
    docker volume ls -q --filter "label=com.docker.compose.project=$project" | xargs -r docker volume rm >/dev/null
  done
  for id in $(labelled); do grep -q "$id" <<<"$earlier" || docker rm -f -v "$id" >/dev/null; done
  for id in $(networks); do grep -q "$id" <<<"$earlier" || docker network rm "$id" >/dev/null; done
  [[ -z $started_by_us ]] || docker_down
}
trap clean_up EXIT

bring_images() {
  if ! has_image "$envoy"; then
    if [[ -r $lab/images.sh ]]; then bash "$lab/images.sh" envoy 1.40.0; else docker pull -q "$envoy"; fi
  fi
  if ! has_image "$node"; then
    if [[ -r $lab/images.sh ]]; then bash "$lab/images.sh" node "$node"; else docker pull -q "$node"; fi
  fi
}
part 'images of others' bring_images || skip "no image $envoy or $node, and none to be had"

if ! docker compose version >/dev/null 2>&1; then
  if [[ -r $lab/compose-plugin.sh ]]; then
    part 'the compose plugin' bash "$lab/compose-plugin.sh" || echo 'the compose plugin cannot be built: tests with Compose are skipped'
  else
    echo 'docker has no compose plugin: tests with Compose are skipped'
  fi
fi

# Without a network inside builds only what is built already can go in.
target=${IMAGE_TARGET:-}
[[ -n $target || ! -r $lab/images.sh ]] || target=prebuilt
part 'our image' env IMAGE_TARGET="$target" npm run --silent image

before=$(docker ps -aq | wc -l)
part 'run ready with Envoy in Docker' node dist/bin/fake-istiod.js run ready --envoy "docker:$envoy"
# Testcontainers' own cleaner is an image, too; what it would remove is removed above.
export TESTCONTAINERS_RYUK_DISABLED=true
part 'tests' npx vitest run --project docker --project envoy test/docker test/envoy/envoy-docker.test.ts "$@"
after=$(docker ps -aq | wc -l)
[[ $before == "$after" || -z $started_by_us ]] || { echo 'a container was left behind'; docker ps -a; exit 1; }
