#!/usr/bin/env bash
# What was built, installed: complete, with no path of the machine that built it, in whatever place it is moved to, and gone again.
#
#   install_test.sh BUILD_DIR SOURCE_DIR GENERATOR COMPILER
set -euo pipefail
build=$1 source=$2 generator=$3 compiler=$4
here=$build/install_test
rm -rf "$here"
mkdir -p "$here"
fail() { echo "install_test: $*" >&2; exit 1; }

# into a staging folder, and away from there
DESTDIR=$here/stage cmake --install "$build" --prefix /opt/pintle >"$here/install.txt" || fail "$(tail -n 5 "$here/install.txt")"
[[ $(ls "$here/stage") == opt && $(ls "$here/stage/opt") == pintle ]] || fail "something went beside the prefix: $(ls "$here/stage" "$here/stage/opt")"
prefix="$here/moved/pintle"
mkdir -p "${prefix%/*}"
mv "$here/stage/opt/pintle" "$prefix"

# nothing of the machine that built it
for path in "$build" "$source" /opt/pintle; do
  named=$(grep -rlaF -- "$path" "$prefix" || true)
  [[ -z $named ]] || fail "$path stands in $named"
done
named=$(grep -rlE '/usr/lib/[^ ;>]*\.(so|a)' "$prefix/lib/cmake" "$prefix"/share/pkgconfig || true)
[[ -z $named ]] || fail "a library's path stands in $named"
dangling=$(find "$prefix" -xtype l)
[[ -z $dangling ]] || fail "links that lead nowhere: $dangling"

# the command, from another folder
cd "$here"
pintle=$prefix/bin/pintle
"$pintle" run "$prefix/share/pintle/missions/pool.yaml" --out flown --quiet >/dev/null || fail "the pool mission"
"$pintle" replay flown/log.mcap --verify >/dev/null || fail "the log of the pool mission"
[[ $(head -n 1 "$prefix/share/pintle/missions/pool.yaml") =~ schema=(.*) ]] &&
  [[ -f $prefix/share/pintle/missions/${BASH_REMATCH[1]} ]] || fail "the schema of a mission is not where its first line says"

# what goes on in another program finds it
[[ ! -e $prefix/libexec/pintle/pintle-full ]] || grep -q -- --circle <("$pintle" detect --help) || fail "pintle-full is not found"

# the manual page has every verb and every option
gzip -dc "$prefix/share/man/man1/pintle.1.gz" | sed 's/\\-/-/g' >page
for verb in $("$pintle" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  sed -n "/^\.SS pintle $verb\$/,/^\.SS/p" page >part
  [[ -s part ]] || fail "the manual page lacks $verb"
  for option in $("$pintle" "$verb" --help | sed -n '/^Options:/,/^$/s/^  *\(-[a-z],\)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'); do
    grep -qF -- "$option" part || fail "the manual page lacks $verb $option"
  done
done
if command -v groff >/dev/null; then
  warned=$(groff -Kutf8 -man -ww -Tutf8 -z page 2>&1 | head -n 3)
  [[ -z $warned ]] || fail "the manual page: $warned"
fi

# a project of its own, with what is optional hidden from it; by pkg-config too
cmake -S "$source/tests/consumer" -B consumer -G "$generator" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=$compiler" \
  "-DCMAKE_PREFIX_PATH=$prefix" -DCMAKE_DISABLE_FIND_PACKAGE_sdformat12=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON >consumer.txt 2>&1 &&
  cmake --build consumer >>consumer.txt 2>&1 && consumer/consumer >>consumer.txt || fail "the consumer: $(tail -n 20 consumer.txt)"
export PKG_CONFIG_PATH=$prefix/share/pkgconfig
for room in "$prefix"/share/pkgconfig/*.pc; do
  pkg-config --exists "$(basename "$room" .pc)" || fail "$(pkg-config --print-errors --exists "$(basename "$room" .pc)" 2>&1)"
done
flags=$(pkg-config --cflags --libs pintle-control pintle-vehicle)
[[ $flags != *sdformat* && $flags != *mujoco* ]] || fail "the rooms control and vehicle want $flags"
eval "$compiler -std=c++20 $source/tests/consumer/main.cpp $flags -o by_pkg_config" || fail "a consumer by pkg-config"
./by_pkg_config >/dev/null

# ROS's tools find the packages, and roslaunch starts the node, with a master
if [[ -f $build/ros1/setup.bash ]]; then
  ros1=$prefix/lib/pintle/ros1
  for package in "$source"/bridges/ros1/packages/*/; do
    name=$(basename "$package")
    [[ $name == pintle_bench || ! -e $build/ros1/share/$name || -f $ros1/share/$name/package.xml ]] || fail "no package $name"
  done
  while IFS= read -r program; do
    [[ $program == */pintle_bench/* || -x $ros1/$program ]] || fail "no program $program"
  done < <(cd "$build/ros1" && find share -type f -executable)
  export PINTLE_ROS1_ROOT=$ros1 PINTLE_SOURCE_DIR=$source PYTHONPATH=$source/bridges/ros1/test
  /usr/bin/python3 -B "$source/bridges/ros1/test/launch_test.py" >ros1.txt 2>&1 || fail "roslaunch from the prefix: $(tail -n 20 ros1.txt)"
  /usr/bin/python3 -B -c 'import sys, ros; ros.Master("installed").call(*sys.argv[1:])' \
    "$pintle" run "$prefix/share/pintle/missions/pool.yaml" --on ros1 --lockstep --no-log --quiet || fail "a mission over the prefix's bridge"
  rm -r "$ros1/test" # the logs of this test's masters
fi

# what was saved into a file stays in the next install; and uninstall leaves nothing
kept=$prefix/lib/pintle/ros1/share/controls/config/oogway.yaml
if [[ -f $kept ]]; then echo '# tuned' >>"$kept"; fi
cmake --install "$build" --prefix "$prefix" >again.txt
if [[ -f $kept ]]; then [[ $(tail -n 1 "$kept") == '# tuned' ]] || fail "a tuned file was overwritten"; fi
cp "$build/install_manifest.txt" installed.txt
"$source/scripts/uninstall" installed.txt
[[ ! -e $prefix ]] || fail "uninstall left $(find "$prefix" | head)"
echo "install_test: good"
