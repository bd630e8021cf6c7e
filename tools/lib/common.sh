# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced first by every command in tools/: strict mode, where the checkout is, how to speak.
# Sets root (absolute path of the checkout) and jobs (how many compilers or tests run at once).
set -euo pipefail
unset CDPATH

# Commands run by CI and by cron may have no standard input at all; the next file opened would then
# become it.
if ! [[ -e /dev/fd/0 ]]; then
  exec </dev/null
fi

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)

say() {
  printf 'peerfab: %s\n' "$*"
}

fail() {
  printf 'peerfab: %s\n' "$*" >&2
  exit 1
}

# The comment at the top of a command is its help.
print_help() {
  sed -n '3,/^$/s/^# \{0,1\}//p' "$1"
}

# One job a processor, and 1 GiB of free memory a job: the largest sources need most of that.
count_jobs() {
  local processors memory
  processors=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo 2>/dev/null || true)
  if [[ -n $memory ]] && ((memory < processors)); then
    processors=$((memory > 0 ? memory : 1))
  fi
  printf '%s\n' "$processors"
}

jobs=${PEERFAB_JOBS:-$(count_jobs)}
