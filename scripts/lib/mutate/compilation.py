# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The copy of the sources that CMake builds: compile commands, and builds that leave out what fails."""

import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import pickle
import re
import shlex
import shutil
import subprocess
import sys

from . import libclang, processes, schemata
from .sites import find_sites

FROM_PLACE = re.compile(r"(/[^:\s]+):(\d+)")
MOST_BUILDS = 8
LEAST_TO_PRECOMPILE = 6
OFTEN_INCLUDED = """#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <string>
#include <vector>
#ifdef _OPENMP
#include <Kokkos_Core.hpp>
#endif
"""


def tell(text):
    print(f"[mutate] {text}", file=sys.stderr, flush=True)


def fail(text):
    """Ends the run: its set-up failed."""
    tell(f"error: {text}")
    sys.exit(2)


def configure(copy, build, platform, cmake_options, log):
    """Makes CMake write the compile commands, in an empty folder if the platform or the options changed."""
    wanted = json.dumps([platform, *cmake_options])
    stamp = build / ".tessera-configured"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(build, ignore_errors=True)
    # A constant expression may not be constant in a mutant; in braces it then narrows.
    flags = f"-DCMAKE_CXX_FLAGS=-include {copy / schemata.FIRST_NAME} -Wno-narrowing"
    command = [
        "cmake",
        "-S",
        str(copy),
        "-B",
        str(build),
        "-GNinja",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        flags,
        *cmake_options,
    ]
    with log.open("w") as stream:
        status = processes.build(command, stream)
    if status != 0:
        fail(f"CMake fails; log: {log}")
    stamp.write_text(wanted)


def precompile(copy, build, log):
    """Precompiles other libraries' headers for GCC, which take most of the time; most sources have equal flags."""
    folder = copy / f"{schemata.FIRST_NAME}.gch"
    text = f'#include "{copy / schemata.HEADER_NAME}"\n{OFTEN_INCLUDED}'
    key = hashlib.sha256((schemata.HEADER + text + (build / ".tessera-configured").read_text()).encode()).hexdigest()
    if (folder / "key").exists() and (folder / "key").read_text() == key:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    source = folder / "source.hpp"
    source.write_text(text)
    groups = collections.defaultdict(list)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        kept = [
            word for word in words[: words.index("-o")] if not word.startswith(("-I", "-W", "-DTESSERA", str(copy)))
        ]
        groups[tuple(kept)].append(words[: words.index("-o")])
    for number, (_, commands) in enumerate(sorted(groups.items())):
        if len(commands) < LEAST_TO_PRECOMPILE or not _is_gcc(commands[0][0]):
            continue
        first = commands[0].index("-include")
        words = commands[0][:first] + commands[0][first + 2 :]
        with log.open("a") as stream:
            command = [*words, "-x", "c++-header", str(source), "-o", str(folder / f"{number}.gch")]
            processes.build(command, stream, cwd=build)
    (folder / "key").write_text(key)


@functools.cache
def _is_gcc(compiler):
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    return "Free Software" in version


def _parse_arguments(command, copy, top):
    """Returns a compiler's arguments for libclang, with the sources in `top` in place of the copy."""
    words = [word.replace(f"{copy}/", f"{top}/") for word in shlex.split(command)[1:]]
    if "ccache" in command.split()[0]:
        words = words[1:]
    kept, skip = [], False
    for word, following in zip(words, words[1:] + [""]):
        if skip:
            skip = False
        elif word in ("-o", "-c") or (word == "-include" and following.endswith(schemata.FIRST_NAME)):
            skip = True
        elif word == "-Wno-narrowing":
            continue
        else:
            kept.append(word)
    return kept


