#!/usr/bin/env bash
# The console as a person meets it: keys and screens through tmux, in a terminal of 80 by 24.
#
#   console_test.sh PINTLE MISSION FIRST_STATE [SCREENS]
#
# SCREENS: a folder in which the screens are left, to be looked at.
set -euo pipefail
pintle=$1 mission=$2 first=$3 screens=${4:-}
name='' begun=0
folder=$(mktemp -d)
t() { tmux -L "$name" "$@"; }
trap 't kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT

screen() { t capture-pane -p -t pane; }
keep() {
  [[ -z $screens ]] || { mkdir -p "$screens"; screen >"$screens/$1.txt"; }
}
# wait_for TEXT: until it is on the screen; a minute is for a loaded machine
wait_for() {
  local i
  for ((i = 0; i < 600; ++i)); do
    if screen | grep -qF -- "$1"; then return 0; fi
    sleep 0.1
  done
  echo "console_test: never saw \"$1\"; the screen:" >&2
  screen >&2
  exit 1
}
never() {
  if screen | grep -qF -- "$1"; then
    echo "console_test: \"$1\" is on the screen:" >&2
    screen >&2
    exit 1
  fi
}
press() { t send-keys -t pane -l "$1"; }

begin() {
  [[ -z $name ]] || t kill-server 2>/dev/null || true
  name=pintle-console-$$-$((++begun))
  t -f /dev/null new-session -d -s pane -x 80 -y 24 \
    "stty -g >'$folder/before'; '$pintle' console '$mission' --out '$folder/run'; echo \"left with \$?\"; stty -g >'$folder/after'; echo modes kept; exec cat"
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
press f
wait_for "[y or n] Arm, and fly the mission"
press y
wait_for "armed  running"
wait_for ">[0] $first"
keep start

press g
wait_for "armed  paused"
keep pause
press h
wait_for "armed  running"
press i
wait_for "armed  idle"
keep cutoff
press 1
wait_for ">[1]"
keep step

# a smaller window, and a larger one
t resize-window -t pane -x 60 -y 16
wait_for "position  x"
keep small
t resize-window -t pane -x 100 -y 30
wait_for "velocity  x"

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
