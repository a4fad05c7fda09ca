#!/usr/bin/env bash
# The actions of `pintle device m5` against its own emulator, each a process.
#
#   device_test.sh PINTLE
set -euo pipefail
pintle=$1
folder=$(mktemp -d)
emulator=0
trap '[[ $emulator == 0 ]] || kill "$emulator" 2>/dev/null || true; rm -rf "$folder"' EXIT
fail() { echo "device_test: $*" >&2; exit 1; }
m5() { "$pintle" device m5 "$@"; }
# refused TEXT WORDS…: usage error with that text
refused() {
  local text=$1 status=0
  shift
  m5 "$@" >"$folder/said" 2>&1 || status=$?
  [[ $status == 2 ]] || fail "$*: ended with $status, not 2: $(cat "$folder/said")"
  grep -qF -- "$text" "$folder/said" || fail "$*: said $(cat "$folder/said"), not $text"
}

# heard TRIES COMMAND…: with success at last: a machine that is busy may keep a question or its answer waiting for longer than anybody waits for it
heard() {
  local i
  for ((i = 0; i < $1; ++i)); do
    if "${@:2}"; then return; fi
  done
  return 1
}

mkfifo "$folder/orders"
"$pintle" device m5 emulate --line 3,1 --line 2 --folder "$folder/by-id" <"$folder/orders" >"$folder/emulated" 2>"$folder/complaints" &
emulator=$!
exec 3>"$folder/orders"
for ((i = 0; i < 600; ++i)); do
  [[ $(wc -l <"$folder/emulated") -lt 2 ]] || break
  sleep 0.1
done
port=$folder/by-id/if00-port0 other=$folder/by-id/if01-port0
[[ -e $port && -e $other ]] || fail "no ports"
# status FIELD NODE: of the emulator itself, asked until there is an answer
status() {
  local before lines
  before=$(wc -l <"$folder/emulated")
  echo status >&3
  for ((i = 0; i < 600; ++i)); do
    lines=$(wc -l <"$folder/emulated")
    [[ $lines == "$before" ]] || break
    sleep 0.1
  done
  tail -n 1 "$folder/emulated" | grep -oE "\{\"node_id\":$2,[^}]*\}" | grep -oE "\"$1\":[^,}]*" | cut -d: -f2
}

# found by id, with their serial numbers, which an emulated one has from its id; looking commands nothing
found() { sed -nE 's/.*"node_id":([0-9]+).*"serial":100\1,.*/\1/p' "$folder/found" | tr '\n' ' '; }
scanned() { m5 scan "${@:2}" --json >"$folder/found" 2>"$folder/words" && [[ $(found) == "$1" ]]; }
# scanned_until NUMBERS OPTIONS…
scanned_until() { heard 60 scanned "$@" || fail "scan ${*:2}: $(cat "$folder/found" "$folder/words")"; }
scanned_until "1 3 2 " "$port" "$other" --first 0 --last 5
watched() {
  m5 watch "$port" --node 3,1 --period 0.5 --count 2 >"$folder/watched" || fail "watch: $(cat "$folder/watched")"
  tail -n 1 "$folder/watched" | grep '"contact":"good".*"bus_v":48' >/dev/null
}
heard 60 watched || fail "watch: $(cat "$folder/watched")"
[[ $(status commands 3) == 0 ]] || fail "looking commanded something"

# registers
heard 10 m5 configure "$port" --node 3 --firmware measured_2017 poles=14 slew_rate_up=0.0005 --save >/dev/null || fail "configure"
informed() { m5 info "$port" --node 3 >"$folder/info" && grep -q '"poles": 14' "$folder/info"; }
heard 10 informed || fail "info: no poles: $(cat "$folder/info")"
refused "--rename if" configure "$port" --node 3 NODE_ID=4
refused "expected 0 to 127" configure "$port" --node 1 --rename NODE_ID=200
refused "say --firmware" configure "$port" --node 3 poles=14
refused 'did you mean "poles"' configure "$port" --node 3 pole=14
refused "fits the register" configure "$port" --node 3 --firmware measured_2017 poles=300
code=0
m5 configure "$port" --node 9 motor_ID=1 >/dev/null 2>&1 || code=$?
[[ $code == 1 ]] || fail "configure: nobody is node 9, ended with $code"
# renamed FROM TO: who has its new number, of which nobody heard in time, gets the old one back
renamed() {
  m5 configure "$port" --node "$1" --rename NODE_ID="$2" >/dev/null && return
  m5 configure "$port" --node "$2" --rename NODE_ID="$1" >/dev/null || true
  return 1
}
heard 10 renamed 1 7 || fail "rename"
heard 60 m5 watch "$port" --node 7 --period 0.5 --count 2 >"$folder/watched" || fail "the renamed one: $(cat "$folder/watched")"
heard 10 renamed 7 1 || fail "rename back"

