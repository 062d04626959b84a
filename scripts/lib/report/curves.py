# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Curves of pay_off: the time of a set-up and n products by n, beside other libraries with their own set-up."""
import dataclasses
import itertools

from .tables import geometric_mean, in_order, number

OURS = "tessera"  # and libraries whose names begin so: plans with other options
LARGE = 1_000_000  # nonzeros


@dataclasses.dataclass
class Curve:
    """A way to multiply, and its times in milliseconds at each of some numbers of products."""
    library: str
    way: str  # the algorithm of a library; the formats of Tessera's plan
    products: list
    medians: list
    least: list
    most: list

    def at(self, count):
        """Returns the time of `count` products. Beyond the last measured one, products are assumed to take as long as
        the latest ones."""
        if count in self.products:
            return self.medians[self.products.index(count)]
        last, before = (self.products[-1], self.medians[-1]), (0, 0.0)
        if len(self.products) > 1:
            before = self.products[-2], self.medians[-2]
        slope = max(0.0, last[1] - before[1]) / (last[0] - before[0])
        return last[1] + (count - last[0]) * slope


@dataclasses.dataclass
class Problem:
    """A matrix, and the shape of X, with the curves of all libraries."""
    matrix: str
    nonzeros: int
    scalar: str
    layout: str
    columns: int
    curves: list

    @property
    def name(self):
        return f"{self.matrix}, {self.scalar}, {self.layout}, {of_columns(self.columns)}"

    @property
    def size(self):
        return "over 10^6" if self.nonzeros > LARGE else "up to 10^6"

    def of(self, libraries):
        return [curve for curve in self.curves if curve.library in libraries]

    def fastest(self, libraries, count):
        """Returns the time of the fastest curve of some libraries for `count` products, and whether it was measured;
        None without such curves."""
        times = [(curve.at(count), count in curve.products) for curve in self.of(libraries)]
        return min(times, default=None)

    def ratio(self, libraries, count, plan=OURS):
        """Returns how many times as fast Tessera is as the fastest of some libraries, and whether both times were
        measured; None if one is missing."""
        theirs, ours = self.fastest(libraries, count), self.fastest([plan], count)
        return None if theirs is None or ours is None else (theirs[0] / ours[0], theirs[1] and ours[1])


def of_columns(columns):
    return f"{columns} column" + "s" * (columns != 1)


def counts_of(problems):
    """Returns the numbers of products that were measured for any problem."""
    return sorted({count for problem in problems for curve in problem.curves for count in curve.products})


def is_ours(library):
    return library.split()[0] == OURS


def peers_of(problems):
    return in_order(curve.library for problem in problems for curve in problem.curves if not is_ours(curve.library))


def plans_of(problems):
    return in_order(curve.library for problem in problems for curve in problem.curves if is_ours(curve.library))


def groups_of(problems):
    """Returns {(scalar, layout, columns, size): problems}."""
    groups = {}
    for problem in problems:
        groups.setdefault((problem.scalar, problem.layout, problem.columns, problem.size), []).append(problem)
    return groups


def summary_table(problems):
    """Returns a row for each group, peer and kind of plan: ratios by number of products, the geometric mean and the
    least."""
    counts, peers = counts_of(problems), peers_of(problems)
    rows = [["plan", "peer", "scalar", "layout", "columns", "nonzeros", "matrices"]
            + [f"n = {count}" for count in counts]]
    rivals = {peer: [peer] for peer in peers}
    if len(peers) > 1:
        rivals["the fastest"] = peers
    for plan, (peer, libraries) in itertools.product(plans_of(problems), rivals.items()):
        for (scalar, layout, columns, size), group in sorted(groups_of(problems).items()):
            with_peer = [problem for problem in group if problem.ratio(libraries, 1, plan) is not None]
            if not with_peer:
                continue
            rows.append([plan, peer, scalar, layout, str(columns), size, str(len(with_peer))])
            for count in counts:
                ratios = [problem.ratio(libraries, count, plan) for problem in with_peer]
                guessed = sum(not measured for _, measured in ratios)
                ratios = [ratio for ratio, _ in ratios]
                rows[-1].append(f"{geometric_mean(ratios):.2f} ({min(ratios):.2f})" + f" [{guessed}]" * (guessed > 0))
    return rows


def ratio_table(problems):
    """Returns a row for each problem: ratios to the fastest peer."""
    counts, peers = counts_of(problems), peers_of(problems)
    rows = [["matrix", "nonzeros", "scalar", "layout", "columns", "plan", "formats"]
            + [f"n = {count}" for count in counts]]
    for problem, plan in itertools.product(problems, plans_of(problems)):
        if problem.ratio(peers, 1, plan) is None:
            continue
        ratios = [problem.ratio(peers, count, plan) for count in counts]
        rows.append([problem.matrix, number(problem.nonzeros), problem.scalar, problem.layout, str(problem.columns),
                     plan, problem.of([plan])[0].way]
                    + [f"{ratio:.2f}" + "*" * (not measured) for ratio, measured in ratios])
    return rows


def times_table(problems):
    """Returns a row for each curve: medians, with least and greatest."""
    counts = counts_of(problems)
    rows = [["matrix", "scalar", "layout", "columns", "library", "way"] + [f"n = {count}" for count in counts]]
    for problem in problems:
        for curve in problem.curves:
            cells = [f"{number(median)} ({number(least)} .. {number(most)})"
                     for median, least, most in zip(curve.medians, curve.least, curve.most)]
            rows.append([problem.matrix, problem.scalar, problem.layout, str(problem.columns), curve.library, curve.way]
                        + cells + [""] * (len(counts) - len(cells)))
    return rows


def mean_lines(group, libraries_of):
    """Returns {name: [(n, geometric mean of ms over a group of problems)]}. A single problem has only measured times.

    libraries_of: {name: libraries}, of which the fastest counts."""
    lines = {}
    for name, libraries in libraries_of.items():
        with_curves = [problem for problem in group if problem.of(libraries)]
        times = [(count, [problem.fastest(libraries, count) for problem in with_curves])
                 for count in counts_of(with_curves)]
        lines[name] = [(count, geometric_mean([time for time, _ in fastest])) for count, fastest in times
                       if len(group) > 1 or fastest[0][1]]
    return {name: points for name, points in lines.items() if points}


def ratio_lines(problems, scalar, layout, plan):
    """Returns {columns and size: [(n, geometric mean of ratios to the fastest peer)]} for a kind of plan."""
    peers = peers_of(problems)
    lines = {}
    for (of_scalar, of_layout, columns, size), group in sorted(groups_of(problems).items()):
        with_peer = [problem for problem in group if problem.ratio(peers, 1, plan) is not None]
        if (of_scalar, of_layout) == (scalar, layout) and with_peer:
            lines[f"{of_columns(columns)}, {size} nonzeros"] = [
                (count, geometric_mean([problem.ratio(peers, count, plan)[0] for problem in with_peer]))
                for count in counts_of(problems)]
    return lines
