# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults: mutants that a person wrote, with the tests that must detect them. The beginning of scripts/faults.txt
has their format."""

import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import re
import tempfile
import time
import zlib

from . import compilation, judge, processes, schemata
from .compilation import fail, tell
from .sample import Mutant, stratum_of
from .sites import Site

GROUP = re.compile(r"\[(\w+)(?:, root (\w+))?(?:, (\d+) ranks)?\]")
PAIR = re.compile(r"\{\{(.+?) => (.+?)\}\}")
LAUNCH = "mpirun --map-by :OVERSUBSCRIBE --bind-to none -np"
LONGEST_TEST = 120  # seconds of processor time, without a fault


@dataclasses.dataclass(frozen=True)
class Test:
    """A test program, its number of ranks, and the filter of its tests."""

    target: str
    ranks: int
    filter: str

    def __str__(self):
        return f"{self.target} {self.filter}"


@dataclasses.dataclass(frozen=True)
class Fault:
    id: int
    name: str
    comment: str
    root: str  # empty: the root of most tests
    test: Test
    mutants: tuple  # one per pair of the line, all with the fault's number


class Reader:
    """Reads the file of faults and finds their lines in the sources."""

    def __init__(self, checkout, path):
        self._checkout, self._path, self._number = checkout, path, 0
        self._ids, self.faults = set(), []

    def _wrong(self, text):
        fail(f"{self._path}:{self._number}: {text}")

    def read(self):
        lines, group = iter(self._path.read_text().splitlines()), None
        for line in self._count(lines):
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("["):
                group = GROUP.fullmatch(line)
                if group is None:
                    self._wrong(f"expected [test program], [..., root NAME] or [..., N ranks]; found {line}")
                continue
            if group is None:
                self._wrong(f"expected the [test program] of a group; found {line}")
            rows = self._count(lines)
            self._entry(group, line, next(rows, "").strip(), next(rows, "").strip())
        return self.faults

    def _count(self, lines):
        for line in lines:
            self._number += 1
            yield line

    def _entry(self, group, head, place, line):
        name, _, comment = head.partition(": ")
        if not re.fullmatch(r"[a-z0-9-]+", name) or not comment:
            self._wrong(f"expected 'name: what goes wrong' two lines before; found {head}")
        if len(place.split()) != 2:
            self._wrong(f"expected the source and the tests of {name} in the line before; found {place}")
        if any(fault.name == name for fault in self.faults):
            self._wrong(f"there are two faults {name}")
        file, tests = place.split()
        target, root, ranks = group.groups()
        # The number depends only on the name: a new fault recompiles only its own source.
        number = zlib.crc32(name.encode()) % schemata.MOST
        while number in self._ids or number == 0:
            number = (number + 1) % schemata.MOST
        self._ids.add(number)
        mutants = tuple(Mutant(number, stratum_of(file), site) for site in self._sites(name, file, line))
        test = Test(target, int(ranks or 1), tests)
        self.faults.append(Fault(number, name, comment, root or "", test, mutants))

    def _sites(self, name, file, line):
        """Returns the pairs of a line, with their places in the file."""
        source, old = self._checkout / file, PAIR.sub(r"\1", line)
        if old == line:
            self._wrong(f"{name} has no {{{{original => mistake}}}}: {line}")
        if not source.is_file():
            self._wrong(f"{name}: there is no file {file}")
        text = source.read_text("latin-1")
        found = list(re.finditer(rf"^[ \t]*({re.escape(old)})$", text, re.MULTILINE))
        if len(found) != 1:
            self._wrong(f"{name}: this line must occur exactly once in {file}, not {len(found)} times: {old}")
        begin, row = found[0].start(1), text.count("\n", 0, found[0].start(1)) + 1
        sites, taken = [], 0
        for pair in PAIR.finditer(line):
            original, mistake = pair.groups()
            first = begin + pair.start() - taken
            taken += len(pair.group()) - len(original)
            kind = "other statement" if original.endswith(";") else "fault"
            sites.append(Site(file, first, first + len(original), kind, row, original, mistake))
        return sites


def read(checkout):
    faults = Reader(checkout, checkout / "scripts" / "faults.txt").read()
    by_file = collections.defaultdict(list)
    for fault in faults:
        for mutant in fault.mutants:
            for other, site in by_file[mutant.site.file]:
                if schemata.exclude_each_other(site, mutant.site):
                    fail(f"the faults {other} and {fault.name} change the same text; plant one of them elsewhere")
            by_file[mutant.site.file].append((fault.name, mutant.site))
    return faults


def choose(faults, options):
    """Returns the named faults, or all, or those of every N-th test program."""
    names = {fault.name for fault in faults}
    for name in options.faults:
        if name not in names:
            fail(f"there is no fault '{name}'; there are: {' '.join(sorted(names))}")
    if options.faults:
        return [fault for fault in faults if fault.name in options.faults]
    part, parts = (int(number) for number in options.part.split("/"))
    targets = list(dict.fromkeys(fault.test.target for fault in faults))[part - 1 :: parts]
    return [fault for fault in faults if fault.test.target in targets]


@dataclasses.dataclass
class Programs:
    """The built test programs."""

    paths: dict  # {target: path}

    def key(self, fault):
        """Returns a key that changes with the fault, its test and the program."""
        path = self.paths[fault.test.target]
        text = repr((fault.mutants, fault.test, path.stat().st_mtime_ns, path.stat().st_size))
        return hashlib.sha256(text.encode()).hexdigest()

    def run(self, test, seconds, **environment):
        launch = f"{LAUNCH} {test.ranks}".split() if test.ranks > 1 else []
        return judge.run(self.paths[test.target], [test.filter], seconds, launch, **environment)


def baseline(programs, test):
    """Returns (the problem of a test without any fault, or nothing; seconds of processor time)."""
    status, output, spent = programs.run(test, LONGEST_TEST)
    if status != 0:
        return f"{test} fails without any fault\n{output[-2000:]}", spent
    if not re.search(r"^\[==========\] [1-9]\d* tests? from", output, re.MULTILINE):
        return f"no test of {test.target} is called {test.filter}", spent
    return "", spent


def is_reached(programs, fault):
    with tempfile.NamedTemporaryFile() as seen:
        programs.run(fault.test, LONGEST_TEST, TESSERA_MUTANT_SEEN=seen.name)
        return str(fault.id) in seen.read().decode().split()


def verdict(programs, fault, seconds):
    """Returns (whether it is detected, how)."""
    status, output, _ = programs.run(
        fault.test, judge.LEAST_PATIENCE + judge.PATIENCE * seconds, TESSERA_MUTANT=str(fault.id)
    )
    if status == 0:
        why = "" if is_reached(programs, fault) else ", which never run it"
        return False, f"NOT NOTICED by {fault.test.filter}{why}"
    if status is None:
        return False, f"{fault.test.filter} does not end; choose a fault that ends"
    failed = judge.FAILED.search(output)
    return True, f"noticed by {failed.group(1)}" if failed else f"noticed: {fault.test.filter} crashes"


def check(options):
    """Builds the test programs of the chosen faults, with all faults of this root, and checks that each is detected."""
    end = time.monotonic() + options.seconds if options.seconds is not None else None
    every = read(options.checkout)
    chosen = [fault for fault in choose(every, options) if fault.root == options.root]
    if not chosen:
        return 0
    if end is not None and time.monotonic() >= end:
        print(f"{len(chosen)} of {len(chosen)} faults left out: {options.seconds} s had passed")
        return 0
    options.copy.mkdir(parents=True, exist_ok=True)
    mutants = [mutant for fault in every if fault.root == options.root for mutant in fault.mutants]
    schemata.write_copy(options.checkout, options.copy, mutants)
    compilation.configure(options.copy, options.build, options.platform, options.cmake, options.work / "configure.log")
    targets = sorted({fault.test.target for fault in chosen})
    log = options.work / "build.log"
    compilation.precompile(options.copy, options.build, log)
    tell(f"building {len(targets)} test programs with {len({mutant.id for mutant in mutants})} faults; log: {log}")
    if not build(options, targets, log, end):
        print(f"{len(chosen)} of {len(chosen)} faults left out: {options.seconds} s had passed")
        return 0
    found = {path.name: path for path in (options.build / "unit_tests").rglob("tessera_*_tests") if path.is_file()}
    return judge_chosen(options, Programs(found), chosen, end)


def build(options, targets, log, end):
    """Returns whether the targets were built before the end. Objects that were compiled until then are kept."""
    command = ["ninja", "-C", str(options.build), "-j", str(options.jobs), "-k", "0", *targets]
    if end is not None:
        command = ["timeout", str(max(1, int(end - time.monotonic()))), *command]
    with log.open("w") as stream:
        status = processes.build(command, stream)
    if end is not None and status == 124:
        return False
    if status != 0:
        errors = [line for line in log.read_text(errors="replace").splitlines() if " error: " in line]
        fail("\n".join(["the sources do not compile with all faults in them:", *errors[:5], f"log: {log}"]))
    return True


def judge_chosen(options, programs, chosen, end):
    """Runs the tests of the faults that no equal program detected before; prints the results."""
    file = options.work / "noticed.json"
    noticed = json.loads(file.read_text()) if file.exists() else {}
    left = [fault for fault in chosen if noticed.get(fault.name) != programs.key(fault)]
    if len(left) < len(chosen):
        known = len(chosen) - len(left)
        print(f"{known} of {len(chosen)} faults were noticed before, by programs that have not changed since")
    missed, left_out = 0, 0

    def is_late():
        return end is not None and time.monotonic() >= end

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tests = list(dict.fromkeys(fault.test for fault in left))
        without = dict(zip(tests, pool.map(lambda test: ("", None) if is_late() else baseline(programs, test), tests)))

        def one(fault):
            wrong, seconds = without[fault.test]
            if wrong:
                return False, wrong
            return (None, "") if seconds is None or is_late() else verdict(programs, fault, seconds)

        for fault, (is_noticed, how) in zip(left, pool.map(one, left)):
            if is_noticed is None:
                left_out += 1
                continue
            print(f"{fault.name}: {how}", flush=True)
            noticed.pop(fault.name, None)
            if is_noticed:
                noticed[fault.name] = programs.key(fault)
            else:
                missed += 1
            file.write_text(json.dumps(noticed))
    if left_out:
        print(f"{left_out} of {len(chosen)} faults left out: {options.seconds} s had passed")
    return 1 if missed else 0
