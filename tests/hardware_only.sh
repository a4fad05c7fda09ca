#!/usr/bin/env bash
# hardware_only.sh PROGRAM VEHICLE "ROOMS THAT IT LINKS" LIBRARY_OF_WORLD: it flies, and holds nothing of a simulated
# world, a plant or a report. What a world file says (world_params) is in namespace world, too, and may be there.
set -euo pipefail
program=$1 vehicle=$2 world=$4
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
# what a library alone defines: weak symbols are made wherever they are used
strong() { nm --defined-only "$1" 2>/dev/null | awk '$2 ~ /^[TDBR]$/ {print $3}' | sort -u; }
of_world=$(strong "$world")
[[ -n $of_world ]] || { echo "hardware_only: $world defines nothing" >&2; exit 1; }
found=$(
  comm -12 <(strong "$program") <(echo "$of_world") | c++filt
  nm -C --defined-only "$program" 2>/dev/null |
    grep -E 'pintle::(simulation|mujoco)::|pintle::telemetry::(Plot|Report)|report_html|comparison_html' || true
)
if [[ -n $found ]]; then
  echo "hardware_only: linked besides:" >&2
  head -5 <<<"$found" >&2
  exit 1
fi
