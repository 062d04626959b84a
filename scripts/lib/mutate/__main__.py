# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program that scripts/mutate starts where the compilers are; `scripts/mutate --help` says what it does."""

import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import pickle
import signal
import sys

from . import compilation, faults, judge, libclang, processes, report, sample, schemata
from .compilation import fail, tell

LONGEST_SUITE = 1800  # seconds
ROUNDS = 6  # rounds of replacing mutants that do not compile
ENOUGH = 0.9  # share of the mutants that must be killed


def parse():
    parser = argparse.ArgumentParser(prog="mutate")
    parser.add_argument("--checkout", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--cmake", action="append", default=[])
    parser.add_argument("--count", type=int, default=360)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--tests", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--mutant", type=int)
    parser.add_argument("--faults", nargs="*")
    parser.add_argument("--root", default="")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--seconds", type=int)
    options = parser.parse_args()
    options.folders = [f"unit_tests/{part}" for part in options.tests] or ["unit_tests"]
    options.targets = [f"{folder}/all" for folder in options.folders]
    options.copy = options.work / "source"
    options.build = options.copy / "build"
    return options


def draw(options):
    """Draws mutants that compile, according to Clang."""
    sites, reads = compilation.scan(
        options.checkout, options.copy, options.build, options.jobs, options.work / "sites.pickle"
    )
    only = tuple(options.only or [""])
    sites = {site for site in sites if site.file.startswith(only) and not sample.is_of_a_test(site.file)}
    if not sites:
        fail(f"nothing can be mutated in {options.only or 'src'}")
    sampler = sample.Sampler(sites, options.seed)
    sizes = sampler.sizes()
    missing = sample.shares(sizes, options.count)
    tell(f"{len(sites)} sites in {len(sizes)} layers and folders")
    mutants, rejections = [], 0
    for _ in range(ROUNDS):
        new = [sampler.draw(name) for name, number in missing.items() for _ in range(number)]
        new = [mutant for mutant in new if mutant is not None]
        places = schemata.write_copy(options.checkout, options.copy, mutants + new)
        bad = compilation.rejected(
            options.copy,
            options.build,
            reads,
            options.checkout,
            places,
            {mutant.site.file for mutant in new},
            options.jobs,
        )
        missing = dict.fromkeys(missing, 0)
        for mutant in [mutant for mutant in mutants + new if mutant.id in bad]:
            missing[mutant.stratum] += 1
            sampler.give_back(mutant)
        rejections += len(bad)
        tell(f"drew {len(new)}; {len(bad)} do not compile")
        mutants = [mutant for mutant in mutants + new if mutant.id not in bad]
        if not bad:
            break
    return sampler.shuffled(mutants), sum(sizes.values())


def programs_of(build, folders):
    found = {path for folder in folders for path in (build / folder).rglob("tessera_*_tests")}
    return sorted(path for path in found if path.is_file() and path.stat().st_mode & 0o100)


def keep(file, facts, mutants):
    file.write_text(json.dumps({"facts": facts, "mutants": [report.mutant_to_json(mutant) for mutant in mutants]}))


def plan(options):
    """Returns (facts, mutants, suites): the mutants, from the last run or new, and the suites that reach them."""
    file, mutants = options.work / "plan.json", []
    options.copy.mkdir(parents=True, exist_ok=True)
    goes_on = options.resume or options.mutant is not None
    if goes_on:
        if not file.exists():
            fail("there is no earlier run; leave out --resume and --mutant")
        old = json.loads(file.read_text())
        mutants = [report.mutant_from_json(value) for value in old["mutants"]]
        facts = old["facts"]
        gone = [mutant for mutant in mutants if not schemata.fits(options.checkout, mutant)]
        mutants = [mutant for mutant in mutants if mutant not in gone]
        if gone:
            tell(f"left out, because their sources changed: {[mutant.id for mutant in gone]}")
    schemata.write_copy(options.checkout, options.copy, mutants)
    compilation.configure(options.copy, options.build, options.platform, options.cmake, options.work / "configure.log")
    if not goes_on:
        mutants, number = draw(options)
        facts = {"count": options.count, "seed": options.seed, "only": options.only, "sites": number}
        # Removes the verdicts of the last draw: its mutants had the same numbers.
        for path in [options.work / "results.jsonl", *programs_of(options.build, ["unit_tests"])]:
            path.unlink(missing_ok=True)
        keep(file, facts, mutants)
    mutants = compilation.build_without_failures(
        options.checkout,
        options.copy,
        options.build,
        mutants,
        options.targets,
        options.jobs,
        options.work / "build.log",
    )
    keep(file, facts, mutants)
    return facts, mutants, reaching(options)


