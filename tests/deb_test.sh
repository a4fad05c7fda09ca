#!/usr/bin/env bash
# The Debian packages: lintian finds nothing (where it is installed), and what is in them flies from where they are unpacked.
#
#   deb_test.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$1 source=$2
here=$build/deb_test
rm -rf "$here"
mkdir -p "$here"
fail() { echo "deb_test: $*" >&2; exit 1; }

# what is tested is what is in them, not how small they are; of which packages they depend takes nine tenths of it to find
# out, of hundreds of libraries: here of one program of each, and of all where they are installed (tests/soak/bare_install)
cpack --config "$build/CPackConfig.cmake" -B "$here" -D CPACK_DEBIAN_COMPRESSION_TYPE=none -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF \
  >"$here/cpack.txt" 2>&1 || fail "$(tail -n 10 "$here/cpack.txt")"
grep -q '^set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS "ON")' "$build/CPackConfig.cmake" || fail "packages that are shipped depend on nothing"
expected="libpintle-dev pintle"
[[ ! -f $build/ros1/setup.bash ]] || expected+=" pintle-ros1"
found=$(for file in "$here"/*.deb; do dpkg-deb -f "$file" Package; done | sort | tr '\n' ' ')
[[ $found == "$expected " ]] || fail "made $found, expected $expected"
if command -v lintian >/dev/null; then
  lintian --allow-root "$here"/*.deb >"$here/lintian.txt" 2>&1 || true
  [[ ! -s $here/lintian.txt ]] || fail "lintian: $(head -n 20 "$here/lintian.txt")"
fi

# nothing of two packages in one place; all of it together is what is installed
cd "$here"
for file in *.deb; do dpkg-deb -c "$file" | awk '$1 !~ /^d/ {print $6}'; done | sort | uniq -d >twice.txt
[[ ! -s twice.txt ]] || fail "in two packages: $(head -n 5 twice.txt)"
for file in *.deb; do dpkg-deb -x "$file" root; done
DESTDIR=$here/all cmake --install "$build" --prefix /usr >/dev/null
missing=$(diff <(cd all && find . ! -type d | sort) <(cd root && find . ! -type d | sort) | sed -n 's/^< //p' | grep -v -e /LICENSE$ || true)
[[ -z $missing ]] || fail "installed, and in no package: $missing"
root/usr/bin/pintle run root/usr/share/pintle/missions/pool.yaml --no-log --quiet >/dev/null || fail "the pool mission"
mkdir -p debian
touch debian/control
# needs PROGRAM WORDS
needs() {
  local depends
  depends=$(dpkg-shlibdeps -O -e "$1" 2>/dev/null)
  [[ $depends == $2 ]] || fail "$1 depends on $depends"
}
needs root/usr/bin/pintle '*libc6*libyaml-cpp*'
if [[ $expected == *ros1* ]]; then
  needs root/usr/lib/pintle/ros1/share/controls/controls '*libroscpp*'
  [[ $(dpkg-deb -f pintle-ros1_*.deb Depends) == "pintle (="* ]] || fail "pintle-ros1 depends on $(dpkg-deb -f pintle-ros1_*.deb Depends)"
fi
echo "deb_test: $found"
