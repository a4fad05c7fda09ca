#!/usr/bin/env bash
# The console as a person meets it: keys and screens through tmux, in a terminal of 80 by 24.
#
#   console_test.sh PINTLE MISSION FIRST_STATE [SCREENS]
#
# SCREENS: a folder in which the screens are left, to be looked at.
set -euo pipefail
pintle=$1 mission=$2 first=$3 screens=${4:-}
. "$(dirname "$0")/support/tmux.sh"

begin() {
  open_terminal "stty -g >'$folder/before'; '$pintle' console '$mission' --out '$folder/run' --overwrite; echo \"left with \$?\"; stty -g >'$folder/after'; echo modes kept; exec cat"
}

begin
wait_for "Nothing moves before you ask"
wait_for "disarmed  idle"
wait_for "[f] Free style"
keep menu

press j
wait_for "one state alone"
keep help
press j
wait_for "[f] Free style"

press f
wait_for "[y or n] Arm, and fly the mission"
press n
wait_for "nothing was done"
never "  armed  "
fly_mission
wait_for ">[0] $first"
keep start

press g
wait_for "armed  paused"
keep pause
ask h "armed  running"
press i
wait_for "armed  idle"
keep cutoff
ask 1 ">[1]"
keep step

# a smaller window, and a larger one
resize 60 16
wait_for "position  x"
keep small
resize 100 30
wait_for "velocity  x"
keep large

# keys that mean nothing do nothing
t send-keys -t pane Up F5
press Z
wait_for "no such key"

press q
wait_for "[y or n] Quit"
press n
wait_for "nothing was done"
press q
wait_for "[y or n] Quit"
keep quit
press y
wait_for "left with 1"
wait_for "modes kept"
keep left
never "[f] Free style"
cmp "$folder/before" "$folder/after"
[[ -s $folder/run/report.html && -s $folder/run/log.mcap ]]

# the abort path was flown first
grep -q "abort" "$folder/run/report.html"

# stopped with Ctrl-Z: the terminal is the shell's, and comes back; the time in between is dropped
open_terminal "PS1='shell> ' exec bash --norc -i"
wait_for "shell>"
press "stty -g >'$folder/before'; '$pintle' console '$mission'"$'\n'
wait_for "[f] Free style"
t send-keys -t pane C-z
wait_for "Stopped"
press "stty -g >'$folder/after'"$'\n'
never "[f] Free style"
keep stopped
sleep 1
press "fg"$'\n'
wait_for "[f] Free style"
wait_for "s dropped"
keep went_on
cmp "$folder/before" "$folder/after"
press q
# the prompts of before are there as soon as the console has left the screen
for ((i = 0; i < 600; ++i)); do
  [[ -n $(ls "$folder/pintle") ]] || break
  sleep 0.1
done
[[ -z $(ls "$folder/pintle") ]]
press "'$pintle' doctor --seconds 0.01"$'\n'
wait_for "80 x 24"

# told to end from outside, and killed hard
for signal in TERM HUP; do
  begin
  wait_for "[f] Free style"
  pkill -"$signal" -f "$pintle console $mission --out $folder/run"
  wait_for "left with 1"
  wait_for "modes kept"
  cmp "$folder/before" "$folder/after"
done

# without a terminal it says so and leaves with 4
status=0
"$pintle" console "$mission" </dev/null >/dev/null 2>"$folder/err" || status=$?
[[ $status == 4 ]] && grep -q "needs a terminal" "$folder/err"
echo "console: all screens seen"
