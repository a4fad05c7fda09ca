#!/usr/bin/env bash
# The wizard of directions at the command line: a craft with two thrusters in each other's place, one turned and one dead.
#
#   directions_test.sh SOURCE_DIR PINTLE
set -euo pipefail
source=$1 pintle=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
fail() { echo "directions_test: $*" >&2; cat out err >&2; exit 1; }
cp "$source/worlds/pool.yaml" .
cp "$source/vehicles/bluerov2_heavy.yaml" rov.yaml
# mission FILE VEHICLE [MORE]
mission() {
  cat >"$1" <<END
format: pintle/mission/1
name: bench
vehicle: $2
control_rate_Hz: 50
world: {file: pool.yaml, start_position_m: [0, 0, -2]}
${3:-}
mission: {states: [{name: stay, go: {z_m: -2}, success: {after_s: 3}, timeout_s: 9}]}
END
}
sed -e '/name: front_right,/{s/front_right/front_left/;h;d}' -e '/name: front_left,/{s/front_left/front_right/;G}' \
  -e '/name: vertical_front_left,/s/}/, flipped: true}/' rov.yaml >really.yaml
mission mission.yaml rov.yaml
mission truth.yaml really.yaml 'faults: [{propulsor: vertical_back_right, kind: dead, at_s: 0, announced: false}]'

# expect CODE TEXT… : of the command before, which left out and err
expect() {
  [[ $code == "$1" ]] || fail "ended with $code, not $1"
  shift
  for text; do grep -qF -- "$text" out err || fail "does not say: $text"; done
}
# wizard ANSWERS OPTIONS…
wizard() {
  code=0
  printf "$1" | "$pintle" directions mission.yaml "${@:2}" >out 2>err || code=$?
}

# nothing is pushed before the conditions are agreed to
wizard 'y\ny\nn\n'
expect 2 "nothing is pushed unless all of that is so"
if grep -q 'is to push' err; then fail "pushed before"; fi
wizard '' --yes-in-water --propulsor front_rihgt
expect 2 'did you mean "front_right"'

# a truth whose names stand in other places would be another craft than it says
sed -e '/name: front_right,/{s/front_right/front_left/;t}' -e '/name: front_left,/s/front_left/front_right/' rov.yaml >places.yaml
mission places_truth.yaml places.yaml
wizard '' --yes-in-water --truth places_truth.yaml
expect 3 "places.yaml: propulsors: expected those of" "in their order"

# finds all four, and writes nothing unasked
cp rov.yaml before.yaml
wizard 'y\ny\ny\n' --truth truth.yaml
expect 1 "swapped: front_right and front_left" "reversed: vertical_front_left" "dead: vertical_back_right" "Write it?"
cmp -s rov.yaml before.yaml || fail "written unasked"
wizard '' --yes-in-water --truth truth.yaml --json --propulsor vertical_front_left,back_left
expect 1 '{"propulsor":"vertical_front_left","verdict":"reversed"' '{"propulsor":"back_left","verdict":"good"' '"written":false'
cmp -s rov.yaml before.yaml || fail "written unasked"

# by hand, what was seen counts, not what was measured
wizard 'g\nno\nfront_left\nfront_right\n' --yes-in-water --by-hand --propulsor back_left,front_right,front_left
expect 1 'no propulsor "no"' "swapped: front_right and front_left"
wizard 'g\n' --yes-in-water --by-hand --propulsor back_left,back_right
expect 1 "nobody says which way"

# on consent the file is as the craft is; what is dead is left to a hand
wizard 'y\n' --yes-in-water --truth truth.yaml
expect 1 "written: "
[[ $(grep -c . rov.yaml) == "$(grep -c . before.yaml)" ]] || fail "lines came or went"
wizard '' --yes-in-water --truth truth.yaml --propulsor front_right,front_left,vertical_front_left
expect 0 "nothing is wrong"
wizard '' --yes-in-water --truth truth.yaml --write
expect 1 "dead: vertical_back_right"

# a file that is broken meanwhile: said, and the craft's flight comes to its own end
code=0
: >err
{ timeout 60 bash -c "until grep -q 'Which way' err; do :; done"; cp rov.yaml whole.yaml; sed -i 's/^name: .*/name: [broken/' rov.yaml; echo o; } |
  "$pintle" directions mission.yaml --yes-in-water --by-hand --propulsor back_left >out 2>err || code=$?
expect 3 "rov.yaml:" "a bracket [ is not closed"
mv whole.yaml rov.yaml

# without anybody at a terminal nobody agrees: stdin is where odometry comes from
code=0
timeout 60 setsid -w "$pintle" directions "$source/missions/pool_m5.yaml" --on serial --world elsewhere </dev/null >out 2>err || code=$?
expect 2 "nothing is pushed unless all of that is so"

# over serial lines, whose thrusters are emulated: in real time
code=0
"$pintle" directions "$source/missions/pool_m5.yaml" --on serial --yes-in-water --propulsor FLV >out 2>err || code=$?
expect 0 "FLV" "as the file says" "nothing is wrong"

# a craft that flies is refused
code=0
"$pintle" directions "$source/missions/hover_box.yaml" --yes-in-water >out 2>err || code=$?
expect 1 "not with this craft: it flies"
echo "directions_test: good"
