#!/usr/bin/env bash
# Every relative link and picture in a document leads to a file of this repository.
#
#   docs_links.sh SOURCE_DIR
set -euo pipefail
cd "$1"
failures=0
links=0
for document in *.md docs/*.md docs/*/*.md; do
  [[ -f $document ]] || continue
  folder=$(dirname "$document")
  while IFS= read -r link; do
    case $link in http://* | https://* | mailto:* | '#'*) continue ;; esac
    links=$((links + 1))
    target=${link%%#*}
    [[ -e $folder/$target ]] || { echo "$document: no such file: $link" >&2; failures=$((failures + 1)); }
  done < <(sed '/^```/,/^```/d' "$document" | grep -oE '\]\([^) ]+' | sed 's/^](//')
done
((links > 0)) || { echo "docs_links: no link found: is $1 the right folder?" >&2; exit 1; }
((failures == 0)) || exit 1
echo "docs_links: $links links lead somewhere"
