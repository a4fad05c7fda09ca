#!/usr/bin/env bash
# hardware_only.sh PROGRAM VEHICLE "ROOMS THAT IT LINKS": it flies, and holds nothing of a simulated
# world, a plant or a report.
set -euo pipefail
program=$1 vehicle=$2
read -ra rooms <<<"$3"
"$program" "$vehicle"
for room in "${rooms[@]}"; do
  case $room in
    world | mujoco | simulation | sdformat | vision | console)
      echo "hardware_only: a hardware program links room $room" >&2
      exit 1
      ;;
  esac
done
if found=$(nm -C --defined-only "$program" 2>/dev/null |
  grep -E 'pintle::(simulation|mujoco)::|pintle::world::(World|RigidPlant|VehicleBatch)\b|report_html'); then
  echo "hardware_only: linked besides:" >&2
  head -5 <<<"$found" >&2
  exit 1
fi
