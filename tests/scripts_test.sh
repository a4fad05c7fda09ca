#!/usr/bin/env bash
# The helpers of scripts/ keep their promises, without installing, building or touching the tree.
#
#   scripts_test.sh SOURCE_DIR
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "scripts_test: $*" >&2; exit 1; }

# what a figure is worth depends on these lines
"$source/scripts/evidence" holds --seeds "1 to 3" --into "$scratch" -- echo '{"runs": 3, "text": "a;b [c"}' 2>/dev/null ||
  fail "evidence: a claim that holds ends with 0"
for line in '"name": "holds"' '"seeds": "1 to 3"' '"result": "pass"' '"figures": {"runs": 3, "text": "a;b [c"}'; do
  grep -qF -- "$line" "$scratch/holds.json" || fail "evidence: $line is missing"
done
grep -qE '"commit": "([0-9a-f]{40}|unknown)"' "$scratch/holds.json" || fail "evidence: no commit"

status=0
"$source/scripts/evidence" broken --into "$scratch" -- sh -c 'echo "{}"; exit 3' 2>/dev/null || status=$?
[[ $status == 3 ]] || fail "evidence: it must end as its command did, not with $status"
grep -qF '"result": "fail"' "$scratch/broken.json" || fail "evidence: a failure must be written as one"

! "$source/scripts/evidence" talk --into "$scratch" -- echo 'looks good' 2>/dev/null ||
  fail "evidence: words are not figures"
grep -qF '"result": "fail"' "$scratch/talk.json" || fail "evidence: words are not figures"

# how evidence stands: missing, current, older than the code it speaks of (words and tests beside it are no code), failed, a draft
mkdir -p "$scratch"/campaigns/{scripts,tests/soak,docs/evidence,code}
cp "$source"/scripts/{soak,evidence} "$scratch/campaigns/scripts"
printf '%s\n' '#!/bin/sh' '# Twice two.' '# seeds: none' '# of: code' 'cat code/answer; grep -q 4 code/answer' >"$scratch/campaigns/tests/soak/sum"
chmod +x "$scratch/campaigns/tests/soak/sum"
(
  cd "$scratch/campaigns"
  keep() { git add -A && git -c user.name=x -c user.email=x@x commit -qm "$1"; }
  # not grep -q: it ends before it has read all, and the writer with it
  stands() { scripts/soak --list | grep "^sum  *$1  *Twice two" >/dev/null || fail "soak: evidence should be $1: $(scripts/soak --list)"; }
  git init -q . && echo '{"sum": 4}' >code/answer && keep one
  stands missing
  scripts/soak 2>/dev/null && stands current && keep evidence && stands current
  echo more >code/answer.md && keep words && stands current
  echo '# more is said' >>tests/soak/sum && keep said && stands current
  echo '// 4' >code/words.h && keep header && scripts/soak sum 2>/dev/null && keep evidence && stands current
  echo '  // a sum' >>code/words.h && keep comment && stands current
  echo 'set_tests_properties(sum PROPERTIES COST 1)' >code/CMakeLists.txt && keep scheduled && stands current
  echo '# why' >>code/CMakeLists.txt && keep why && stands current
  # how many there are to be is part of the claim; how many a call does is not
  sed -i 's/^# Twice two\./& (PINTLE_SUMS at most PINTLE_RUNS_A_CALL at once)/' tests/soak/sum && keep sizes && stands current
  PINTLE_SUMS=1 scripts/soak sum 2>/dev/null && stands "of another size"
  PINTLE_RUNS_A_CALL=1 scripts/soak 2>/dev/null && keep evidence && stands current
  [[ $(scripts/soak 2>&1) == *"all 0 campaigns hold"* ]] || fail "soak: what is current is not run again"
  echo '{"sum": 40}' >code/answer && stands "stale since [0-9a-f]*"
  scripts/soak 2>/dev/null && stands "a draft" && keep two && scripts/soak 2>/dev/null && stands current
  echo '{"sum": 5}' >code/answer && keep three
  ! scripts/soak 2>/dev/null && stands failed
  # what flies the shipped files speaks of what the reader makes of them, not of the reader
  flies() { scripts/soak --list | grep "^fly  *$1  *Flies" >/dev/null || fail "soak: evidence should be $1: $(scripts/soak --list)"; }
  mkdir -p pintle/config tests/data && echo 1 | tee pintle/config/reader.cpp >tests/data/shipped_as_read.txt
  printf '%s\n' '#!/bin/sh' '# Flies.' '# seeds: none' 'echo "{}"' >tests/soak/fly && chmod +x tests/soak/fly && keep four
  scripts/soak fly 2>/dev/null && flies current && keep evidence
  echo 2 >pintle/config/reader.cpp && keep reader && flies current
  mkdir pintle/flight && echo 2 >pintle/flight/trial.cpp && keep trial && flies current
  # … nor of the socket, unless it runs the tests
  echo '# it starts no ctest' >>tests/soak/fly && keep none && flies current
  mkdir pintle/console && echo 2 >pintle/console/endpoint.cpp && keep socket && flies "stale since [0-9a-f]*"
  sed -i '$d' tests/soak/fly && keep asked && flies current
  echo 2 >tests/data/shipped_as_read.txt && keep read && flies "stale since [0-9a-f]*"
) || exit 1

