#!/usr/bin/env bash
# A delivery flown from the keys, through tmux: menu, start, pause, resume, cutoff, and leaving in
# flight, which comes down first. The command line asks in between.
#
#   console_delivery_test.sh PINTLE MISSION [SCREENS]
set -euo pipefail
pintle=$1 mission=$2 screens=${3:-}
. "$(dirname "$0")/support/tmux.sh"

open_terminal "'$pintle' console '$mission' --out '$folder/run' --overwrite; echo \"left with \$?\"; exec cat"
wait_for "[e] Release control"
for entry in "[0] Stand by" "[9] Back to normal altitude" "[a] Fly back" "[c] Visual servo landing" "[g] Pause" "[j] Help"; do
  wait_for "$entry"
done
keep delivery_menu

# refused until it has been carried and stands still; then it flies
fly_mission
wait_for "flown by mission"
keep delivery_start

# on its way up
wait_for ">[3] Take off"
wait_for "airborne (obeys"
press g
wait_for "armed  paused"
wait_for "mission paused"
keep delivery_pause
ask h "armed  running"
# who pressed the keys commands
if "$pintle" command cutoff >"$folder/said"; then exit 1; fi
grep -q "console commands" "$folder/said"
"$pintle" command status | grep "commander console" >/dev/null
"$pintle" command take_over >/dev/null
wait_for "commander changed: cli"
press i
wait_for "cli commands. Take over"
keep delivery_other
press y
wait_for "armed  idle"
keep delivery_cutoff

# every key of a state is a step or asks for one
for key in 4 5 6 7 9 a b c; do
  ask $key ">[$key]"
  press g
  wait_for "armed  paused"
done
for key in 8 d e m; do
  press $key
  wait_for "[y or n]"
  press n
  wait_for "nothing was done"
done
press s
wait_for "Select which state"
press z
wait_for "nothing selected"
ask s4 ">[4]"
keep delivery_select
resize 120 40
wait_for "velocity  x"
keep delivery_wide
resize 80 24

# leaving in flight: asked, then the abort path down to the ground
press q
wait_for "[y or n] Quit in the air"
keep delivery_quit
press y
wait_for "coming down, then leaving"
wait_for "aborting"
keep delivery_leaving
wait_for "left with 1"
[[ -s $folder/run/report.html ]]
"$pintle" replay --verify "$folder/run/log.mcap"
echo "console: a delivery flown from the keys"
