# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Configuring, building and testing one preset. Needs common.sh.

# ccache works in its usual place, outside the tree. Paths below the checkout are made relative, so
# that another checkout finds the same objects. CI builds in a new folder each time: there the
# folder's name is no part of the key either; elsewhere it is, because a debugger shows it.
prepare_ccache() {
  export CCACHE_BASEDIR=$root
  if [[ -n ${CI:-} ]]; then
    export CCACHE_NOHASHDIR=1
  fi
  if [[ -z ${CCACHE_DIR:-} && ! -w ${HOME:-/nonexistent} ]]; then
    export CCACHE_DISABLE=1
  fi
}

# What a build folder was configured for. When it changes, an old cache would lie.
configuration_stamp() {
  local system=unknown
  if [[ -r /etc/os-release ]]; then
    system=$(cksum </etc/os-release)
  fi
  printf '%s|%s|%s\n' "$root" "$system" "$(cksum <"$root/CMakePresets.json")"
}

# configure_preset NAME: does nothing where ninja can see by itself what has changed.
configure_preset() {
  local preset=$1 directory=$root/build/$1 stamp fresh=()
  mkdir -p "$directory" 2>/dev/null || true
  [[ -w $directory ]] ||
    fail "cannot write to $directory; if another user (root?) made it, remove build/ first"
  stamp=$(configuration_stamp)
  if [[ -f $directory/build.ninja && -f $directory/configured-for &&
    $(<"$directory/configured-for") == "$stamp" ]]; then
    return
  fi
  if [[ -f $directory/CMakeCache.txt ]]; then
    fresh=(--fresh)
  fi
  say "configuring build/$preset"
  rm -f "$directory/configured-for"
  if ! cmake "${fresh[@]}" -S "$root" --preset "$preset" >"$directory/configure.log" 2>&1; then
    tail -n 40 "$directory/configure.log" >&2
    fail "configuring the preset $preset failed; the whole log is build/$preset/configure.log"
  fi
  printf '%s\n' "$stamp" >"$directory/configured-for"
}

# build_preset NAME [TARGET...]
build_preset() {
  local preset=$1 target targets=()
  shift
  for target in "$@"; do
    targets+=(--target "$target")
  done
  prepare_ccache
  configure_preset "$preset"
  say "building build/$preset"
  cmake --build "$root/build/$preset" --parallel "$jobs" "${targets[@]}" ||
    fail "building the preset $preset failed"
}

# test_preset NAME [CTEST ARGUMENT...]: ctest's summary is the last thing printed.
test_preset() {
  local preset=$1
  shift
  (cd "$root" && ctest --preset "$preset" --parallel "$jobs" --no-label-summary "$@")
}