# packages: the list for tests holds no tool that only checks need
"$source/scripts/setup" --list >"$scratch/core"
"$source/scripts/setup" --list --dev >"$scratch/dev"
grep -qx g++ "$scratch/core" || fail "setup: no compiler in the list"
! grep -qx clang-tidy "$scratch/core" || fail "setup: clang-tidy is not needed for tests"
grep -qx clang-tidy "$scratch/dev" || fail "setup: --dev lists clang-tidy"
"$source/scripts/setup" --list --ros1 >"$scratch/ros1"
! grep -qx libroscpp-dev "$scratch/core" || fail "setup: ROS is not needed for tests"
grep -qx libroscpp-dev "$scratch/ros1" || fail "setup: --ros1 lists roscpp"
# the rule for serial ports, written once
mkdir "$scratch/rules"
PINTLE_UDEV_RULES=$scratch/rules "$source/scripts/setup" --serial 2>/dev/null
grep -q 'latency_timer}="1"' "$scratch/rules/60-pintle-serial.rules" || fail "setup: no rule for serial ports"
[[ -z $(PINTLE_UDEV_RULES=$scratch/rules "$source/scripts/setup" --serial 2>&1) ]] || fail "setup: the rule was written again"
"$source/scripts/setup" --list --sdf | grep -x libsdformat-dev >/dev/null || fail "setup: --sdf lists sdformat"
"$source/scripts/setup" --list --vision | grep -x libopencv-contrib-dev >/dev/null || fail "setup: --vision lists OpenCV"
# what the README says is to work after `make run` alone: its deliveries are flown on MuJoCo
"$source/scripts/setup" --list --mujoco | cmp -s - "$scratch/core" || fail "setup: --mujoco, which messages name, is refused"
grep -qx libmujoco-dev "$scratch/core" || fail "setup: the README's deliveries need MuJoCo"
grep -qx libroscpp-dev "$scratch/dev" || fail "setup: --dev lists everything"
status=0
"$source/scripts/setup" --nonsense 2>/dev/null || status=$?
[[ $status == 2 ]] || fail "setup: an unknown option ends with 2, not $status"

# every target that the first page names exists
for target in run test soak bench check help clean install deb uninstall; do
  make -C "$source" -n "$target" >/dev/null 2>&1 || fail "make $target: there is no such target"
done

# what was installed goes, folders that are empty then too; what somebody else put there stays
mkdir -p "$scratch"/prefix/{bin,share/pintle/deep}
touch "$scratch"/prefix/bin/{pintle,another} "$scratch/prefix/share/pintle/deep/a file"
printf '%s\n%s' "$scratch/prefix/bin/pintle" "$scratch/prefix/share/pintle/deep/a file" >"$scratch/installed"
"$source/scripts/uninstall" "$scratch/installed"
[[ $(cd "$scratch/prefix" && find . | sort | tr '\n' ' ') == ". ./bin ./bin/another " ]] || fail "uninstall: $(find "$scratch/prefix")"
! "$source/scripts/uninstall" "$scratch/installed" 2>/dev/null || fail "uninstall: twice"

# a document's commands are really run, and a wrong one is noticed
mkdir -p "$scratch/docs"
printf '%s\n' 'Text.' '<!-- run -->' '```sh' 'pintle hello' '```' '<!-- run: exit 1 -->' '```sh' 'false' '```' >"$scratch/docs/good.md"
printf '%s\n' '<!-- run -->' '```sh' 'pintle hello' 'false' '```' >"$scratch/docs/bad.md"
printf '%s\n' '<!-- run: exit 3 -->' '```sh' 'exit 4' '```' >"$scratch/docs/wrong.md"
printf '%s\n' 'nothing here' >"$scratch/docs/empty.md"
bash "$source/tests/docs_test.sh" "$scratch" docs/good.md "$(type -P echo)" >/dev/null || fail "docs_test: a good document"
for name in bad wrong empty; do
  ! bash "$source/tests/docs_test.sh" "$scratch" docs/$name.md "$(type -P echo)" >/dev/null 2>&1 ||
    fail "docs_test: $name.md must fail"
