# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests: once to find the mutants that each reaches, then for each mutant its tests, until one fails."""

import collections
import concurrent.futures
import dataclasses
import functools
import hashlib
import os
import re
import resource
import signal
import subprocess
import tempfile
import time

from . import processes
from .compilation import tell

PATIENCE, LEAST_PATIENCE = 5, 10  # multiple of the normal processor time; seconds
MOST_WAITING = 30  # seconds of wall time per second of processor time
MEMORY = 12 << 30  # bytes; a mutant that allocates more has failed
FAILED = re.compile(r"^\[  FAILED  \] ([^ ,]+)", re.MULTILINE)


@dataclasses.dataclass
class Suite:
    """A suite of a test program: its seconds of processor time, and the mutants that it reaches."""

    program: str
    name: str
    seconds: float
    reached: frozenset


@dataclasses.dataclass
class Verdict:
    id: int
    result: str  # killed, survived, not reached, not built
    how: str = ""  # assertion, crash, time-out
    by: str = ""  # the test that killed it, or the suites that did not detect it
    seconds: float = 0
    tests: str = ""  # the stamp of the programs that did not detect it


def _limit(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _wait(process, seconds):
    """Returns (status, seconds of processor time); the status is None if the process still ran after these seconds."""
    end = time.monotonic() + seconds
    while True:
        number, status, usage = os.wait4(process.pid, os.WNOHANG)
        if number != 0:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime
        if time.monotonic() > end:
            return None, seconds
        time.sleep(0.02)


def run(program, filters, seconds, launch=(), **environment):
    """Returns (status, output, seconds of processor time); the status is None if it exceeded the seconds, or waited.
    Wall time means little on a machine that does other things."""
    command = [
        *launch,
        program,
        "--gtest_color=no",
        "--gtest_brief=1",
        "--gtest_fail_fast",
        f"--gtest_filter={':'.join(filters)}",
    ]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TMPDIR": folder, **environment}
        limit = functools.partial(_limit, int(seconds))
        with processes.started(command, stdout=output, cwd=folder, env=environment, preexec_fn=limit) as process:
            status, spent = _wait(process, MOST_WAITING * seconds)
        output.seek(0)
        text = output.read().decode(errors="replace")
    return None if status == -signal.SIGXCPU else status, text, spent


def suites_of(program):
    """Returns the names of the program's suites."""
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^([^\s.]\S*\.)(?:\s|$)", listed, re.MULTILINE)


def _look(program, suite, seconds):
    """Runs the suite with all mutants off. Returns it, or None if it fails."""
    with tempfile.NamedTemporaryFile() as seen:
        status, output, spent = run(program, [suite + "*"], seconds, TESSERA_MUTANT_SEEN=seen.name)
        reached = frozenset(int(line) for line in seen.read().split())
    if status != 0:
        tell(f"left out, because it fails without any mutant: {program} {suite}\n{output[-2000:]}")
        return None
    return Suite(str(program), suite, spent, reached)


def look(programs, jobs, longest):
    """Returns every suite of the programs that passes."""
    tasks = [(program, suite, longest) for program in programs for suite in suites_of(program)]
    tell(f"running {len(tasks)} suites to see what they reach")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [suite for suite in pool.map(lambda task: _look(*task), tasks) if suite is not None]


def rounds(mutant, suites):
    """Returns the runs for a mutant, [(program, suites)]. The quickest suite comes first, of its own layer's program if
    that has one; then the rest of each program, the quickest first."""
    layer = mutant.stratum.split("/")[0]
    reaching = sorted((suite for suite in suites if mutant.id in suite.reached), key=lambda suite: suite.seconds)
    by_program = collections.defaultdict(list)
    for suite in reaching:
        by_program[suite.program].append(suite)
    own = [program for program in by_program if f"tessera_{layer}" in program]

    def order(program):
        return (program not in own, sum(suite.seconds for suite in by_program[program]))

    plan = []
    for program in sorted(by_program, key=order):
        first, *rest = by_program[program]
        plan += [(program, [first])] + ([(program, rest)] if rest else [])
    return plan


def stamp(programs):
    """Returns a stamp that identifies these builds of programs."""
    text = "".join(f"{program} {os.stat(program).st_mtime_ns}\n" for program in sorted(set(programs)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_outdated(verdict, mutant, suites):
    """Returns whether the mutant survived tests that have changed since."""
    return verdict.result != "killed" and verdict.tests != _tests(mutant, suites)


def _tests(mutant, suites):
    reaching = [suite.program for suite in suites if mutant.id in suite.reached]
    return stamp(reaching or [suite.program for suite in suites])


def judge(mutant, suites, is_built):
    """Runs the suites that reach the mutant until a test fails."""
    plan, spent = rounds(mutant, suites), 0.0
    if not plan:
        return Verdict(mutant.id, "not reached" if is_built else "not built", tests=_tests(mutant, suites))
    for program, some in plan:
        patience = LEAST_PATIENCE + PATIENCE * sum(suite.seconds for suite in some)
        status, output, seconds = run(
            program, [suite.name + "*" for suite in some], patience, TESSERA_MUTANT=str(mutant.id)
        )
        spent += seconds
        if status != 0:
            failed = FAILED.search(output)
            by = failed.group(1) if failed else f"{os.path.basename(program)} {some[0].name}"
            how = "time-out" if status is None else "assertion" if status == 1 and failed else "crash"
            return Verdict(mutant.id, "killed", how, by, spent)
    tests = [f"{os.path.basename(program)}: {' '.join(suite.name + '*' for suite in some)}" for program, some in plan]
    return Verdict(mutant.id, "survived", by="; ".join(tests), seconds=spent, tests=_tests(mutant, suites))
