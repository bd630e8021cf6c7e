#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/check_presets finds exactly what the bad example marks, and nothing in our own presets.
#   check_presets_test.sh SOURCE_DIR
set -u
cd "$1" || exit 1
golden=tests/golden/config/check_presets/sources_bad
if actual=$(tools/check_presets "$golden.yaml" 2>/dev/null); then
  echo "the bad example was accepted"
  exit 1
fi
if [ "${PEERFAB_UPDATE_GOLDEN:-}" = 1 ]; then
  printf '%s\n' "$actual" >"$golden.out"
fi
if [ "$actual" != "$(cat "$golden.out")" ]; then
  printf 'expected:\n%s\nbut it printed:\n%s\n' "$(cat "$golden.out")" "$actual"
  exit 1
fi
tools/check_presets
