#!/usr/bin/env bash
# Every hazard from 1 to 20 has its line, each row of failsafes too, and each test that the tables name is there.
#
# The same of docs/failsafes.md.
#
#   docs_hazards.sh SOURCE_DIR
set -euo pipefail
cd "$1"
failures=0
complain() { echo "docs/hazards.md: $1" >&2; failures=$((failures + 1)); }

tests=$(grep -rhoP '^TEST(_F|_P)?\(\K\w+, *\w+' --include='*_test.cpp' pintle bridges tests | sed 's/, */./')
# a program for each name would be most of this test
declare -A is_test
while read -r name; do is_test[$name]=1; done <<<"$tests"
hazards=$(<docs/hazards.md) failsafes=$(<docs/failsafes.md)
for number in {1..20}; do
  line=$(grep -E "^\| $number \|" docs/hazards.md) || { complain "no line for hazard $number"; continue; }
  names=$(grep -oE '`\w+\.\w+`' <<<"$line" | tr -d '`')
  printf -v own 'Hazard%02d.' "$number"
  [[ $'\n'$names == *$'\n'"$own"* ]] || complain "hazard $number has no test under its number"
  for name in $names; do
    [[ ${is_test[$name]:-} ]] || complain "hazard $number: no such test: $name"
  done
done
for name in $(sed -n '/^# Failsafes/,$p' docs/hazards.md | grep -oE '`[A-Z]\w+\.\w+`' | tr -d '`'); do
  [[ ${is_test[$name]:-} ]] || complain "failsafes: no such test: $name"
done
for name in $(grep -oE '`[A-Z]\w+\.[A-Z]\w+`' docs/failsafes.md | tr -d '`' | sort -u); do
  [[ $name == Outputs.* || $name == Inputs.* ]] && continue
  [[ ${is_test[$name]:-} ]] || complain "docs/failsafes.md: no such test: $name"
done
# and each row of the tables of failsafes names one: in its last column
rows() { grep -E '^\| ' | grep -vE '^\| (PX4, |when |what comes )'; }
while read -r line; do
  line=${line% |}
  [[ ${line##*| } =~ \`[A-Z][A-Za-z0-9_]+\.[A-Z][A-Za-z0-9_]+\` ]] || complain "failsafes: a row without a test: ${line:0:60}"
done < <(sed -n '/^## Against PX4/,/^## What/p' docs/failsafes.md | rows
  sed -n '/^# Failsafes of the tick/,/^These tests/p; /^# Failsafes of the command/,/^These tests/p' docs/hazards.md | rows)
# and each row that a vehicle file may have is a hazard, in both tables
rows_of() { awk -F'|' -v column="$1" '$column ~ /`/ { print $column }' | grep -oE '`\w+`' | sort; }
of_failsafes=$(sed -n '/^| row | past when/,/^$/p' docs/failsafes.md | rows_of 2)
of_hazards=$(sed -n '/^| when | row | tests/,/^$/p' docs/hazards.md | rows_of 3)
[[ $of_failsafes ]] || complain "docs/failsafes.md: no table of rows"
while read -r mark name; do
  [[ $mark == '<' ]] && complain "failsafes: no line for the row ${name}" || complain "failsafes: no such row: ${name}"
done < <(diff <(echo "$of_failsafes") <(echo "$of_hazards") | grep '^[<>]' || true)
# and each test of a failsafe is in the table
while read -r name; do
  [[ $failsafes == *"\`$name\`"* ]] || complain "not in docs/failsafes.md: $name"
done < <(grep -E '^(TickFailsafe|FailsafeFlight)\.' <<<"$tests")
# and none of those under a number is forgotten
while read -r name; do
  [[ $hazards == *"\`$name\`"* ]] || complain "not in the table: $name"
done < <(grep -E '^Hazard[0-9]{2}\.' <<<"$tests")
((failures == 0)) || exit 1
echo "docs_hazards: 20 hazards, $(grep -oE '`\w+\.\w+`' docs/hazards.md | sort -u | wc -l) tests"
