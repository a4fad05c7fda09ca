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

mkfifo "$folder/odometry"
# emulate KIND FOLDER LINES…: another process with the thrusters; it obeys what is written to fd 3
emulator=0
emulate() {
  local kind=$1 names=$2 lines=0 rate=()
  shift 2
  [[ $kind != pwm ]] || rate=(--baudrate 57600)
  rm -f "$folder/orders"
  mkfifo "$folder/orders"
  : >"$folder/emulated"
  local wired=()
  for line in "$@"; do wired+=(--line "$line"); lines=$((lines + 1)); done
  "$pintle" device "$kind" emulate "${wired[@]}" "${rate[@]}" --folder "$folder/$names" <"$folder/orders" >"$folder/emulated" &
  emulator=$!
  pids+=("$emulator")
  exec 3>"$folder/orders"
  for ((i = 0; i < 600 && $(wc -l <"$folder/emulated") < lines; ++i)); do sleep 0.1; done
}
emulate m5 by-id 3,1 2,0 4,5 6,7
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
# as fast as it is read: there is always a fresh line, however busy the machine is. Whole lines, in pieces that arrive in one
block=$(for ((i = 0; i < 100; ++i)); do echo 0 0 -0.3 0 0 0 1 0 0 0 0 0 0; done)
while echo "$block" 2>/dev/null; do :; done >"$folder/odometry" &
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

# stopped_and_dead MISSION EMULATE…: the stack stands for longer than every watchdog; then the thrusters die without a word and others come in
# their place. Each time all rest, and push again, and nobody has to ask for it
stopped_and_dead() {
  fly "$1"
  shift
  until_they push
  kill -STOP "$flown"
  until_they rest
  kill -CONT "$flown"
  until_they push
  kill -KILL "$emulator"
  wait "$emulator" 2>/dev/null || true
  # the names of devices that are gone go with them: what they led to may be another program's by now
  find "$folder/$2" -type l -delete
  emulate "$@"
  until_they push
  kill -INT "$flown"
  wait "$flown" || true
  until_they rest
}
stopped_and_dead pool_m5.yaml m5 by-id 3,1 2,0 4,5 6,7
echo quit >&3
wait "$emulator"
# another kind on the same lines
mv "$folder/vehicles/subjugator8.yaml" "$folder/vehicles/m5.yaml"
sed "s#type: m5#type: vesc#" "$folder/vehicles/m5.yaml" >"$folder/vehicles/subjugator8.yaml"
grep -q "type: vesc" "$folder/vehicles/subjugator8.yaml" || fail "no vesc in the vehicle file"
emulate vesc by-id 3,1 2,0 4,5 6,7
stopped_and_dead pool_m5.yaml vesc by-id 3,1 2,0 4,5 6,7
echo quit >&3
wait "$emulator"

# a board of pulses; and the kill switch, by a line on stdin
emulate pwm board 0,1,2,3,4,5,6,7
sed "s#path: /dev/serial/by-id/[^ ]*#path: $folder/board/if00-port0#" "$source/vehicles/oogway.yaml" >"$folder/vehicles/oogway.yaml"
sed "s#\.\./worlds/#$source/worlds/#" "$source/missions/pool.yaml" >"$folder/missions/pool.yaml"
stopped_and_dead pool.yaml pwm board 0,1,2,3,4,5,6,7
fly pool.yaml
until_they push
echo kill >&4
status=0
wait "$flown" || status=$?
[[ $status == 1 ]] || fail "killed: ended with $status: $(cat "$folder/said")"
grep -q "the kill switch was pulled" "$folder/said" || fail "killed: said $(cat "$folder/said")"
until_they rest

# on ports that are not there nothing is armed, and that is said: which port, whom it drives, what to do
echo quit >&3
status=0
sed "s#path: /dev/serial/by-id/[^ ]*#path: $folder/nowhere#" "$source/vehicles/oogway.yaml" >"$folder/vehicles/oogway.yaml"
printf 'up we go\n' | cat - "$folder/odometry" | "$pintle" run "$folder/missions/pool.yaml" --on serial --world elsewhere --no-log --listen "$folder/ear" \
  >"$folder/said" 2>&1 &
flown=$!
pids+=("$flown")
for ((k = 0; k < 600; ++k)); do
  ! grep -q "no propulsor" "$folder/answer" 2>/dev/null || break
  "$pintle" command arm --to "$folder/ear" >"$folder/answer" 2>&1 || true
  sleep 0.1
done
grep -q "no propulsor" "$folder/answer" || fail "armed without a port: $(cat "$folder/answer" "$folder/said")"
grep -qF "$folder/nowhere is missing: plug it in, or mend the path (pintle doctor lists the ports); without it" "$folder/said" ||
  fail "a missing port: said $(cat "$folder/said")"
grep -q '"up we go" on stdin is no odometry: expected 13 numbers' "$folder/said" || fail "bad odometry: said $(cat "$folder/said")"
kill -INT "$flown"
wait "$flown" || true

# what cannot be done is refused with the reason, before anything starts
refused() {
  local expected=$1 why=$2 status=0
  shift 2
  "$pintle" run "$@" --on serial -q </dev/null >"$folder/said" 2>&1 || status=$?
  [[ $status == "$expected" ]] || fail "$*: ended with $status: $(cat "$folder/said")"
  grep -q -- "$why" "$folder/said" || fail "$*: said $(cat "$folder/said")"
}
wired=$source/missions/pool_m5.yaml
sed "s#\.\./#$source/#" "$wired" >"$folder/spoilt.yaml"
printf '\ninput_faults:\n  - {input: odometry, kind: nan, at_s: 20, until_s: 20.2}\n' >>"$folder/spoilt.yaml"
refused 3 "write  devices:" "$source/missions/hover_box.yaml"
refused 3 "input_faults: they are put in between a simulated world and its stack" "$folder/spoilt.yaml" --world elsewhere
refused 2 "the world is elsewhere" "$wired" --world elsewhere --seed 3
refused 2 "goes with  --on ros1  or  --on yarp" "$wired" --lockstep
refused 2 "setpoints come by  --live" "$wired" --planner
refused 2 "for the world that is simulated here, without --on" "$wired" --truth "$wired"
refused 2 "without --on" "$wired" --speed 2
refused 2 "these options go with  --on yarp" "$wired" --bind 0.0.0.0
