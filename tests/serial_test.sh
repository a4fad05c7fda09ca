#!/usr/bin/env bash
# `pintle run --on serial --world elsewhere` against emulated thrusters in another process.
#
#   serial_test.sh PINTLE SOURCE
set -euo pipefail
pintle=$1 source=$2
folder=$(mktemp -d)
pids=()
trap 'for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done; rm -rf "$folder"' EXIT
fail() { echo "serial_test: $*" >&2; exit 1; }

mkfifo "$folder/orders" "$folder/odometry"
"$pintle" device m5 emulate --line 3,1 --line 2,0 --line 4,5 --line 6,7 --folder "$folder/by-id" \
  <"$folder/orders" >"$folder/emulated" &
pids+=($!)
exec 3>"$folder/orders"
for ((i = 0; i < 600 && $(wc -l <"$folder/emulated") < 4; ++i)); do sleep 0.1; done
# efforts: of all eight, as the emulator has them
efforts() {
  local before
  before=$(wc -l <"$folder/emulated")
  echo status >&3
  for ((i = 0; i < 600 && $(wc -l <"$folder/emulated") == before; ++i)); do sleep 0.1; done
  tail -n 1 "$folder/emulated" | grep -oE '"effort":[^,}]*' | cut -d: -f2
}
# push or rest: what all of them must do, within patience
until_they() {
  for ((k = 0; k < 600; ++k)); do
    local moving
    moving=$(efforts | grep -cvE '^-?0(\.0)?$' || true)
    case $1 in
      push) [[ $moving -lt 4 ]] || return 0 ;;
      rest) [[ $moving -gt 0 ]] || return 0 ;;
    esac
    sleep 0.1
  done
  fail "they do not $1: $(efforts | tr '\n' ' ') $(cat "$folder/said" 2>/dev/null)"
}

# the shipped vehicle on these ports, a mission that holds it at 1.5 m while it is said to float at 0.3
mkdir "$folder/vehicles" "$folder/missions"
sed "s#/dev/serial/by-id/usb-MIL_Data_Merge_Board_Ports_1_to_4_DMBP14-#$folder/by-id/#" \
  "$source/vehicles/subjugator8.yaml" >"$folder/vehicles/subjugator8.yaml"
sed "s#\.\./worlds/#$source/worlds/#" "$source/missions/pool_m5.yaml" >"$folder/missions/pool_m5.yaml"
while echo 0 0 -0.3 0 0 0 1 0 0 0 0 0 0 2>/dev/null; do sleep 0.02; done >"$folder/odometry" &
pids+=($!)
fly() {
  "$pintle" run "$folder/missions/$1" --on serial --world elsewhere --no-log --listen none -q \
    <"$folder/odometry" >"$folder/said" 2>&1 &
  flown=$!
  pids+=("$flown")
}

# killed without a word: they stop by their own watchdog
exec 4<>"$folder/odometry"
fly pool_m5.yaml
until_they push
kill -9 "$flown"
until_they rest

# asked to end: zero is the last that is said
fly pool_m5.yaml
until_they push
kill -INT "$flown"
wait "$flown" && fail "an aborted flight passed" || status=$?
[[ $status == 1 ]] || fail "ended with $status: $(cat "$folder/said")"
until_they rest

# a board of pulses; and the kill switch, by a line on stdin
echo quit >&3
mkfifo "$folder/board_orders"
: >"$folder/emulated"
"$pintle" device pwm emulate --line 0,1,2,3,4,5,6,7 --baudrate 57600 --folder "$folder/board" \
  <"$folder/board_orders" >"$folder/emulated" &
pids+=($!)
exec 3>"$folder/board_orders"
for ((i = 0; i < 600 && $(wc -l <"$folder/emulated") < 1; ++i)); do sleep 0.1; done
sed "s#path: /dev/serial/by-id/[^ ]*#path: $folder/board/if00-port0#" "$source/vehicles/oogway.yaml" >"$folder/vehicles/oogway.yaml"
sed "s#\.\./worlds/#$source/worlds/#" "$source/missions/pool.yaml" >"$folder/missions/pool.yaml"
fly pool.yaml
until_they push
echo kill >&4
status=0
wait "$flown" || status=$?
[[ $status == 1 ]] || fail "killed: ended with $status: $(cat "$folder/said")"
grep -q "the kill switch was pulled" "$folder/said" || fail "killed: said $(cat "$folder/said")"
until_they rest

# what lines cannot drive is refused with what to do
status=0
"$pintle" run "$source/missions/hover_box.yaml" --on serial -q >"$folder/said" 2>&1 || status=$?
[[ $status == 3 ]] || fail "a flying box on serial lines: $status"
grep -q "write  devices:" "$folder/said" || fail "said $(cat "$folder/said")"