done
# the check of the arrows notices a room that sees too much, one that sees too little, and a header that needs another
mkdir -p "$scratch"/pintle/{low,high} "$scratch"/root/{low,high}/pintle
printf '#pragma once\n#include <string>\n' >"$scratch/pintle/low/low.h"
printf '#pragma once\n#include "pintle/low/low.h"\n' >"$scratch/pintle/high/high.h"
for room in low high; do ln -s "$scratch/pintle/$room" "$scratch/root/$room/pintle/$room"; done
low=$scratch/root/low high=$scratch/root/high
arrows() { bash "$source/tests/arrows.sh" c++ "$scratch" "$@" "$scratch/pintle/$1" >/dev/null 2>&1; }
draw() { printf 'Who may know whom:\n%s\nany room <- apps\n' "$1" >"$scratch/ARCHITECTURE.md"; }
draw 'low <- high'
arrows high "high low" "low high" "$high $low" || fail "arrows: a house in order"
draw 'low <- other, high <- third'
arrows high "high low" "low high" "$high $low" || fail "arrows: a picture with more in it"
for picture in 'low <- third' 'high <- low' 'low, third <- high'; do
  draw "$picture"
  ! arrows high "high low" "low high" "$high $low" || fail "arrows: the picture says otherwise: $picture"
done
draw 'low <- high'
arrows low "low" "low high" "$low" || fail "arrows: a house in order"
! arrows low "low" "low high" "$low $high" || fail "arrows: low must not see high"
! arrows high "high low" "low high" "$high" || fail "arrows: high must see low"
printf '#pragma once\n#include <fmt/core.h>\n' >"$scratch/pintle/low/low.h"
! arrows low "low" "low high" "$low" || fail "arrows: a library in a header"
printf '#pragma once\ninline std::string text;\n' >"$scratch/pintle/low/low.h"
alone() { bash "$source/tests/headers_alone.sh" c++ "$low $high" "$scratch/pintle/low=low" "$scratch/pintle/high=high" >/dev/null 2>&1; }
! alone || fail "headers_alone: a header that needs another"
printf '#pragma once\n#include <string>\ninline std::string text;\n' >"$scratch/pintle/low/low.h"
alone || fail "headers_alone: a house in order"
printf '#pragma once\n#include "pintle/high/high.h"\n' >"$scratch/pintle/low/up.h"
! arrows low "low" "low high" "$low" || fail "arrows: low must not include high"
rm "$scratch/pintle/low/up.h"
# what is no room, and the names of laws
mkdir -p "$scratch"/{apps/pintle,bridges/ros1/{common,jet},pintle/stack}
touch "$scratch/CMakeLists.txt"
outside() { bash "$source/tests/programs_and_bridges.sh" "$scratch" >/dev/null 2>&1; }
printf '#include "common/x.h"\n#include "pintle/flight/fly.h"\n' >"$scratch/bridges/ros1/jet/a.cpp"
outside || fail "programs_and_bridges: a house in order"
printf '#include "jet/x.h"\n' >"$scratch/bridges/ros1/common/a.cpp"
! outside || fail "programs_and_bridges: common must not see jet"
printf '#include <ros/ros.h>\n#include "pintle/flight/fly.h"\n' >"$scratch/bridges/ros1/common/a.cpp"
! outside || fail "programs_and_bridges: ROS and rooms in one file"
rm "$scratch/bridges/ros1/common/a.cpp"
# a folder that nobody speaks of is none; a room has its own check, and so have tests
mkdir -p "$scratch"/bridges/{dds,ros1/test}
touch "$scratch/bridges/ros1/test/a.cpp"
outside || fail "programs_and_bridges: tests"
touch "$scratch/bridges/dds/a.h"
! outside || fail "programs_and_bridges: a folder that is not listed"
printf 'pintle_room(dds FOLDER bridges/dds LINK low)\n' >"$scratch/CMakeLists.txt"
outside || fail "programs_and_bridges: a room"
printf '#pragma once\n' >"$scratch/bridges/dds/a.h"
mkdir -p "$scratch/root/dds/pintle"
ln -s "$scratch/bridges/dds" "$scratch/root/dds/pintle/dds"
bridge() {
  bash "$source/tests/arrows.sh" c++ "$scratch" dds "dds low" "low high dds" "$low $scratch/root/dds" "$scratch/bridges/dds" >/dev/null 2>&1
}
! bridge || fail "arrows: a room of a bridge that is not in the picture"
draw 'low <- high, dds'
bridge || fail "arrows: a room of a bridge"
laws() { bash "$source/tests/laws_are_modules.sh" "$scratch" "$source" >/dev/null 2>&1; }
laws || fail "laws_are_modules: a house in order"
printf 'control::SixAxisParams p;\n' >"$scratch/pintle/stack/a.cpp"
! laws || fail "laws_are_modules: a law named in the tick"

echo "scripts_test: all good"
