# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The Debian packages that each job needs, and their installation. The names are the same in
# Debian 12 and 13.

build_packages=(
  ccache cmake g++ ninja-build pkgconf
  libbenchmark-dev libboost-dev libcli11-dev libfmt-dev libsystemc-dev libyaml-cpp-dev
  nlohmann-json3-dev
)
# shellcheck disable=SC2034 # read by the commands that source this file
test_packages=("${build_packages[@]}" catch2 python3)
# shellcheck disable=SC2034
gate_packages=("${test_packages[@]}" clang-format clang-tidy git shellcheck)

# Prints those of the named packages that are not installed, one a line.
missing_packages() {
  local installed package
  installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk '$2 == "installed" {print $1}' || true)
  for package in "$@"; do
    grep --quiet --fixed-strings --line-regexp -e "$package" <<<"$installed" ||
      printf '%s\n' "$package"
  done
}

# cannot_install REASON PACKAGE...: says what is missing and how to get it; ends the command.
cannot_install() {
  local reason=$1
  shift
  {
    printf 'peerfab: %s.\n' "$reason"
    printf 'Missing: %s. On Debian 12 or 13, install them as root with\n' "$*"
    printf '  apt-get update && apt-get install --no-install-recommends %s\n' "$*"
    printf 'and run this command again. On another system, install what corresponds to them and\n'
    printf 'add --no-install, which takes what it finds.\n'
  } >&2
  exit 1
}

# apt_get ARGUMENT...: quietly, with patience for another apt; its output appears if it fails.
apt_get() {
  local log status=0
  log=$(mktemp)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 || status=$?
  if ((status != 0)); then
    tail -n 4 "$log" >&2
  fi
  rm -f "$log"
  return "$status"
}

# ensure_packages PACKAGE...: installs what is missing. Calls apt only when something is.
ensure_packages() {
  local missing updated=no
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    cannot_install "this system has no apt, so nothing was installed or looked for" "$@"
  fi
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    return
  fi

  as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      cannot_install "packages can be installed by root only, and there is no sudo" "${missing[@]}"
    if ! sudo -n true 2>/dev/null; then
      [[ -t 0 ]] || cannot_install \
        "sudo asks for a password, and there is no terminal to ask on" "${missing[@]}"
      say "sudo may ask for your password to install packages"
      sudo -v || cannot_install "sudo refused" "${missing[@]}"
    fi
    as_root=(sudo)
  fi

  say "installing ${#missing[@]} packages and what they need: ${missing[*]}"
  # A simulated installation needs no privilege and fails where the lists are absent or too old to
  # know a package.
  if ! apt-get --quiet=2 --simulate install --no-install-recommends "${missing[@]}" \
    >/dev/null 2>&1; then
    apt_get update || cannot_install "apt-get update failed (is the network up?)" "${missing[@]}"
    updated=yes
  fi
  if apt_get install --no-install-recommends --yes "${missing[@]}"; then
    return
  fi
  # Lists that know a package may still point to a version that the archive no longer has.
  if [[ $updated == no ]]; then
    say "trying again with fresh package lists"
    apt_get update -o APT::Update::Error-Mode=any ||
      cannot_install "apt-get update failed (is the network up?)" "${missing[@]}"
    if apt_get install --no-install-recommends --yes "${missing[@]}"; then
      return
    fi
  fi
  mapfile -t missing < <(missing_packages "$@")
  cannot_install "apt-get could not install everything (is the network up?)" "${missing[@]}"
}