# propellers turn only in water
refused "--yes-in-water" spin-test "$port" --node 3,1
spinning() { printf "$1" | m5 spin-test "${@:2}" --seconds 1.5 --yes-in-water >"$folder/spun" 2>"$folder/words"; }
# spun ANSWERS OPTIONS…
spun() { heard 10 spinning "$@" || fail "spin-test ${*:2}: $(cat "$folder/spun" "$folder/words")"; }
spun 'y\nn\n' "$port" --node 3,1
grep -q '"node_id":3,.*"pushes":"forward"' "$folder/spun" || fail "spin-test: $(cat "$folder/spun")"
grep -q 'reversed: true where node_id is 1' "$folder/words" || fail "spin-test: $(cat "$folder/words")"

# … nor those of a vehicle file; what is to be changed stands there with its line
cat >"$folder/layout.yaml" <<END
thruster_ports:
  - {port: $port, thruster_names: [FLH, FLV]}
thrusters:
  FLH: {node_id: 3, position: [0.2, 0.2, 0], direction: [0.866, -0.5, 0], thrust_bounds: [-60, 60], calib: {forward: [0, 0, 0, 0.01], backward: [0, 0, 0, 0.01]}}
  FLV: {node_id: 1, position: [0.2, 0.2, 0], direction: [0, 0, 1], thrust_bounds: [-60, 60], calib: {forward: [0, 0, 0, 0.01], backward: [0, 0, 0, 0.01]}}
END
refused "--yes-in-water" spin-test --vehicle "$folder/layout.yaml"
refused 'is called "FLX"' spin-test --vehicle "$folder/layout.yaml" --propulsor FLX --yes-in-water
spun 'n\n' --vehicle "$folder/layout.yaml" --propulsor FLH
grep -q '"pushes":"backward","propulsor":"FLH"\|"propulsor":"FLH","pushes":"backward"' "$folder/spun" || fail "spin-test: $(cat "$folder/spun")"
grep -qF "layout.yaml:4: FLH: write  direction: [-0.866, 0.5, 0]" "$folder/words" || fail "spin-test: $(cat "$folder/words")"
cat >"$folder/native.yaml" <<END
format: pintle/vehicle/1
name: two
body: {mass_kg: 8, inertia_kgm2: [0.1, 0.1, 0.1], volume_m3: 0.008}
propulsors:
  - {name: left, position_m: [0, 0.2, 0], direction: [1, 0, 0], thruster: {min_effort: -20, max_effort: 20}}
  - {name: right, position_m: [0, -0.2, 0], direction: [1, 0, 0], thruster: {min_effort: -20, max_effort: 20}}
devices:
  - name: back
    path: $port
    channels:
      - {propulsor: left, node_id: 3}
      - {propulsor: right, node_id: 1, reversed: true}
END
spun '' --vehicle "$folder/native.yaml" --measure
[[ $(grep -c '"pushes":"forward"' "$folder/spun") == 2 ]] || fail "spin-test --measure: $(cat "$folder/spun")"
spun '?\nn\n' --vehicle "$folder/native.yaml"
grep -qF "native.yaml:12: right: write  reversed: false" "$folder/words" || fail "spin-test: $(cat "$folder/words")"

# a port by another of its names is the same port
scanned_until "1 3 " "$(readlink "$port")" --vehicle "$folder/native.yaml" --first 0 --last 5

