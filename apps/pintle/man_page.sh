#!/usr/bin/env bash
# The manual page of the command, from what its own --help says, of every verb and what is below it.
#
#   man_page.sh COMMAND VERSION >pintle.1
set -euo pipefail
command=$1 version=$2

# one help text: options and positionals as a list of terms, the rest as it stands
to_roff() {
  awk '
    function safe(text) {
      gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text)
      return text ~ /^[.\x27]/ ? "\\&" text : text
    }
    function close_list() { if (literal) { print ".fi"; literal = 0 } }
    NR == 1 { print safe($0); next }
    /^Usage:/ { sub(/^Usage: */, ""); print ".PP"; print "\\fB" safe($0) "\\fR"; next }
    /^(Options|Positionals|Subcommands):$/ { close_list(); within = 1; next }
    /^Exit codes:/ { exit }
    /^$/ { close_list(); within = 0; gap = 1; next }
    within && match($0, /^  [^ ]/) {
      text = substr($0, 3)
      at = match(text, /  +/)
      print ".TP"
      print "\\fB" safe(at ? substr(text, 1, at - 1) : text) "\\fR"
      if (at) print safe(substr(text, at + RLENGTH))
      next
    }
    within { sub(/^ +/, ""); print safe($0); next }
    { if (!literal) { print ".PP"; print ".nf"; literal = 1 } print safe($0) }
    END { close_list() }'
}

below() { "$command" "$@" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z0-9-]\{1,\}\) .*/\1/p'; }

section() {
  printf '.SS pintle %s\n' "${*//-/\\-}"
  "$command" "$@" --help | to_roff
  local verb
  for verb in $(below "$@"); do section "$@" "$verb"; done
}

cat <<END
.TH PINTLE 1 "" "Pintle $version" "User commands"
.ad l
.SH NAME
pintle \\- control stack for vehicles that move by thrust
.SH SYNOPSIS
.B pintle
.I VERB
.RI [ OPTIONS ]
.SH DESCRIPTION
Takes a vehicle file and a mission file, and turns setpoints into wrenches, wrenches into thrusts and thrusts into
commands, in simulation, on hardware and in replay.
Results go to stdout, talk to stderr.
Every verb has \\-\\-json where it answers with data.
.SH VERBS
END
for verb in $(below); do section "$verb"; done
cat <<'END'
.SH EXIT STATUS
0 ok, 1 a check failed, 2 usage, 3 configuration, 4 run\-time fault, 5 replay mismatch.
.SH FILES
.I share/pintle
below the prefix: vehicles, missions, worlds, and the schemas of their formats.
.PP
.I lib/pintle/ros1/setup.bash
below the prefix: source it, and the tools of ROS 1 see Pintle\(aqs packages.
END
