#!/usr/bin/env bash
# Every header of every room compiles alone, with nothing before it.
#
#   headers_alone.sh COMPILER "INCLUDE ROOTS OF ALL ROOMS" FOLDER=ROOM…
#
# A source that begins with its header has shown it in the build. The rest are compiled in chains: a
# header comes behind others only if it includes all of them itself, so that what it lacks is still
# missing. That takes a third of the compiler runs.
set -euo pipefail
compiler=$1
flags=()
for root in $2; do flags+=(-I "$root"); done
shift 2

headers=()
for each in "$@"; do
  folder=${each%=*} room=${each##*=}
  for header in "$folder"/*.h "$folder"/internal/*.h; do
    # helpers of tests are neither installed nor seen by other rooms
    [[ -e $header && ${header##*/} != *test* ]] || continue
    name=pintle/$room/${header#"$folder"/}
    [[ $(grep -m 1 '^#include' "${header%.h}.cpp" 2>/dev/null) == "#include \"$name\"" ]] || headers+=("$name")
  done
done
((${#headers[@]} > 0)) || { echo "headers_alone: nothing to look at" >&2; exit 1; }

# as few chains as there can be: a largest matching of headers with one that each may follow
mapfile -t chains < <(for name in "${headers[@]}"; do
  echo "$name" $("$compiler" -std=c++20 -M -MG -nostdinc "${flags[@]}" -x c++ - <<<"#include \"$name\"" |
    grep -oE 'pintle/[a-z0-9_]+/(internal/)?[a-z0-9_]+\.h' | sort -u)
done | awk '
  { name[NR] = $1; number[$1] = NR; all[NR] = $0 }
  function follow(i,   j) {
    for (j = 1; j <= NR; ++j) {
      if (!((j, i) in reaches) || seen[j]++) continue
      if (!(j in next_of) || follow(next_of[j])) { next_of[j] = i; before[i] = j; return 1 }
    }
    return 0
  }
  END {
    for (i = 1; i <= NR; ++i) {
      n = split(all[i], part, " ")
      for (k = 2; k <= n; ++k)
        if (part[k] in number && number[part[k]] != i) reaches[number[part[k]], i] = 1
    }
    for (i = 1; i <= NR; ++i) { split("", seen); follow(i) }
    for (j in next_of) has_before[next_of[j]] = 1
    for (i = 1; i <= NR; ++i) {
      if (i in has_before) continue
      line = name[i]
      for (k = i; k in next_of; ) { k = next_of[k]; line = line " " name[k] }
      print line
    }
  }')

compiles() {
  printf '#include "%s"\n' "$@" |
    "$compiler" -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only "${flags[@]}" -x c++ -
}
# of all chains every so-manieth, begun with the given one
look() {
  local i name names failures=0
  for ((i = $1; i < ${#chains[@]}; i += jobs)); do
    read -ra names <<<"${chains[i]}"
    compiles "${names[@]}" 2>/dev/null && continue
    for name in "${names[@]}"; do
      compiles "$name" || { echo "headers_alone: $name does not compile alone" >&2; failures=1; }
    done
  done
  return "$failures"
}
jobs=$(nproc)
running=()
for ((job = 0; job < jobs; ++job)); do
  look "$job" &
  running+=($!)
done
failed=
for process in "${running[@]}"; do wait "$process" || failed=yes; done
[[ -z $failed ]] || exit 1
echo "headers_alone: ${#headers[@]} headers in ${#chains[@]} runs of the compiler"
