#!/usr/bin/env bash
# Control laws are modules: beside their own files and the dispatch (pintle/control) nobody names
# one, but for the few below, each with its reason.
#
#   laws_are_modules.sh SOURCE_DIR [DIR_WITH_THE_DISPATCH]
set -euo pipefail
dispatch=${2:-$1}/pintle/control/law.h
[[ $dispatch == /* ]] || dispatch=$PWD/$dispatch
cd "$1"

# files of original systems and written vehicle files speak of the law that flies them
allowed='
pintle/craft/import.cpp
pintle/craft/jet_mission.cpp
pintle/vehicle/jet_craft.cpp
'
# a tool that runs the loops of one law alone
allowed+='
apps/pintle/trace_controller.cpp
'
# a node whose messages and parameters are those of one law's loops
allowed+='
bridges/ros1/controls/controller.cpp
'

# the laws are those that have a state of their own in the dispatch's variant
laws=$(sed -nE 's/^using LawState = std::variant<(.*)>;/\1/p' "$dispatch" | tr -d ' ' | tr ',' '\n' | sed 's/State$//')
[[ -n $laws ]] || { echo "laws_are_modules: no laws in pintle/control/law.h" >&2; exit 1; }
# sections of a file first
pattern='laws\.(control|vector)\>'
for law in $laws; do
  stem=${law%Law}
  snake=$(sed -E 's/([a-z])([A-Z])/\1_\2/g' <<<"$stem" | tr '[:upper:]' '[:lower:]')
  pattern+="|\\<$stem(Law)?(Params|State|Trace|Input)\\>|\\<Law::k$stem\\>|control/$snake(_law)?\\.h|laws\\.$snake\\>"
done
failures=0
while IFS= read -r line; do
  file=${line%%:*}
  [[ $file == pintle/control/* || $file == *_test.cpp || $file == *_for_test.h ]] && continue
  grep -qx "$file" <<<"$allowed" && continue
  echo "laws_are_modules: a law is named outside its own files: $line" >&2
  failures=$((failures + 1))
done < <(grep -rnE --include='*.h' --include='*.cpp' "$pattern" pintle apps bridges || true)
# nothing stays allowed that does without
for file in $allowed; do
  if [[ -e $file ]] && ! grep -qE "$pattern|law: " "$file"; then
    echo "laws_are_modules: $file names no law: take it off the list" >&2
    failures=$((failures + 1))
  fi
done
((failures == 0)) || exit 1
echo "laws_are_modules: $(wc -w <<<"$laws") laws"
