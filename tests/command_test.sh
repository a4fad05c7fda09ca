#!/usr/bin/env bash
# Operators of a delivery that is flown in real time, each a process of its own.
#
#   command_test.sh PINTLE MISSION
set -euo pipefail
pintle=$1 mission=$2
shift 2
folder=$(mktemp -d)
export XDG_RUNTIME_DIR=$folder
chmod 700 "$folder"
run=0
trap '[[ $run == 0 ]] || kill "$run" 2>/dev/null || true; rm -rf "$folder"' EXIT
fail() {
  echo "command_test: $*" >&2
  [[ ! -e $folder/run.err ]] || tail -5 "$folder/run.err" >&2
  exit 1
}
# expect CODE TEXT WORDS…: what `pintle command` answers; asked again where the machine kept the run
# from ticking, and nothing was done
expect() {
  local code=$1 text=$2 status i
  shift 2
  for ((i = 0; i < 60; ++i)); do
    status=0
    "$pintle" command "$@" >"$folder/said" 2>&1 || status=$?
    grep -qF "nothing was done: the run does not tick" "$folder/said" || break
  done
  [[ $status == "$code" ]] || fail "$*: ended with $status, not $code: $(cat "$folder/said")"
  grep -qF -- "$text" "$folder/said" || fail "$*: said $(cat "$folder/said"), not $text"
}
# field NAME: of the status; empty where there is no answer
field() { "$pintle" command status --json 2>/dev/null | grep -oE "\"$1\":[^,}]*" | cut -d: -f2 | tr -d '"' || true; }
# patiently WHAT COMMAND…: until that is true; a minute and more is for a loaded machine
patiently() {
  local what=$1 i
  shift
  for ((i = 0; i < 600; ++i)); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  fail "$what"
}
is() { [[ $(field "$1") == "$2" ]]; }
until_is() { patiently "$1 never is $2" is "$@"; }
answers() { "$pintle" command status >/dev/null 2>&1; }
begin() {
  "$pintle" run "$mission" --real-time --out "$folder/run" --overwrite "$@" >"$folder/run.out" 2>"$folder/run.err" &
  run=$!
  patiently "nobody listens" answers
}

# nobody there: which is told, with what to do
expect 4 "nobody listens" status
expect 4 "nobody listens there" --to "$folder/none.sock" pause

begin "$@"
patiently "the socket is not told" grep -q "pintle command --to $folder/pintle/delivery-$run.sock" "$folder/run.err"
[[ $(stat -c %a "$folder/pintle/delivery-$run.sock") == 600 ]] || fail "others may enter"
expect 2 'did you mean "pause"' pauze
expect 2 'no state "fly_to_cat"' select fly_to_cat
expect 0 "commander nobody" status

# the mission flies by itself until somebody commands
until_is phase running
expect 0 "accepted: armed, paused at" pause
until_is owner nobody
expect 0 "accepted: armed, running" resume
[[ $(field commander) == cli ]] || fail "cli does not command"
expect 1 "does not apply now" resume
expect 0 "accepted: armed, paused" pause
expect 0 "accepted: armed, paused at find_car" select find_car
expect 0 "accepted: armed, running, find_car" resume
expect 0 "accepted: armed, idle" cutoff
expect 0 '"accepted":true' --json select 3
expect 0 "accepted" hand_over

# another run of the same user: then it must be said which
"$pintle" run "$mission" --real-time --no-log --listen "$folder/pintle/other.sock" >/dev/null 2>&1 &
second=$!
patiently "the other run does not listen" test -S "$folder/pintle/other.sock"
expect 4 "say which with --to" status
expect 0 "mission" --to "$folder/pintle/other.sock" status
kill -KILL $second
{ wait $second; } 2>/dev/null || true
[[ -S $folder/pintle/other.sock ]] || fail "a killed run leaves its socket"
expect 0 "mission" status
[[ ! -S $folder/pintle/other.sock ]] || fail "what nobody listens at is not removed"

# stopped and let go on: nothing is made up for
kill -STOP $run
sleep 1.5
kill -CONT $run
until_is arm armed
patiently "the stop is not told" grep -qE "dropped$" "$folder/run.err"
begin_s=$(date +%s.%N)
at=$(field time_s)
sleep 1
after=$(field time_s)
passed=$(awk -v a="$at" -v b="$after" -v real="$(date +%s.%N) - $begin_s" \
  'BEGIN { split(real, r, " - "); print (b - a < r[1] - r[2] + 1) }')
[[ $passed == 1 ]] || fail "time rushed from $at to $after s"

# disarming ends it, wherever a slow machine has let it come to, and the log can be flown again bit for bit
expect 0 "accepted: disarmed" disarm force
status=0
wait $run || status=$?
run=0
[[ $status == 1 ]] || fail "the run ended with $status"
grep -q "disarmed by the operator" "$folder/run.out" || fail "the verdict does not say why"
[[ -z $(ls "$folder/pintle") ]] || fail "a socket is left"
"$pintle" replay --verify "$folder/run/log.mcap" >/dev/null || fail "the replay differs"

# a signal while it climbs: a landing is the last thing that is asked for, and is seen to its end
begin
until_is state_name take_off
patiently "it does not climb" eval '[[ $(field flight) == taking_off || $(field flight) == airborne ]]'
from_s=$(field time_s)
kill -INT $run
status=0
wait $run || status=$?
run=0
[[ $status == 1 ]] || fail "after the signal it ended with $status"
grep -q "stopped by the operator" "$folder/run.out" || fail "the verdict does not say who stopped it"
grep -q "abort_land" "$folder/run.err" || fail "no landing was asked for"
! grep -q "fly_to_car" "$folder/run.err" || fail "the mission went on after the signal"
took=$(awk -v from="$from_s" '/ s simulated/ { print ($1 - from < 30) }' "$folder/run.err")
[[ $took == 1 ]] || fail "it did not come down from $from_s s on: $(cat "$folder/run.err")"

# without a place for the socket the run goes on, and says so in one line
"$pintle" run "$mission" --no-log --quiet --listen /proc/none.sock --at 3:disarm 2>"$folder/err" || true
if [[ $(wc -l <"$folder/err") != 1 ]] || ! grep -q "will not reach it" "$folder/err"; then
  fail "$(cat "$folder/err")"
fi
echo "command_test: all answers given"
