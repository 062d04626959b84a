# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results as JSON and as a table."""

import collections
import dataclasses
import difflib
import json

from .sample import Mutant
from .sites import Site

COLUMNS = ["mutants", "assertion", "crash", "time-out", "survived", "not reached", "not built"]


def mutant_to_json(mutant):
    return {"id": mutant.id, "stratum": mutant.stratum, **dataclasses.asdict(mutant.site)}


def mutant_from_json(value):
    value = dict(value)
    number, stratum = value.pop("id"), value.pop("stratum")
    return Mutant(number, stratum, Site(**value))


def describe(mutant):
    """Describes the mutant in one line."""
    site = mutant.site
    original = " ".join(site.original.split())
    if site.kind == "statement":
        what = f"without `{original}`"
    elif site.kind == "condition":
        what = f"`{original}` negated"
    else:
        what = f"`{original}` -> `{' '.join(site.mutated.split())}`"
    return f"{site.file}:{site.line}: {what}"


def difference(mutant, text):
    """Returns the diff of the source, `text` in bytes, and its mutant."""
    site = mutant.site
    new = {"statement": "", "condition": f"!({site.original})"}.get(site.kind, site.mutated)
    changed = text[: site.begin] + new.encode("latin-1") + text[site.end :]
    old, new = ([line + "\n" for line in part.decode("utf-8", "replace").split("\n")] for part in (text, changed))
    return "".join(difflib.unified_diff(old, new, site.file, f"{site.file} (mutant {mutant.id})", n=2))


def count(mutants, verdicts):
    """Returns {layer: Counter of COLUMNS}, with the sum of all as "all"."""
    table = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        verdict = verdicts.get(mutant.id)
        if verdict is None:
            continue
        for row in (mutant.stratum, "all"):
            column = verdict.how if verdict.result == "killed" else verdict.result
            table[row][column] += 1
            table[row]["mutants"] += verdict.result != "not built"
    return table


def killed_share(row):
    """Returns the share of the built mutants that are killed."""
    killed = row["assertion"] + row["crash"] + row["time-out"]
    return killed / row["mutants"] if row["mutants"] else 1.0


def as_text(table):
    names = sorted(name for name in table if name != "all") + ["all"]
    width = max(len(name) for name in names)
    lines = [" ".join([f"{'layer':{width}}"] + COLUMNS + ["killed"])]
    for name in names:
        cells = [f"{table[name][column]:{len(column)}d}" for column in COLUMNS]
        lines.append(" ".join([f"{name:{width}}"] + cells + [f"{100 * killed_share(table[name]):5.1f}%"]))
    return "\n".join(lines)


def write_json(path, facts, mutants, verdicts, checkout):
    """Writes all results, with the diff of each survivor."""
    entries = []
    for mutant in mutants:
        verdict = verdicts.get(mutant.id)
        if verdict is None:
            continue
        entry = {**mutant_to_json(mutant), **dataclasses.asdict(verdict)}
        if verdict.result != "killed":
            entry["diff"] = difference(mutant, (checkout / mutant.site.file).read_bytes())
        entries.append(entry)
    table = {name: dict(row) for name, row in count(mutants, verdicts).items()}
    path.write_text(json.dumps({**facts, "table": table, "mutants": entries}, indent=1) + "\n")
