#!/usr/bin/env bash
# `pintle matrix --worst-case` of a launch with two propulsors: what it says, and what it refuses.
#
#   worst_case_test.sh PINTLE SOURCE_DIR
set -euo pipefail
pintle=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "worst_case_test: $*" >&2
  exit 1
}
# three channels: seven cases
grep -v 'name: starboard' "$source/vehicles/harbour_launch.yaml" >"$folder/launch.yaml"

"$pintle" matrix "$folder/launch.yaml" --worst-case --json >"$folder/json" 2>"$folder/progress"
grep -q '^7 of 7: ' "$folder/progress" || fail "no progress: $(cat "$folder/progress")"
numbers() { grep -oE "\"$1\":[0-9]+" "$folder/json" | cut -d: -f2; }
[[ $(numbers proved_steps | wc -l) == 7 ]] || fail "not all are proved: $(cat "$folder/json")"
paste <(numbers proved_steps) <(numbers found_steps) <(numbers iteration_cap) |
  while read -r proved found cap; do
    ((found >= 1 && found <= proved && cap == 50)) || fail "found $found, proved $proved, cap $cap"
  done
if grep -q '"instructions_counted":true' "$folder/json"; then
  paste <(numbers found_instructions) <(numbers estimated_instructions) |
    while read -r found estimated; do
      ((found > 1000 && found <= estimated)) || fail "instructions: found $found, estimated $estimated"
    done
else
  grep -q instructions "$folder/json" || fail "not said whether instructions are counted"
fi

"$pintle" matrix "$folder/launch.yaml" --worst-case --parts 3 >"$folder/table" 2>"$folder/progress"
grep -q '^nothing .*more parts than --parts: not proved' "$folder/table" || fail "$(cat "$folder/table")"

refused() {
  local text=$1 status=0
  shift
  "$pintle" matrix "$folder/launch.yaml" "$@" >"$folder/said" 2>&1 || status=$?
  [[ $status == 2 ]] || fail "$*: ended with $status: $(cat "$folder/said")"
  grep -qF -- "$text" "$folder/said" || fail "$*: said $(cat "$folder/said")"
}
refused "--faults" --worst-case --faults
refused "--worst-case" --parts 5
refused "--parts" --worst-case --parts 0