# what has the name of a line and is none stays
mkdir "$folder/own"
echo mine >"$folder/own/if00-port0"
code=0
"$pintle" device m5 emulate --line 3 --folder "$folder/own" >/dev/null 2>"$folder/words" <<<quit || code=$?
[[ $code == 2 && $(cat "$folder/own/if00-port0") == mine ]] || fail "emulate: ended with $code over the file of another"

# a second emulator does not take over the lines of the first, whose ports go on
code=0
"$pintle" device m5 emulate --line 3,1 --folder "$folder/by-id" >/dev/null 2>"$folder/words" <<<quit || code=$?
[[ $code == 4 ]] && grep -q "another emulator has its lines there" "$folder/words" || fail "a second emulator: $code $(cat "$folder/words")"
scanned_until "3 " "$port" --first 3 --last 3

# a scan says what it does while it does it
grep -qF "$port: asking nodes 3 to 3" "$folder/words" || fail "scan: said $(cat "$folder/words")"

# frames by hand, and what is answered
sent() { printf 'node_id,command,register\n2,read,NODE_ID\n' | m5 send --port "$other" >"$folder/sent" && grep -q '"fields":{"NODE_ID":2}' "$folder/sent"; }
heard 10 sent || fail "send: $(cat "$folder/sent")"
# … by nobody, of two questions one
sent_to_nobody() {
  code=0
  printf 'node_id,command\n9,poll\n2,poll\n' | m5 send --port "$other" >"$folder/sent" 2>"$folder/words" || code=$?
  [[ $code == 4 ]] && grep -qF "node 9 does not answer on $other" "$folder/words" || fail "send to nobody: $code $(cat "$folder/words")"
  grep -q '"node_id":2' "$folder/sent"
}
heard 10 sent_to_nobody || fail "send: the second question was not asked: $(cat "$folder/sent")"
# … and none is to be waited for where a write asks for no answer
printf 'node_id,flags,address,payload_hex\n9,0,4,00000000\n' | m5 send --port "$other" || fail "send: a write without an answer"
# send_refused TEXT CSV: nothing that it says goes out
send_refused() {
  local status=0
  printf "$2" | m5 send --port "$other" >"$folder/sent" 2>"$folder/words" || status=$?
  [[ $status == 3 ]] && grep -qF -- "$1" "$folder/words" || fail "send $2: $status $(cat "$folder/words")"
}
send_refused "a group answers no question" 'node_id,command\n129,poll\n'
send_refused "a group answers no question" 'node_id,command,register\n0xff,read,poles\n'
send_refused "writes NODE_ID" 'node_id,command,register,value\n2,write,NODE_ID,5\n'
send_refused "writes NODE_ID" 'node_id,flags,address,payload_hex\n2,0x81,0xfc,05\n'
send_refused "writes NODE_ID" 'node_id,flags,address,payload_hex\n2,0,0xfa,0505050505\n'
heard 10 m5 info "$other" --node 2 >/dev/null || fail "node 2 has another name now"
# a frame may be looked at
[[ $(printf 'node_id,command,register,value\n4,write,NODE_ID,4\n' | m5 send --dry-run | tail -n 1) == f55f0481fc01d40945ee04942b6fd5 ]] ||
  fail "send --dry-run: NODE_ID"

# who is asked to end stops the propeller first
turning() {
  # whoever runs this may be deaf to some of them: under nohup a hangup ends nothing
  env --default-signal=INT,TERM,HUP "$pintle" device m5 spin-test "$other" --node 2 --seconds 60 --yes-in-water </dev/null >/dev/null 2>&1 &
  spinner=$!
  turns=0.0
  for ((k = 0; k < 600; ++k)); do
    turns=$(status effort 2)
    [[ $turns == 0.0 || -z $turns ]] || return 0
    sleep 0.05
  done
  fail "it never turned"
}
for signal in INT TERM HUP; do
  turning
  code=0
  kill -"$signal" "$spinner"
  wait "$spinner" || code=$?
  turns=$(status effort 2)
  [[ $code == 1 && $turns == 0.0 ]] || fail "spin-test: $signal ends it with $code, effort $turns"
