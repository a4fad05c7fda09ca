#!/usr/bin/env bash
# Checks what is no room against the arrows of ARCHITECTURE.md: the command, the nodes of ROS 1.
#
#   programs_and_bridges.sh SOURCE_DIR
#
#  - each folder includes only those folders and rooms that stand beside it below, and every folder with sources stands there; rooms
#    (arrows.sh) and tests have rules of their own;
#  - a file with a header of ROS has none of a room: C++17 there, C++20 here. What is between them is
#    plain; of the room ros1_site it is bus.h.
#  - the tick has one caller, flight::Flight, and the simulated flight controller for a stack of its own.
set -euo pipefail
cd "$1"
failures=0
fail() { echo "programs_and_bridges: $*" >&2; failures=$((failures + 1)); }

# folder: what its sources may include. Tests may have more.
table='
bridges/ros1/common: common pintle/base pintle/flight
bridges/ros1/controls: common controls pintle/base pintle/config pintle/craft pintle/flight pintle/vehicle
bridges/ros1/mapper: common mapper pintle/base pintle/device pintle/estimation pintle/flight pintle/propulsion pintle/stack pintle/vehicle
bridges/ros1/jet: common jet pintle/base pintle/config pintle/console pintle/craft pintle/device pintle/estimation pintle/flight pintle/mission pintle/mujoco pintle/sight pintle/simulation pintle/vehicle pintle/world vision
bridges/ros1/vision: common vision pintle/base pintle/config pintle/vehicle pintle/vision
bridges/ros1/world: common world pintle/craft pintle/mujoco pintle/stack pintle/vehicle pintle/world
bridges/ros1/bus: common pintle/ros1_site
bridges/ros1/bench:
apps/pintle: pintle/allocation pintle/config pintle/console pintle/craft pintle/device pintle/flight pintle/foxglove pintle/mujoco pintle/propulsion pintle/ros1_site pintle/sdformat pintle/serial_site pintle/serial_world pintle/sight pintle/simulation pintle/telemetry pintle/vehicle pintle/vision pintle/yarp pintle/yarp_site pintle/yarp_world
'
rooms=$(sed -nE 's/^ *pintle_room\(.* FOLDER ([^ )]+).*/\1/p' CMakeLists.txt)
while IFS= read -r folder; do
  [[ $folder == */test ]] || grep -qxF "$folder" <<<"$rooms" || grep -q "^$folder:" <<<"$table" ||
    fail "$folder has sources, and nothing here says what they may include"
done < <(find apps bridges \( -name '*.h' -o -name '*.cpp' \) -printf '%h\n' | sort -u)
checked=0
while IFS=: read -r folder allowed; do
  [[ -n $folder && -d $folder ]] || continue
  for file in "$folder"/*.h "$folder"/*.cpp; do
    [[ -e $file && $file != *_test.cpp ]] || continue
    checked=$((checked + 1))
    while IFS= read -r name; do
      place=${name%/*}
      # its own folder may be left out
      [[ $name == */* ]] || place=${folder##*/}
      [[ " $allowed ${folder##*/} " == *" $place "* ]] || fail "$file may not include $name"
    done < <(sed -nE 's/^ *# *include *"([^"]*)".*/\1/p' "$file")
    if grep -qE '^ *# *include *<(ros|tf2?|tf2_ros|actionlib|[a-z0-9_]+_msgs)/' "$file" &&
      grep -E '^ *# *include *"pintle/' "$file" | grep -qv '"pintle/ros1_site/bus\.h"'; then
      fail "$file has headers of ROS and of a room: what is between them is plain"
    fi
  done
done <<<"$table"
while IFS= read -r line; do
  case ${line%%:*} in
    pintle/flight/flight.cpp | pintle/simulation/flight_controller.cpp | *_test.cpp | */testing_*.h) ;;
    *) fail "the tick is called by Flight::step alone: $line" ;;
  esac
done < <(grep -rnE --include='*.h' --include='*.cpp' '(^|[^A-Za-z_.>])tick\(' pintle apps bridges | grep -vE 'void ([A-Za-z]+::)?tick\(|:[0-9]+: *///?')
((checked > 0)) || fail "nothing to look at"
((failures == 0)) || exit 1
echo "programs_and_bridges: $checked files"
