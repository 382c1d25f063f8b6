# A fake istiod and an Envoy, moved with curl. To be sourced by a test; needs bash and curl, and either Docker or, with
# WITHOUT_DOCKER=1, the commands fake-istiod and envoy. All is stopped and removed when the script ends.
# shellcheck shell=bash

FAKE_ISTIOD_IMAGE=${FAKE_ISTIOD_IMAGE:-fake-istiod:local}
ENVOY_IMAGE=${ENVOY_IMAGE:-envoyproxy/envoy:v1.40.0}
WITHOUT_DOCKER=${WITHOUT_DOCKER:-}

lab=fake-istiod-example-$$  # of containers and their network
folder=$(mktemp -d)         # logs and the bootstrap
token=$lab-$RANDOM$RANDOM
control_url='' admin_url='' istiod_pid='' envoy_pid=''

# control METHOD PATH [BODY]: one operation of the control API. `GET /openapi.json` has all.
control() {
  local body=()
  [[ $# -lt 3 ]] || body=(--header 'Content-Type: application/json' --data "$3")
  curl --silent --show-error --fail-with-body --max-time 60 --header "Authorization: Bearer $token" \
    ${body[@]+"${body[@]}"} --request "$1" "$control_url$2" >"$folder/answer" 2>"$folder/curl-says" && cat "$folder/answer" && return
  # A problem (RFC 9457): its detail is sentences, with the last events where something was awaited.
  if grep -q '"detail"' "$folder/answer"; then
    printf '%b\n' "$(sed -n 's/^ *"detail": "\(.*\)",*$/\1/p' "$folder/answer")" >&2
  else
    cat "$folder/curl-says" "$folder/answer" >&2
  fi
  return 1
}

withhold() { control POST /withhold "\"$1\"" >/dev/null; }
release() { control POST /release "\"$1\"" >/dev/null; }

# await_event EVENT PATTERN: until it happens, or has happened.
await_event() { control POST /wait "{\"$1\": $2, \"timeout\": \"10s\"}" >/dev/null; }

# set_resources JSON: serves them beside all others.
set_resources() { control PATCH /snapshot "{\"set\": $1}" >/dev/null; }

# await_ack [TIMEOUT]: until every connected Envoy has accepted the newest push. Else Envoy's words, or what is missing, on standard error.
await_ack() { control GET "/wait/acked?timeout=${1:-10s}" >/dev/null; }

# state: PRE_INITIALIZING, INITIALIZING, LIVE or DRAINING; nothing while Envoy's admin API does not answer.
state() { curl --silent --max-time 5 "$admin_url/ready" || true; }

# await_state STATE [SECONDS]
await_state() {
  local deadline=$((SECONDS + ${2:-10}))
  until [[ $(state) == "$1" ]]; do
    if ((SECONDS >= deadline)); then
      echo "Envoy is not $1 within ${2:-10} s: it is $(state)" >&2
      return 1
    fi
    sleep 0.1
  done
}

# last_events: the last ten, one a line.
last_events() {
  if [[ $WITHOUT_DOCKER ]]; then
    FAKE_ISTIOD_CONTROL_TOKEN=$token fake-istiod ctl --istiod "$control_url" events --limit 10
  else
    docker exec "$lab-istiod" fake-istiod ctl events --limit 10
  fi
}

# start_istiod [SCENARIO]: a packaged scenario, or a file.
start_istiod() {
  if [[ $WITHOUT_DOCKER ]]; then
    : >"$folder/istiod.log"
    FAKE_ISTIOD_CONTROL_TOKEN=$token fake-istiod serve "${1:-ready}" --port 0 --no-plaintext-port --control-port 0 >"$folder/istiod.log" 2>&1 &
    istiod_pid=$!
    local found=''
    until found=$(sed -n 's/^The control API is at \(http:[^ ]*\).*/\1/p' "$folder/istiod.log") && [[ $found ]]; do
      still_runs "$istiod_pid" istiod.log || return
    done
    control_url=$found
  else
    docker network create --label fake-istiod-example "$lab" >/dev/null
    docker run --detach --label fake-istiod-example --name "$lab-istiod" --network "$lab" --network-alias istiod.istio-system.svc \
      --env FAKE_ISTIOD_CONTROL_TOKEN="$token" --publish 127.0.0.1::15080 "$FAKE_ISTIOD_IMAGE" serve "${1:-ready}" >/dev/null
    control_url=$(published istiod 15080)
  fi
  await_answer "$control_url/health" istiod
}

# start_envoy: up when its admin API answers, whatever its state.
start_envoy() {
  if [[ $WITHOUT_DOCKER ]]; then
    control GET '/bootstrap' >"$folder/bootstrap.json"
    envoy -c "$folder/bootstrap.json" --admin-address-path "$folder/admin" --use-dynamic-base-id --log-level warning >"$folder/envoy.log" 2>&1 &
    envoy_pid=$!
    until [[ -s $folder/admin ]]; do still_runs "$envoy_pid" envoy.log || return; done
    admin_url=http://$(<"$folder/admin")
  else
    local bootstrap
    bootstrap=$(control GET '/bootstrap?host=istiod.istio-system.svc&port=15012&admin_host=0.0.0.0&admin_port=9901')
    docker run --detach --label fake-istiod-example --name "$lab-envoy" --network "$lab" --publish 127.0.0.1::9901 \
      "$ENVOY_IMAGE" --config-yaml "$bootstrap" --log-level warning >/dev/null
    admin_url=$(published envoy 9901)
  fi
  await_answer "$admin_url/server_info" envoy
}

# stop_all: so that another istiod can be started; the script's end does it, too.
stop_all() {
  if [[ $WITHOUT_DOCKER ]]; then
    # shellcheck disable=SC2086 # None, one or two.
    [[ -z $istiod_pid$envoy_pid ]] || { kill $envoy_pid $istiod_pid; wait $envoy_pid $istiod_pid; } 2>/dev/null || true
    istiod_pid='' envoy_pid=''
    rm -f "$folder/admin" "$folder"/*.log
  else
    docker rm --force "$lab-envoy" "$lab-istiod" >/dev/null 2>&1 || true
    docker network rm "$lab" >/dev/null 2>&1 || true
  fi
  control_url='' admin_url=''
}
trap 'stop_all; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

published() { echo "http://$(docker port "$lab-$1" "$2/tcp" | head -n 1)"; }

# still_runs PID LOG: takes a moment; false, and what it said, if the process has ended.
still_runs() {
  sleep 0.1
  kill -0 "$1" 2>/dev/null && return
  cat "$folder/$2" >&2
  return 1
}

# await_answer URL NAME
await_answer() {
  local deadline=$((SECONDS + 30))
  until curl --silent --max-time 5 --output /dev/null "$1"; do
    if ((SECONDS >= deadline)) || { [[ ! $WITHOUT_DOCKER ]] && [[ $(docker inspect --format '{{.State.Running}}' "$lab-$2") != true ]]; }; then
      echo "$2 does not answer at $1. Its log:" >&2
      if [[ $WITHOUT_DOCKER ]]; then cat "$folder/$2.log" >&2; else docker logs "$lab-$2" >&2; fi
      return 1
    fi
    sleep 0.1
  done
}