done

# who is killed lets them run on for as long as their own watchdog
turning
kill -9 "$spinner"
wait "$spinner" 2>/dev/null || true
for ((k = 0; k < 600; ++k)); do
  [[ $(status effort 2) != 0.0 ]] || break
  sleep 0.1
done
[[ $(status effort 2) == 0.0 ]] || fail "it turns on although nobody commands it"

# a port that is not there, and one in use
code=0
m5 scan "$folder/none" >/dev/null 2>"$folder/said" || code=$?
[[ $code == 4 ]] && grep -q "is missing: plug it in" "$folder/said" || fail "a missing port: $code $(cat "$folder/said")"
# what is there and is no serial port, to every action
for action in "scan /dev/null" "info /dev/null --node 3" "configure /dev/null --node 3 motor_ID=1" "watch /dev/null --node 3 --period 0.2" \
  "spin-test /dev/null --node 3 --yes-in-water" "send --port /dev/null"; do
  code=0
  # shellcheck disable=SC2086
  printf 'node_id,command\n3,poll\n' | m5 $action >/dev/null 2>"$folder/said" || code=$?
  [[ $code == 4 ]] && grep -q "/dev/null is not a serial port (pintle doctor" "$folder/said" || fail "$action: $code $(cat "$folder/said")"
done
# arguments that make no sense
refused "expected 5 (--first) to 127" scan "$port" --first 5 --last 3
refused "expected -1 to 1, got nan" spin-test "$port" --node 3 --effort nan --yes-in-water
refused "turns nothing" spin-test "$port" --node 3 --effort 0 --yes-in-water
refused "--propulsor names those of a vehicle file" spin-test "$port" --node 3 --propulsor FLH --yes-in-water
refused "expected 0.5 to 60, got 0.1" spin-test "$port" --node 3 --seconds 0.1 --yes-in-water
refused "expected 0.02 to 3600, got inf" watch "$port" --node 3 --period inf
refused "node 3 is that of" watch "$port" --node 3,3
refused "is set twice" configure "$port" --node 3 motor_ID=1 motor_ID=2
refused "node 3 is there twice" emulate --line 3,3
refused "expected nodes of 0 to 127" emulate --line 3,128
refused "expected nodes of 0 to 127" emulate --line ""
refused "expected nodes of 0 to 127" emulate --line 3,
refused "115200" emulate --line 3 --baudrate 100000
refused "expected a folder" emulate --line 3 --folder /dev/null/x
for near in "m6 scan=pintle device m5" "m5 scna=pintle device m5 scan" "m5 scan --frist 3=--first"; do
  code=0
  # shellcheck disable=SC2086
  "$pintle" device ${near%%=*} >/dev/null 2>"$folder/said" || code=$?
  [[ $code == 2 ]] && grep -qF -- "did you mean  ${near#*=}" "$folder/said" || fail "device ${near%%=*}: $code $(cat "$folder/said")"
done
code=0
m5 scan --vehicle "$folder/none.yaml" >/dev/null 2>"$folder/said" || code=$?
[[ $code == 3 ]] && grep -q none.yaml "$folder/said" || fail "scan of a vehicle file that is not there: $code $(cat "$folder/said")"
# orders that are none change nothing, and say what was expected
printf 'fly 3\nmuet 3\nlate 3\nlate 3 11\nmute\nmute 3 4\ncorrupt 3 nan\nunplug 7\nmute 55\n' >&3
[[ $(status commands 3) != "" ]] || fail "it does not go on"
echo quit >&3
wait "$emulator" || fail "the emulator ended with $?"
emulator=0
for said in 'fly 3: there is no fault "fly"' 'did you mean "mute"?' 'late 3: expected  late N X,  a node and seconds of 0 to 10' \
  'late 3 11: expected' 'mute: expected  mute N' 'mute 3 4: expected' 'corrupt 3 nan: expected' 'a line of 0 to 1' 'there is no node 55'; do
  grep -qF -- "$said" "$folder/complaints" || fail "complaints: no $said in $(cat "$folder/complaints")"
done
echo "device_test: all good"
