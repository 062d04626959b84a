# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Messages and steps. A step writes its output to a log file; a line now and then shows its progress.

say() { printf '[tessera] %s\n' "$*" >&2; }

# die STATUS LINE...: prints an error, one line for each argument, and exits.
die() {
  local status=$1 line
  shift
  printf '[tessera] error: %s\n' "$1" >&2
  for line in "${@:2}"; do printf '          %s\n' "$line" >&2; done
  exit "$status"
}

step_group=""

# On an interrupt, ends the running step, which is a process group of its own.
stop_step() {
  local status=$1
  trap - INT TERM HUP
  if [[ -n $step_group ]]; then
    kill -TERM -- "-$step_group" 2>/dev/null || true
    for _ in {1..20}; do # two seconds to clean up
      kill -0 -- "-$step_group" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$step_group" 2>/dev/null || true
    wait "$step_group" 2>/dev/null || true
  fi
  say "interrupted; it is safe to run the same command again"
  exit "$status"
}
trap 'stop_step 130' INT
trap 'stop_step 143' TERM
trap 'stop_step 129' HUP

# progress LOG: prints the step's last line with a count ([3/54], 3/54 Test, [ 12%]) or, without a count, its last line.
progress() {
  local lines
  lines=$(tac "$1" | sed '/^== /q' | grep -v -e '^[[:space:]]*$' -e '^==' || true)
  { grep -m 1 -E '^ *(\[ *[0-9]+[/%]|[0-9]+/[0-9]+ )' <<<"$lines" || head -n 1 <<<"$lines"; } | cut -c 1-100
}

# step LOG TITLE COMMAND...: runs the command with its output appended to LOG; returns its status. If $step_may_fail is
# set, a failure is not reported.
step() {
  local log=$1 title=$2 start=$SECONDS told=$SECONDS status=0
  shift 2
  say "$title ..."
  printf '\n== %s\n== %s\n' "$title" "$*" >>"$log"
  set -m # a process group of its own, whose first process ends with this script
  setpriv --pdeathsig KILL "$@" >>"$log" 2>&1 </dev/null &
  step_group=$!
  set +m
  while kill -0 "$step_group" 2>/dev/null; do
    sleep 0.2
    if ((SECONDS - told >= 10)); then
      told=$SECONDS
      say "  $((SECONDS - start)) s: $(progress "$log")"
    fi
  done
  wait "$step_group" || status=$?
  step_group=""
  if ((status == 0)); then
    ((SECONDS - start < 5)) || say "  done in $((SECONDS - start)) s"
  elif [[ -z ${step_may_fail:-} ]]; then
    say "  failed (status $status) after $((SECONDS - start)) s; the end of $log:"
    tail -n 40 "$log" >&2
  fi
  return "$status"
}
