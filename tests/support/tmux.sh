# A terminal for tests of screens: source it. Needs $screens (a folder in which screens are left, or
# empty).
name='' begun=0
folder=$(mktemp -d)
export XDG_RUNTIME_DIR=$folder
chmod 700 "$folder"
t() { tmux -L "$name" "$@"; }
close_terminal() { [[ -z $name ]] || t kill-server 2>/dev/null || true; }
trap 'close_terminal; rm -rf "$folder"' EXIT

# open_terminal COMMAND [WIDTH HEIGHT]
open_terminal() {
  close_terminal
  name=pintle-console-$$-$((++begun))
  t -f /dev/null new-session -d -s pane -x "${2:-80}" -y "${3:-24}" "$1"
}
screen() { t capture-pane -p -t pane; }
keep() {
  [[ -z $screens ]] || { mkdir -p "$screens"; screen >"$screens/$1.txt"; }
}
# wait_for TEXT: until it is on the screen; a minute is for a loaded machine
wait_for() {
  local i
  for ((i = 0; i < 600; ++i)); do
    if screen | grep -F -- "$1" >/dev/null; then return 0; fi
    sleep 0.1
  done
  echo "$0: never saw \"$1\"; the screen:" >&2
  screen >&2
  exit 1
}
# the question, or what the last key did, in two lines at most; not the last of the events above it
bottom() { screen | grep . | tail -n 2 | grep -vE '^ *[0-9.]+ s  ' || true; }
# ask KEY TEXT: until TEXT is on the screen; a key that lapsed, as the machine stood, is pressed again
ask() {
  local i
  press "$1"
  for ((i = 0; i < 600; ++i)); do
    if screen | grep -F -- "$2" >/dev/null; then return 0; fi
    if bottom | grep "ask again" >/dev/null; then press "$1"; fi
    sleep 0.1
  done
  wait_for "$2"
}
# fly_mission: f, and y where that is asked, until the mission runs; again where it was refused or lapsed
fly_mission() {
  local i k
  for ((i = 0; i < 60; ++i)); do
    press f
    for ((k = 0; k < 600; ++k)); do
      if bottom | grep -E "Arm, and fly|from its start" >/dev/null; then break; fi
      sleep 0.1
    done
    if bottom | grep -F "[y or n]" >/dev/null; then press y; fi
    for ((k = 0; k < 600; ++k)); do
      if screen | grep "armed  running" >/dev/null; then return 0; fi
      if bottom | grep -E "not armed:|ask again" >/dev/null; then break; fi
      sleep 0.1
    done
    keep refused
    sleep 0.5
  done
  wait_for "armed  running"
}
# not grep -q: it ends before it has read all, which pipefail takes for nothing seen
never() {
  if screen | grep -F -- "$1" >/dev/null; then
    echo "$0: \"$1\" is on the screen:" >&2
    screen >&2
    exit 1
  fi
}
press() { t send-keys -t pane -l "$1"; }
# resize WIDTH HEIGHT, another width: until a picture of that size is whole. Its first line ends with the
# time, at the right edge, and where a second one has begun the first has been drawn to its end
resize() {
  t resize-window -t pane -x "$1" -y "$2"
  local i line first=
  for ((i = 0; i < 600; ++i)); do
    IFS= read -r line < <(screen) || true
    if [[ ${#line} == "$1" && $line =~ t\ [0-9.]+\ s$ ]]; then
      [[ -z $first || $line == "$first" ]] || return 0
      first=$line
    fi
    sleep 0.1
  done
  echo "$0: never saw a picture of $1x$2; the screen:" >&2
  screen >&2
  exit 1
}
