# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparison of two runs of the same benchmarks."""
import dataclasses

from .runs import InputError
from .tables import geometric_mean, in_order, number


@dataclasses.dataclass
class Change:
    """The times of a benchmark in an old and in a new run."""
    old: object
    new: object

    @property
    def ratio(self):
        """The speedup of the new run."""
        return self.old.median / self.new.median

    @property
    def verdict(self):
        """"slower" or "faster" if the times of all repetitions are separate, else "within the spread"."""
        if self.new.least > self.old.most:
            return "slower"
        return "faster" if self.new.most < self.old.least else "within the spread"


def changes(old, new):
    """Returns each benchmark that is in both runs. Raises InputError if there is none."""
    before = {record.name: record for record in old.compared()}
    common = [Change(before[record.name], record) for record in new.compared()
              if record.name in before and record.median > 0 and before[record.name].median > 0]
    if not common:
        raise InputError(f"--compare: no common benchmark; the first of the old run is {old.compared()[0].name}, "
                         f"of the new one {new.compared()[0].name}")
    return common


def summary_table(all_changes):
    """Returns a table with a row per kind of benchmark."""
    rows = [["benchmark", "compared", "slower", "faster", "old/new, geometric mean"]]
    for kind in in_order(change.new.kind for change in all_changes):
        of_kind = [change for change in all_changes if change.new.kind == kind]
        verdicts = [change.verdict for change in of_kind]
        rows.append([kind, str(len(of_kind)), str(verdicts.count("slower")), str(verdicts.count("faster")),
                     number(geometric_mean([change.ratio for change in of_kind]))])
    return rows


def changes_table(all_changes):
    """Returns a row per benchmark: first slowdowns beyond the spread, the worst first, then speedups."""
    order = ["slower", "faster", "within the spread"]
    rows = [["", "benchmark", "old ms", "min", "max", "new ms", "min", "max", "old/new"]]
    for change in sorted(all_changes, key=lambda c: (order.index(c.verdict), c.ratio)):
        times = [number(time) for record in (change.old, change.new)
                 for time in (record.median, record.least, record.most)]
        rows.append([change.verdict, change.new.name] + times + [number(change.ratio)])
    return rows