def reaching(options):
    """Returns the suites of the test programs, looked at again if a program changed."""
    programs = programs_of(options.build, options.folders)
    key = [(str(path), path.stat().st_mtime_ns) for path in programs]
    file = options.work / "suites.pickle"
    kept = {}
    if file.exists():
        with file.open("rb") as stream:
            kept = pickle.load(stream)
    new = [program for program, stamp in zip(programs, key) if stamp not in kept]
    if new:
        suites = judge.look(new, options.jobs, LONGEST_SUITE)
        for program, stamp in zip(programs, key):
            if program in new:
                kept[stamp] = [suite for suite in suites if suite.program == str(program)]
        kept = {stamp: kept[stamp] for stamp in key}
        with file.open("wb") as stream:
            pickle.dump(kept, stream)
    return [suite for stamp in key for suite in kept[stamp]]


def judge_all(options, mutants, suites):
    """Returns {number: verdict}; reads known verdicts from a file, and appends new ones to it."""
    file = options.work / "results.jsonl"
    verdicts = {}
    if file.exists():
        for line in file.read_text().splitlines():
            verdict = judge.Verdict(**json.loads(line))
            verdicts[verdict.id] = verdict
    built = compilation.compiled(programs_of(options.build, options.folders))
    left = [
        mutant for mutant in mutants
        if mutant.id not in verdicts or judge.is_outdated(verdicts[mutant.id], mutant, suites)
    ]  # fmt: skip

    def one(mutant):
        return judge.judge(mutant, suites, mutant.id in built)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, file.open("a") as stream:
        for mutant, verdict in zip(left, pool.map(one, left)):
            verdicts[mutant.id] = verdict
            stream.write(json.dumps(dataclasses.asdict(verdict)) + "\n")
            stream.flush()
            done = f"{len(verdicts)}/{len(mutants)} {' '.join((verdict.result + ' ' + verdict.how).split())}"
            tell(f"{done}: {mutant.id} {report.describe(mutant)}")
    return verdicts


def main():
    options = parse()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, processes.stop)
    if options.faults is not None:
        return faults.check(options)
    if libclang.find_library() is None:
        fail("there is no clang with its libclang")
    facts, mutants, suites = plan(options)
    if options.mutant is not None:
        chosen = [mutant for mutant in mutants if mutant.id == options.mutant]
        if not chosen:
            fail(f"there is no mutant {options.mutant} in the last run")
        print(report.difference(chosen[0], (options.checkout / chosen[0].site.file).read_bytes()))
        verdict = judge.judge(chosen[0], suites, True)
        print(f"{verdict.result} {verdict.how} {verdict.by} ({verdict.seconds:.1f} s)")
        return 0 if verdict.result == "killed" else 1
    verdicts = judge_all(options, mutants, suites)
    table = report.count(mutants, verdicts)
    report.write_json(options.work / "mutants.json", facts, mutants, verdicts, options.checkout)
    for mutant in sorted(mutants, key=lambda mutant: mutant.site):
        if verdicts[mutant.id].result != "killed":
            print(f"{verdicts[mutant.id].result}: {mutant.id} {report.describe(mutant)}")
    print(f"\n{report.as_text(table)}")
    return 0 if report.killed_share(table["all"]) >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
