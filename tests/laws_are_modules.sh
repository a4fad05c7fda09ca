#!/usr/bin/env bash
# Control laws are modules: beside their own files and the dispatch (pintle/control) nobody names
# one, neither its types nor its name in a file: not in C++, in Python or in the pages.
#
#   laws_are_modules.sh SOURCE_DIR [DIR_WITH_THE_DISPATCH]
set -euo pipefail
dispatch=${2:-$1}/pintle/control/law.h
[[ $dispatch == /* ]] || dispatch=$PWD/$dispatch
cd "$1"

# the laws are those that have a state of their own in the dispatch's variant
laws=$(sed -nE 's/^using LawState = std::variant<(.*)>;/\1/p' "$dispatch" | tr -d ' ' | tr ',' '\n' | sed 's/State$//')
[[ -n $laws ]] || { echo "laws_are_modules: no laws in pintle/control/law.h" >&2; exit 1; }
# sections of a file first
pattern='laws?\.(control|vector)\>'
for law in $laws; do
  stem=${law%Law}
  snake=$(sed -E 's/([a-z])([A-Z])/\1_\2/g' <<<"$stem" | tr '[:upper:]' '[:lower:]')
  pattern+="|\\<$stem(Law)?(Params|State|Trace|Input)\\>|law: $snake\\>|\\<Law::k$stem\\>|control/$snake(_law)?\\.h|laws?\\.$snake\\>"
  # a name of two words is nothing else
  [[ $snake != *_* ]] || pattern+="|\\<$snake\\>"
done
failures=0
while IFS= read -r line; do
  file=${line%%:*}
  [[ $file == pintle/control/* || $file == *_test.cpp || $file == *_for_test.h || $file == */test/* ]] && continue
  echo "laws_are_modules: a law is named outside its own files: $line" >&2
  failures=$((failures + 1))
done < <(grep -rnE --include=*.{h,cpp,py,js,jsx} "$pattern" pintle apps bridges web/src || true)
((failures == 0)) || exit 1
echo "laws_are_modules: $(wc -w <<<"$laws") laws"
