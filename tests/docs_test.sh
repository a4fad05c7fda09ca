#!/usr/bin/env bash
# Runs the commands of one document, in order, as a reader would who types them in.
#
#   docs_test.sh SOURCE_DIR DOCUMENT COMMAND
#
# A ```sh block with  <!-- run -->  on the line above it is run, in one shell for the whole
# document, in a scratch copy of vehicles/, missions/, worlds/, vision/ and docs/, with COMMAND as `pintle`.
# <!-- run: exit N -->  says that its last command ends with N. A ```yaml block (or any other) with
# <!-- file: PATH -->  above it is written to that file first.
set -euo pipefail
source=$1 document=$2 command=$3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/house"
ln -s "$command" "$scratch/bin/pintle"
export PATH=$scratch/bin:$PATH
for folder in vehicles missions worlds vision docs; do
  [[ ! -d $source/$folder ]] || cp -r "$source/$folder" "$scratch/house/"
done

# the document becomes a script: commands as they stand, files as here-documents
awk -v document="$document" '
  function close_run() {
    if (want == 0) print ""
    else printf ") || status=$?\n[[ $status == %d ]] || { echo \"%s:%d: ended with $status, expected %d\" >&2; exit 1; }\n", want, document, at, want
  }
  /^<!-- run -->$/             { mark = "run"; want = 0; next }
  /^<!-- run: exit [0-9]+ -->$/ { mark = "run"; want = $4 + 0; next }
  /^<!-- file: [^ ]+ -->$/     { mark = "file"; path = $3; next }
  /^```/ && mode == "" && mark == "run"  {
    mode = "run"; at = NR; blocks++
    printf "echo \"== %s:%d\" >&2\n", document, NR
    if (want != 0) print "status=0; ("
    mark = ""; next
  }
  /^```/ && mode == "" && mark == "file" {
    mode = "file"; blocks++; printf "mkdir -p \"$(dirname %s)\"\ncat >%s <<\"END_OF_FILE\"\n", path, path; mark = ""; next
  }
  /^```/ && mode == ""      { mode = "skip"; next }
  /^```/ && mode == "run"   { close_run(); mode = ""; next }
  /^```/ && mode == "file"  { print "END_OF_FILE"; mode = ""; next }
  /^```/                    { mode = ""; next }
  mode == "run" || mode == "file" { print; next }
  /[^ ]/ { if (mark != "") { printf "%s:%d: a mark without a block below it\n", document, NR > "/dev/stderr"; exit 1 } }
  END { if (blocks == 0) { printf "%s: nothing in it is marked to be run\n", document > "/dev/stderr"; exit 1 } }
' "$source/$document" >"$scratch/script"

cd "$scratch/house"
if ! bash -euo pipefail "$scratch/script" </dev/null >"$scratch/output" 2>&1; then
  cat "$scratch/output" >&2
  echo "docs_test: $document: a command does not do what the document says" >&2
  exit 1
fi
echo "docs_test: $document: $(grep -c '^== ' "$scratch/output") blocks run"
