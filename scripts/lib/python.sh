# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Finds or installs Python packages in the versions of a requirements file. Needs setup.sh.
# shellcheck disable=SC2154 # variables of setup.sh

# has_packages PYTHON REQUIREMENTS: whether this Python has the packages.
has_packages() {
  "$1" - "$2" 2>/dev/null <<'END'
import importlib.metadata, sys
for line in open(sys.argv[1]):
    name, equals, version = line.strip().partition("==")
    if equals and importlib.metadata.version(name) != version:
        sys.exit(1)
END
}

# find_python NAME REQUIREMENTS LOG: sets python to a Python that has the packages: python3 or, if that lacks them, the
# one in $cache/NAME-venv, where pip installs them once. On failure says what is missing, and returns 3.
find_python() {
  local venv=$cache/$1-venv requirements=$2 log=$3
  for python in python3 "$venv/bin/python3"; do
    ! has_packages "$python" "$requirements" || return 0
  done
  lock "$venv.lock" exclusive "$venv"
  has_packages "$python" "$requirements" || make_venv "$venv" "$requirements" "$log" && return 0
  say "$1: skipped, these packages of Python are not there: $(grep -v '^#' "$requirements" | xargs) (log: $log)"
  return 3
}

make_venv() {
  # shellcheck disable=SC2034 # read by step
  local venv=$1 step_may_fail=1
  rm -rf "$venv"
  if is_debian && ((EUID == 0)) && ! python3 -c "import ensurepip" 2>/dev/null; then
    (apt_install python3-venv) || return 1
  fi
  step "$3" "making $venv" python3 -m venv "$venv" &&
    step "$3" "installing what $2 names" "$venv/bin/pip" install --disable-pip-version-check -r "$2"
}
