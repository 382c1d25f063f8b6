# Tests that are functions, told as TAP (the Test Anything Protocol), which `prove` and CI servers read. To be sourced after fake-istiod.sh.
# shellcheck shell=bash

# run_tests FUNCTION…: one after another; each starts what it needs, and fails at its first command that does.
run_tests() {
  local number=0 failed=0 test status
  echo "1..$#"
  for test in "$@"; do
    number=$((number + 1))
    # Not `if (…)`: in a condition `set -e` means nothing.
    set +e
    (
      set -e
      trap 'finish $?' EXIT
      trap 'exit 130' INT TERM
      "$test"
    ) >"$folder/said" 2>&1
    status=$?
    set -e
    if ((status == 0)); then echo "ok $number - ${test//_/ }"; else echo "not ok $number - ${test//_/ }"; fi
    ((status == 0)) || failed=1
    sed 's/^/# /' "$folder/said"
  done
  return "$failed"
}

# finish STATUS: after each test. One that failed, for whatever reason, shows the last events.
finish() {
  local events
  # What was awaited in vain has them already.
  if (($1 != 0)) && [[ $control_url ]] && ! grep -q '^last events:' "$folder/said" && events=$(last_events 2>/dev/null); then
    printf 'last events of the fake istiod:\n%s\n' "$events"
  fi
  stop_all
}

# fail WORDS…: for what a test finds wrong by itself.
fail() {
  echo "$*" >&2
  return 1
}
