#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the measured part of paper.md, between two comments, from the results in perf_tests/results.

    paper/figures.py            # writes it
    paper/figures.py --check    # fails if it is out of date, if a reference is missing, or if the paper is too long

Needs Python 3.9 and no other package.
"""
import pathlib
import re
import sys
import textwrap

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent
CHECKOUT = FOLDER.parent
sys.path.insert(0, str(CHECKOUT / "scripts" / "lib"))

from report.curves import OURS, peers_of  # noqa: E402
from report.runs import read_runs  # noqa: E402
from report.tables import geometric_mean  # noqa: E402

RESULTS = CHECKOUT / "perf_tests" / "results" / "h200-pay-off" / "pay_off.json.gz"
# Generated matrices that have the sizes and structures of large ones in the papers; see about.md there.
PROXIES = {"band64", "ddi", "roadNet-CA", "YeastH", "FY-RSR", "fem3d", "web-BerkStan", "elasticity", "uniform16",
           "reddit-like"}
BEGIN, END = "<!-- measured: paper/figures.py writes this part -->\n", "<!-- end of the measured part -->\n"
COUNTS = (1, 10, 100, 1000)
GROUPS = {"real, over $10^6$": lambda problem: problem.matrix not in PROXIES and problem.nonzeros > 10**6,
          "real, up to $10^6$": lambda problem: problem.matrix not in PROXIES and problem.nonzeros <= 10**6,
          "proxies": lambda problem: problem.matrix in PROXIES}
FEWEST_WORDS, MOST_WORDS = 750, 1750  # of a paper in JOSS


def ratios_of(problems, count):
    """How many times as fast as the fastest peer the plans with default options are, for each problem."""
    return [problem.ratio(peers_of(problems), count, OURS)[0] for problem in problems]


def measured(run):
    """The measured part: a table, and what the text says of it."""
    context = dict(run.contexts[0][1])
    chosen = {(columns, name): [problem for problem in run.curves if problem.scalar == "double"
                                and problem.columns == columns and belongs(problem)]
              for columns in (1, 8, 32) for name, belongs in GROUPS.items()}
    rows = ["| columns | nonzeros | matrices |" + "".join(f" n = {count} |" for count in COUNTS),
            "|--:|---|--:|" + "--:|" * len(COUNTS)]
    for (columns, name), problems in chosen.items():
        cells = [ratios_of(problems, count) for count in COUNTS]
        rows.append(f"| {columns} | {name} | {len(problems)} |"
                    + "".join(f" {geometric_mean(ratios):.2f} ({min(ratios):.2f}) |" for ratios in cells))
    slowest = [geometric_mean(ratios_of(chosen[key], 1)) for key in chosen if "real" in key[1]]
    blocks = [ratio for key, problems in chosen.items() if key[0] > 1 and "real" in key[1]
              for ratio in ratios_of(problems, 100)]
    before = (f"The table shows set-up and *n* products together on one {context['device']}, beside the fastest "
              f"algorithm of {context['cusparse']} for that *n* with its own set-up, in double precision with "
              "adjacent rows: geometric means of the ratio of times, and the least in brackets. More than 1 means that "
              "Tessera is faster. Measurements of some slow products end early; later products are taken to be as fast "
              "as the latest ones.")
    ahead = sum(ratio > 1 for ratio in blocks)
    after = (f"The first product with its plan runs at {min(slowest):.2f} to {max(slowest):.2f} of cuSPARSE's speed on "
             "the real matrices, on average of a group: plans copy and check the matrix by default. After a hundred "
             f"products with 8 or 32 columns, Tessera is ahead in {ahead} of {len(blocks)} cases.")
    return "\n\n".join([textwrap.fill(before, 120), "\n".join(rows), textwrap.fill(after, 120)]) + "\n"


def faults_of(text):
    """What is wrong with the paper, except for the measured part."""
    cited = set(re.findall(r"@([A-Za-z][\w-]*)", text))
    listed = set(re.findall(r"^@\w+\{([\w-]+),", (FOLDER / "paper.bib").read_text(), re.MULTILINE))
    if cited - listed:
        yield "paper.bib lacks " + ", ".join(sorted(cited - listed))
    if listed - cited:
        yield "the paper does not cite " + ", ".join(sorted(listed - cited))
    body = text.split("\n---\n", 1)[1].split("# References")[0]
    words = len(re.findall(r"\S*\w\S*", re.sub(r"^\|.*$|<!--.*?-->", "", body, flags=re.MULTILINE)))
    if not FEWEST_WORDS <= words <= MOST_WORDS:
        yield f"the paper has {words} words, expected {FEWEST_WORDS} to {MOST_WORDS}"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    paper = FOLDER / "paper.md"
    text = paper.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    new = before + BEGIN + "\n" + measured(read_runs([RESULTS])) + "\n" + END + after
    if not sys.argv[1:]:
        paper.write_text(new)
        return
    faults = list(faults_of(text))
    if new != text:
        faults.append(f"its figures are not those of {RESULTS.relative_to(CHECKOUT)}: run paper/figures.py")
    sys.exit("\n".join(f"paper.md: {fault}" for fault in faults) or 0)


if __name__ == "__main__":
    main()
