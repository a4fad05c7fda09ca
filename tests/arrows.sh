#!/usr/bin/env bash
# Checks one room against the arrows of ARCHITECTURE.md.
#
#   arrows.sh COMPILER SOURCE_DIR ROOM "ROOMS IT MAY SEE" "ALL ROOMS" "ITS OWN INCLUDE PATHS" FOLDER
#
#  - headers name only the standard library and rooms, and only as "pintle/ROOM/…";
#  - every file includes only rooms that the room may see, and from inside it each of those can be
#    included and no other can.
#  - the picture in ARCHITECTURE.md ("Who may know whom") shows these rooms and no others.
#
# That each header compiles alone: headers_alone.sh.
set -euo pipefail
compiler=$1 source=$2 room=$3
read -ra seen <<<"$4"
read -ra all <<<"$5"
read -ra own <<<"$6"
folder=$7
failures=0

fail() { echo "arrows: $room: $*" >&2; failures=$((failures + 1)); }

contains() {
  local wanted=$1 item
  shift
  for item in "$@"; do [[ $item == "$wanted" ]] && return 0; done
  return 1
}

headers=0
for header in "$folder"/*.h "$folder"/internal/*.h; do
  [[ -e $header ]] || continue
  # helpers of tests are neither installed nor seen by other rooms
  [[ ${header##*/} == *test* ]] && continue
  headers=$((headers + 1))
  name=pintle/$room/${header#"$folder"/}
  while IFS= read -r line; do
    fail "$name: a header may name only the standard library and rooms: $line"
  # the compiler's own intrinsics come with it, like the standard library
  done < <(grep -nE '^ *# *include *<[^>]*[./]' "$header" | grep -v '<immintrin\.h>' || true)
done
((headers > 0)) || fail "it has no header"

while IFS= read -r line; do
  fail "write \"pintle/ROOM/file.h\": $line"
done < <(grep -nE '^ *# *include *"' "$folder"/{,internal/}*.h "$folder"/{,internal/}*.cpp 2>/dev/null |
  grep -vE '# *include *"pintle/[a-z0-9_]+/(internal/)?[a-z0-9_]+\.h"' || true)

# a header that nobody includes is held to it too
while IFS=: read -r file other; do
  contains "$other" "$room" "${seen[@]}" || fail "$file includes a header of $other, and may not see it"
done < <(grep -HoE '^ *# *include *"pintle/[a-z0-9_]+' "$folder"/{,internal/}*.h 2>/dev/null | grep -v '/[a-z0-9_]*test[a-z0-9_]*\.h:' | sed 's,:.*/,:,')

# any header of the other room serves: what matters is whether it can be found. An installed Pintle
# does not count.
declare -A header_of
text=
for other in "${all[@]}"; do
  for header in "$source/pintle/$other"/*.h "$source/bridges/$other"/*.h "$source/bridges/${other/_//}"/*.h; do
    # helpers of tests are neither installed nor seen by other rooms
    [[ ! -e $header || ${header##*/} == *test* ]] || break
  done
  [[ -e $header && ${header##*/} != *test* ]] || continue
  header_of[$other]=pintle/$other/${header##*/}
  text+="#if __has_include(\"${header_of[$other]}\")"$'\n'"found $other"$'\n'"#endif"$'\n'
done
flags=()
for path in "${own[@]}"; do flags+=(-I "$path"); done
found=$'\n'$("$compiler" -std=c++20 -E -P -nostdinc "${flags[@]}" -x c++ - <<<"$text")$'\n'
for other in "${!header_of[@]}"; do
  name=${header_of[$other]} is_found=
  [[ $found != *$'\n'"found $other"$'\n'* ]] || is_found=yes
  if contains "$other" "$room" "${seen[@]}"; then
    [[ -n $is_found ]] || fail "it may see $other but cannot include $name"
  else
    [[ -z $is_found ]] || fail "it can include $name, and may not see $other"
  fi
done

# the picture: "a, b <- c <- d (optional)      words"
declare -A drawn
while IFS= read -r line; do
  line=${line//(optional)/}
  line=${line#"${line%%[! ]*}"}
  line=${line%%   *}
  [[ $line == *'<-'* && $line != 'any room'* ]] || continue
  left=
  while [[ -n $line ]]; do
    right=${line%%<-*}
    [[ $line == *'<-'* ]] && line=${line#*<-} || line=
    for one in ${right//,/ }; do drawn[$one]+=" ${left//,/ }"; done
    left=$right
  done
done < <(sed -n '/^Who may know whom/,/^any room/p' "$source/ARCHITECTURE.md")
if [[ -n ${drawn[$room]+.} ]]; then
  known=" $room " open=$room
  while [[ -n $open ]]; do
    next=
    for one in $open; do
      for other in ${drawn[$one]:-}; do
        [[ $known == *" $other "* ]] || known+="$other " next+=" $other"
      done
    done
    open=$next
  done
  for other in "${seen[@]}"; do [[ $known == *" $other "* ]] || fail "it may see $other, which ARCHITECTURE.md does not draw"; done
  for other in $known; do contains "$other" "${seen[@]}" || fail "ARCHITECTURE.md draws that it sees $other, and it may not"; done
else
  fail "it is not in the picture of ARCHITECTURE.md"
fi

((failures == 0)) || exit 1
echo "arrows: $room: $headers headers; sees ${seen[*]:-nothing} and nothing else"
