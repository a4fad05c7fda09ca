#!/usr/bin/env bash
# The completions know every verb and every option that the command has, and bash's works.
#
#   completion_test.sh SOURCE_DIR COMMAND
set -euo pipefail
source=$1 command=$2
bash_text=$source/apps/pintle/completion.bash
zsh_text=$source/apps/pintle/_pintle
failures=0
fail() { echo "completion_test: $*" >&2; failures=$((failures + 1)); }

# CLI11 lists verbs below "Subcommands:", one a line, two blanks before each
mapfile -t verbs < <("$command" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p')
((${#verbs[@]} >= 9)) || fail "found only the verbs: ${verbs[*]}"
# options VERB…: the long options that its help names
options() {
  "$command" "$@" --help | sed -n '/^Options:/,/^$/p' | grep -oE '^ .*' | grep -oE -- '--[a-z-]+' | sort -u |
    grep -vx -- --help || true
}
# knows WORD OPTION: both texts name the option in the branch of that verb or block
declare -A bash_of zsh_of
knows() {
  if [[ -z ${bash_of[$1]+.} ]]; then
    bash_of[$1]=$(grep -E "^ +$1\)" -A1 "$bash_text" || true)
    zsh_of[$1]=$(sed -n "/^ *$1)/,/;;/p" "$zsh_text")
  fi
  [[ ${bash_of[$1]} == *"$2"[\ \"]* ]] || fail "bash: $1 has no $2"
  [[ ${zsh_of[$1]} == *"$2"* ]] || fail "zsh: $1 has no $2"
}
for verb in "${verbs[@]}"; do
  grep -qE "verbs=.*[\" ]${verb}[\" ]" "$bash_text" || fail "bash: no verb $verb"
  grep -q "'$verb:" "$zsh_text" || fail "zsh: no verb $verb"
  for option in $(options "$verb"); do knows "$verb" "$option"; done
done
for block in pid controller thruster jet booster gimbal propeller fin; do
  for option in $(options trace "$block"); do knows "$block" "$option"; done
done
mapfile -t actions < <("$command" device m5 --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]\{1,\}\) .*/\1/p')
((${#actions[@]} >= 2)) || fail "found only the actions: ${actions[*]}"
for action in "${actions[@]}"; do
  for option in $(options device m5 "$action"); do knows "$action" "$option"; done
done
mapfile -t actions < <("$command" yarp --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]\{1,\}\) .*/\1/p')
((${#actions[@]} >= 7)) || fail "found only the actions: ${actions[*]}"
for action in "${actions[@]}"; do
  for option in $(options yarp "$action"); do knows "$action" "$option"; done
done

# what the command prints is what is installed
"$command" completion bash | cmp -s - "$bash_text" || fail "pintle completion bash prints another text"
"$command" completion zsh | cmp -s - "$zsh_text" || fail "pintle completion zsh prints another text"

# as a shell would: the words of the line, the last one under the cursor
complete_words() {
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pintle; printf "%s\n" "${COMPREPLY[@]}"' \
    _ "$bash_text" "$@" 2>/dev/null
}
[[ $(complete_words pintle ru) == run ]] || fail "pintle ru<TAB>"
[[ $(complete_words pintle command res) == $'resume\nreset_control\nreset_latch\nrestore' ]] || fail "pintle command res<TAB>"
[[ $(complete_words pintle device m5 de) == decode ]] || fail "pintle device m5 de<TAB>"
[[ $(complete_words pintle yarp re) == read ]] || fail "pintle yarp re<TAB>"
[[ $(complete_words pintle trace p) == $'pid\npropeller' ]] || fail "pintle trace p<TAB>"
[[ $(complete_words pintle trace pid vehicle.yaml --axis y) == yaw ||
  $(complete_words pintle trace pid vehicle.yaml --axis y) == $'y\nyaw' ]] || fail "--axis y<TAB>"
[[ $(cd "$source" && complete_words pintle run missions/pool.) == missions/pool.yaml ]] || fail "a mission file"
[[ $(complete_words pintle replay x.mcap --v) == --verify ]] || fail "--v<TAB>"

if command -v zsh >/dev/null; then
  zsh -n "$zsh_text" || fail "zsh cannot read its completion"
fi
((failures == 0)) || exit 1
echo "completion_test: ${#verbs[@]} verbs"
