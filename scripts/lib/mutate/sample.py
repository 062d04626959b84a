# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws mutants from all sites: every layer and every engine's folder has its share."""

import collections
import dataclasses
import math
import random

from .schemata import exclude_each_other
from .sites import Site

LEAST_OF_A_LAYER, LEAST_OF_A_FOLDER = 12, 4


@dataclasses.dataclass
class Mutant:
    id: int
    stratum: str
    site: Site


def stratum_of(file):
    """Returns the layer or, for layers with folders such as cuda and engines, the folder: "engines/bmat"."""
    parts = file.split("/")
    if parts[0] != "src" or len(parts) < 3:
        return parts[0]
    if parts[1] not in ("cuda", "engines"):
        return parts[1]
    inner = parts[5:] if parts[2] == "include" else parts[2:]
    return parts[1] + "/" + (inner[0] if len(inner) > 1 else "shared")


def is_of_a_test(file):
    """Whether a file of an engine's folder is a test, or the simple build of a format that tests compare with."""
    name = file.rsplit("/", 1)[-1]
    return name.startswith("Serial") or name.rsplit(".", 1)[0].endswith("Test")


def shares(sizes, count):
    """Returns the number of mutants for each stratum: a minimum, plus a share in proportion to the square root of its
    sites, but no more than its sites."""
    least = {name: min(size, LEAST_OF_A_FOLDER if "/" in name else LEAST_OF_A_LAYER) for name, size in sizes.items()}
    rest = max(0, count - sum(least.values()))
    total = sum(math.sqrt(size) for size in sizes.values())
    return {name: min(size, least[name] + round(rest * math.sqrt(size) / total)) for name, size in sizes.items()}


class Sampler:
    """Draws from a stratum: a file by the square root of its sites, then a kind of mutation, then a site. Mutants of a
    sample do not overlap."""

    def __init__(self, sites, seed):
        self._random = random.Random(seed)
        self._left = collections.defaultdict(lambda: collections.defaultdict(list))
        for site in sorted(sites):
            self._left[stratum_of(site.file)][site.file].append(site)
        self._taken = collections.defaultdict(list)
        self._next = 1

    def sizes(self):
        return {name: sum(map(len, files.values())) for name, files in sorted(self._left.items())}

    def draw(self, stratum):
        """Returns a mutant, or None if nothing is left."""
        files = self._left[stratum]
        while any(files.values()):
            names = [name for name in sorted(files) if files[name]]
            file = self._random.choices(names, [math.sqrt(len(files[name])) for name in names])[0]
            kind = self._random.choice(sorted({site.kind for site in files[file]}))
            site = self._random.choice([site for site in files[file] if site.kind == kind])
            files[file].remove(site)
            if any(exclude_each_other(site, other) for other in self._taken[file]):
                continue
            self._taken[file].append(site)
            mutant = Mutant(self._next, stratum, site)
            self._next += 1
            return mutant
        return None

    def give_back(self, mutant):
        """Frees the place of a mutant that does not compile."""
        self._taken[mutant.site.file].remove(mutant.site)

    def shuffled(self, mutants):
        """Returns the mutants in an order whose every prefix is a fair sample: each stratum is spread evenly."""
        places = {}
        for stratum in sorted({mutant.stratum for mutant in mutants}):
            own = [mutant for mutant in mutants if mutant.stratum == stratum]
            self._random.shuffle(own)
            for i, mutant in enumerate(own):
                places[mutant.id] = ((i + self._random.random()) / len(own), mutant.id)
        return sorted(mutants, key=lambda mutant: places[mutant.id])
