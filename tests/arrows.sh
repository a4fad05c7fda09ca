#!/usr/bin/env bash
# Checks one room against the arrows of ARCHITECTURE.md.
#
#   arrows.sh COMPILER SOURCE_DIR ROOM "ROOMS IT MAY SEE" "ALL ROOMS" "ITS OWN INCLUDE PATHS" "THOSE OF ITS USERS" FOLDER
#
#  - each header of the room compiles alone, with only what a user of the room gets;
#  - headers name only the standard library and rooms, and only as "pintle/ROOM/…";
#  - from inside the room, every room it may see can be included and no other can.
set -euo pipefail
compiler=$1 source=$2 room=$3
read -ra seen <<<"$4"
read -ra all <<<"$5"
read -ra own <<<"$6"
read -ra users <<<"$7"
folder=$8
failures=0

fail() { echo "arrows: $room: $*" >&2; failures=$((failures + 1)); }

# $1: text of a source file; the rest: include paths
compiles() {
  local text=$1 flags=() path
  shift
  for path in "$@"; do flags+=(-I "$path"); done
  "$compiler" -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only "${flags[@]}" \
    -x c++ - <<<"$text"
}

# $1: a header as written in an include; the rest: include paths. Without the system's own paths the
# compiler stops at the first header that it cannot find, which is quick, and an installed Pintle
# does not count: the question is whether it is this header that is missing.
can_be_found() {
  local flags=() path header=$1 said
  shift
  for path in "$@"; do flags+=(-I "$path"); done
  said=$("$compiler" -std=c++20 -E -nostdinc "${flags[@]}" -x c++ - <<<"#include \"$header\"" 2>&1 >/dev/null) || true
  ! grep -qE "$header(: No such file|' file not found)" <<<"$said"
}

contains() {
  local wanted=$1 item
  shift
  for item in "$@"; do [[ $item == "$wanted" ]] && return 0; done
  return 1
}

headers=0
for header in "$folder"/*.h; do
  [[ -e $header ]] || continue
  # helpers of tests are neither installed nor seen by other rooms
  [[ ${header##*/} == *test* ]] && continue
  headers=$((headers + 1))
  name=pintle/$room/${header##*/}
  # a source that begins with its header has shown it in the build already
  if [[ $(grep -m 1 '^#include' "${header%.h}.cpp" 2>/dev/null) != "#include \"$name\"" ]]; then
    compiles "#include \"$name\"" "${users[@]}" || fail "$name does not compile alone"
  fi
  while IFS= read -r line; do
    fail "$name: a header may name only the standard library and rooms: $line"
  # the compiler's own intrinsics come with it, like the standard library
  done < <(grep -nE '^ *# *include *<[^>]*[./]' "$header" | grep -v '<immintrin\.h>' || true)
done
((headers > 0)) || fail "it has no header"

while IFS= read -r line; do
  fail "write \"pintle/ROOM/file.h\": $line"
done < <(grep -nE '^ *# *include *"' "$folder"/*.h "$folder"/*.cpp 2>/dev/null |
  grep -vE '# *include *"pintle/[a-z0-9_]+/[a-z0-9_]+\.h"' || true)

# any header of the other room serves: what matters is whether it can be found
for other in "${all[@]}"; do
  for header in "$source/"{pintle,bridges}"/$other"/*.h; do [[ ! -e $header ]] || break; done
  [[ -e $header ]] || continue
  # helpers of tests are neither installed nor seen by other rooms
  [[ ${header##*/} == *test* ]] && continue
  name=pintle/$other/${header##*/}
  if contains "$other" "$room" "${seen[@]}"; then
    can_be_found "$name" "${own[@]}" || fail "it may see $other but cannot include $name"
  else
    ! can_be_found "$name" "${own[@]}" || fail "it can include $name, and may not see $other"
  fi
done

((failures == 0)) || exit 1
echo "arrows: $room: $headers headers compile alone; sees ${seen[*]:-nothing} and nothing else"
