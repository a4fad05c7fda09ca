#!/usr/bin/env bash
# docs/allocation.md says what is so: the tests that it names are there, its example is the program
# that is built, each function of a call path is in its file and is known to the file of its caller,
# and what campaigns found is in their evidence.
#
#   docs_allocation.sh SOURCE_DIR
set -euo pipefail
cd "$1"
page=docs/allocation.md
failures=0
complain() { echo "$page: $1" >&2; failures=$((failures + 1)); }
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '/^```/d'; }

tests=$(grep -rhoP '^TEST(_F|_P)?\(\K\w+, *\w+' --include='*_test.cpp' pintle tests | sed 's/, */./')
promises=$(sed -n '/^| promise | test |/,/^$/p' "$page" | tail -n +3)
while read -r promise; do
  grep -qE '`([A-Z]\w+\.(\w+|\*)|consumer_allocation)`' <<<"$promise" || complain "a promise without a test: $promise"
done <<<"$promises"
named=0
for name in $(grep -oE '`[A-Z]\w+\.([A-Z]\w+|\*)`' "$page" | tr -d '`' | sort -u); do
  named=$((named + 1))
  case $name in
    *'*') grep -qE "^${name%\*}" <<<"$tests" || complain "no such tests: $name" ;;
    *) grep -qxF "$name" <<<"$tests" || complain "no such test: $name" ;;
  esac
done
grep -q 'NAME consumer_allocation' tests/CMakeLists.txt || complain "no test consumer_allocation"

# the example, line by line and in one piece
example=$(block cpp | sed 's/^ *//')
program=$(sed 's/^ *//' tests/consumer_allocation/main.cpp)
[[ -n $example && $program == *"$example"* ]] || complain "the example is not that of tests/consumer_allocation/main.cpp"

# names, their file, and two blanks deeper who is called
functions=0
callers=()
while IFS= read -r line; do
  [[ $line =~ ^(\ *)([A-Za-z_:]+(, [A-Za-z_]+)*)\ \ +([a-z_/0-9]+\.(h|cpp)) ]] || { complain "what is this: $line"; continue; }
  depth=$((${#BASH_REMATCH[1]} / 2))
  names=${BASH_REMATCH[2]//,/}
  file=pintle/allocation/${BASH_REMATCH[4]}
  [[ -f $file ]] || { complain "no such file: $file"; continue; }
  for name in $names; do
    functions=$((functions + 1))
    grep -qE "\b${name##*::}\(" "$file" || complain "$file has no ${name##*::}"
    [[ $name != *::* ]] || grep -qE "class ${name%%::*}\b" "$file" || complain "$file has no class ${name%%::*}"
    ((depth == 0)) || grep -qE "\b${name%%::*}\b" "${callers[depth - 1]}" || complain "${callers[depth - 1]} does not know $name"
  done
  callers[depth]=$file
done < <(block path)
((functions >= 30)) || complain "$functions functions in the call paths: are they still there?"

# every value under that key
figures=0
while IFS= read -r line; do
  file=docs/$(grep -oE 'evidence/[a-z_]+\.json' <<<"$line" | head -n 1)
  while IFS= read -r figure; do
    figures=$((figures + 1))
    key=${figure%%:*}
    found=$(grep -oE "$key: (\"[^\"]*\"|[^,} ]*)" "$file" | sort -u)
    [[ $found == "$figure" ]] || complain "$file: not $figure but ${found//$'\n'/ and }"
  done < <(grep -oE '`"[^`]*`' <<<"$line" | tr -d '`')
done < <(grep -E '^\| \[`.*evidence/[a-z_]+\.json' "$page")
((figures > 0)) || complain "no figure of a campaign"

((failures == 0)) || exit 1
echo "docs_allocation: $named tests, $functions functions of call paths, $figures figures"
