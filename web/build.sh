#!/usr/bin/env bash
# Bundles the live page into dist/index.html, one file that needs nothing else. Wants npm and esbuild
# (Debian's package esbuild); the result is committed, so that only who changes the page needs them.
set -euo pipefail
cd "$(dirname "$0")"
[[ -d node_modules && node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --no-audit --no-fund --loglevel=error
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
esbuild src/main.jsx --bundle --minify --format=iife --target=es2020 --jsx-factory=h --jsx-fragment=Fragment \
  --legal-comments=none --outfile="$work/page.js"
esbuild src/scene.js --bundle --minify --format=iife --global-name=PintleScene --target=es2020 --legal-comments=none --outfile="$work/scene.js"
cat src/style.css node_modules/uplot/dist/uPlot.min.css >"$work/all.css"
esbuild "$work/all.css" --minify --outfile="$work/page.css"
mkdir -p dist
# the report's: styles inside, so that one file is all
esbuild src/report.js --bundle --minify --format=iife --target=es2020 --legal-comments=none --outfile="$work/report.js"
cat node_modules/uplot/dist/uPlot.min.css src/report.css >"$work/report_all.css"
esbuild "$work/report_all.css" --minify --outfile="$work/report.css"
sed 's|</script|<\\/script|g' "$work/report.js" >dist/report.js
cp "$work/report.css" dist/report.css
# a script in a page ends at the first "</script": none may stand inside
sed -i 's|</script|<\\/script|g' "$work/page.js" "$work/scene.js"
{
  printf '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Pintle</title>\n<link rel="icon" href="data:,">\n<style>'
  cat "$work/page.css"
  printf '</style>\n<div id="app"></div>\n<script>'
  cat "$work/page.js"
  # text until the page asks for it: three.js is not to stand before the first paint
  printf '</script>\n<script type="text/plain" id="scene">'
  cat "$work/scene.js"
  printf '</script>\n</html>\n'
} >dist/index.html
for package in preact three uplot; do
  printf '%s %s\n\n' "$package" "$(node -p "require('./node_modules/$package/package.json').version")"
  cat node_modules/$package/LICENSE*
  printf '\n----\n\n'
done >dist/LICENSES.txt
echo "dist/index.html: $(wc -c <dist/index.html) bytes, $(gzip -9 <dist/index.html | wc -c) gzipped"