def units(copy, build, top):
    """Returns [(source, arguments)] of the sources below src, each once."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = os.path.realpath(entry["file"])
        if source.startswith(f"{copy}/src/"):
            arguments = _parse_arguments(entry["command"], copy, top)
            language = [] if source.endswith((".cpp", ".c")) else ["-x", "c++"]
            found.setdefault(source.replace(f"{copy}/", f"{top}/", 1), language + arguments)
    return sorted(found.items())


def _find(task):
    sys.setrecursionlimit(20000)
    return find_sites(*task)


def _key(checkout, arguments, files):
    """Returns a key that changes with a source and its arguments."""
    own = [pathlib.Path(__file__).with_name(name) for name in ("sites.py", "libclang.py")]
    key = hashlib.sha256(repr(arguments).encode())
    for path in [*own, *(checkout / file for file in files)]:
        key.update(path.read_bytes() if path.exists() else b"gone")
    return key.hexdigest()


def scan(checkout, copy, build, jobs, cache):
    """Returns (all sites of src, {source: the files below src that it reads}). The results of a source are written to a
    file at once, and kept until the source changes."""
    kept, wanted = {}, dict(units(copy, build, checkout))
    if cache.exists():
        with cache.open("rb") as stream:
            kept = pickle.load(stream)
    kept = {
        source: (key, sites, files) for source, (key, sites, files) in kept.items()
        if source in wanted and key == _key(checkout, wanted[source], files)
    }  # fmt: skip
    new = [source for source in wanted if source not in kept]
    tell(f"looking for sites in {len(new)} of {len(wanted)} sources")
    tasks = [(source, wanted[source], checkout, checkout / "src") for source in new]
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for source, (sites, files) in zip(new, pool.map(_find, tasks)):
            kept[source] = (_key(checkout, wanted[source], files), sites, files)
            with cache.open("wb") as stream:
                pickle.dump(kept, stream)
    sites = {site for _, found, _ in kept.values() for site in found}
    return sites, {source: files for source, (_, _, files) in sorted(kept.items())}


def _errors(task):
    source, arguments = task
    with libclang.Unit(source, arguments) as unit:
        return [(os.path.realpath(file), line) for file, line, _ in unit.errors()]


def rejected(copy, build, reads, checkout, places, files, jobs):
    """Returns the mutants in included files that do not compile according to Clang: if a build found them, it would
    recompile everything."""
    wanted, chosen = {file for file in files if not file.endswith((".cpp", ".cu"))}, []
    for source, names in sorted(reads.items(), key=lambda item: -len(item[1])):
        if wanted & set(names):
            chosen.append(source.replace(f"{checkout}/", f"{copy}/", 1))
            wanted -= set(names)
    header = ["-Wno-narrowing", "-include", str(copy / schemata.HEADER_NAME)]
    tasks = [(source, header + arguments) for source, arguments in units(copy, build, copy) if source in chosen]
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        errors = {error for found in pool.map(_errors, tasks) for error in found}
    return schemata.blamed(places, errors, copy)


def build_without_failures(checkout, copy, build, mutants, targets, jobs, log):
    """Builds the targets without mutants that do not compile. Returns the other mutants."""
    precompile(copy, build, log)
    for _ in range(MOST_BUILDS):
        places = schemata.write_copy(checkout, copy, mutants)
        command = ["ninja", "-C", str(build), "-j", str(jobs), "-k", "0", *targets]
        tell(f"building {len(mutants)} mutants; log: {log}")
        with log.open("w") as stream:
            status = processes.build(command, stream)
        if status == 0:
            return mutants
        output = log.read_text(errors="replace")
        errors = {(os.path.realpath(file), int(line)) for file, line in _error_places(output)}
        bad = schemata.blamed(places, errors, copy)
        if not bad:
            fail(f"the build fails, and no mutant is named in its errors: {log}")
        tell(f"left out, because they do not compile: {sorted(bad)}")
        mutants = [mutant for mutant in mutants if mutant.id not in bad]
    fail(f"no build succeeded in {MOST_BUILDS} attempts: {log}")


def _error_places(output):
    """Returns the places of errors, and of the instantiations that lead to them."""
    for line in output.splitlines():
        if " error: " in line or "required from" in line or "in 'constexpr' expansion" in line:
            yield from FROM_PLACE.findall(line)


def compiled(programs):
    """Returns the numbers of the mutants that are compiled in one of the programs."""
    found = set()
    for program in programs:
        symbols = subprocess.run(["nm", "-C", program], capture_output=True, text=True, check=True).stdout
        found |= {int(number) for number in re.findall(r"TesseraMutant::compiled<(\d+)>", symbols)}
    return found
