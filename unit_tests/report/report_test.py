# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""report_test.py SCRIPT: runs scripts/report on small results and reads the pages."""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SCRIPT = sys.argv.pop(1)


def statistics_of(name, times, index=0, label="", **counters):
    """What Google Benchmark writes of a benchmark with aggregates alone; times: median, least, most in ms."""
    common = {"family_index": index, "run_name": name, "run_type": "aggregate", "repetitions": 5, "threads": 1,
              "iterations": 5, "time_unit": "ms", "label": label, "cpu_time": 7.0}
    return [{"name": f"{name}_{statistic}", "aggregate_name": statistic, "real_time": time, **common,
             **{key: value * (1 if statistic == "median" else 3) for key, value in counters.items()}}
            for statistic, time in zip(("mean", "median", "stddev", "min", "max"), (99, times[0], 98, *times[1:]))]


def spmm(matrix, format_name, columns):
    return f"spmm/{matrix}/format:{format_name}/layout:left/columns:{columns}/iterations:3/manual_time"


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, benchmarks, **context):
        path = self.folder / name
        path.write_text(json.dumps({"context": {"date": "today", **context}, "benchmarks": benchmarks}))
        return path

    def run_script(self, *arguments, **environment):
        command = [sys.executable, SCRIPT, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})

    def report(self, *arguments):
        """The page and its tables."""
        page = self.folder / "out" / "page.html"
        done = self.run_script(*arguments, "--output", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(path.name for path in page.parent.iterdir()), ["page.html", "page.md"])
        return page.read_text(), page.with_suffix(".md").read_text()

    def assert_rejected(self, message, *arguments, page="out/page.html", **environment):
        done = self.run_script(*arguments, "--output", self.folder / page, **environment)
        self.assertEqual((done.returncode, done.stderr), (2, f"report: {message}\n"))
        self.assertFalse((self.folder / "out").exists())

    def test_times_and_counters_are_medians(self):
        path = self.write("new.json", statistics_of(spmm("A.mtx", "csr", 8), (2.0, 1.5, 2.5), GFLOPs=3.0, bytes=4.5e9,
                                                    label="serial"))
        _, tables = self.report(path)
        self.assertIn("| matrix | format | layout | columns | ms | min | max | GFLOPs | bytes | label |", tables)
        self.assertIn("| A.mtx | csr | left | 8 | 2 | 1.5 | 2.5 | 3 | 4.5 G | serial |", tables)

    def test_compressed_files(self):
        packed = self.folder / "packed.json.gz"
        plain = self.write("a.json", statistics_of(spmm("A", "csr", 8), (2, 1, 3)))
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        _, tables = self.report(packed)
        self.assertIn("| A | csr | left | 8 | 2 | 1 | 3 |", tables)

    def test_repetitions_without_statistics(self):
        entries = [{"name": "make_plan/A/format:csr", "run_name": "make_plan/A/format:csr", "run_type": "iteration",
                    "real_time": time, "time_unit": "us", "products": time}
                   for time in (3000.0, 1000.0, 2000.0, 9000.0)]
        _, tables = self.report(self.write("new.json", entries))
        self.assertIn("| A | csr | 2.5 | 1 | 9 | 2500 |", tables)

    def write_candidates(self, name, lines):
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def test_damaged_candidates(self):
        path = self.folder / "damaged.jsonl"
        path.write_text('{"matrix": "A"}\n{"matrix": }\n')
        self.assert_rejected(f"{path}:2: not JSON: Expecting value", path)

    def test_candidates_beside_predictions(self):
        def line(columns):
            return {"matrix": "A", "arithmetic": "tf32x3", "columns": columns, "device": "Cuda", "candidates": [
                {"format": "csr", "predicted": 2e-6 * columns, "seconds": 4e-6 * columns,
                 "least": 3e-6 * columns, "most": 5e-6 * columns},
                {"format": "staged", "predicted": 1e-6 * columns, "seconds": 2e-6 * columns,
                 "least": 2e-6 * columns, "most": 2e-6 * columns}]}
        page, tables = self.report(self.write_candidates("c.jsonl", [line(columns) for columns in (1, 8, 32)]))
        self.assertIn("| A | staged | tf32x3 | 8 | 0.016 | 0.016 | 0.016 |", tables)
        self.assertIn("R^2 of the logarithms 1.000", page)
        self.assertIn("candidates, A, tf32x3: ms by columns", page)

    def test_page_is_whole_and_needs_nothing_else(self):
        benchmarks = []
        for index, (name, columns) in enumerate((f, c) for f in ("csr", "bittcf") for c in (1, 8)):
            benchmarks += statistics_of(spmm("<A>.mtx", name, columns), (columns, columns / 2, columns * 2), index,
                                        **{"ratio": 2.0, "baseline_ms": 2.0 * columns, "predicted_ms": 3.0 * columns,
                                           "bytes/CSR": 0.9})
        benchmarks += statistics_of("make_plan/<A>.mtx/format:csr/columns:8", (30, 20, 40), 9, products=12.0)
        page, tables = self.report(self.write("new.json", benchmarks))
        self.assertIsNone(re.search(r"<script|<link|<img|\bsrc=|\bhref=|url\(|@import", page))
        self.assertIn("<td>&lt;A&gt;.mtx</td>", page)
        plots = re.findall(r"<svg .*?</svg>", page, flags=re.DOTALL)
        for plot in plots:
            xml.etree.ElementTree.fromstring(plot)
        titles = ["".join(xml.etree.ElementTree.fromstring(plot).itertext()) for plot in plots]
        for title in ("spmm, <A>.mtx, left: ms by columns", "spmm: how many times as fast as the baseline",
                      "make_plan: set-up in products", "measured over predicted ms",
                      "size of formats over that of CSR"):
            self.assertEqual(sum(title in text for text in titles), 1, title)
        self.assertEqual(len(plots), 5)
        self.assertIn("baseline", titles[0])
        self.assertIn("| spmm | all | 4 | 1.000 |", tables)  # predicted ratios equal the measured ones

    def test_plots_as_files(self):
        benchmarks = []
        for columns in (1, 8):
            benchmarks += statistics_of(spmm("A[1].mtx", "csr", columns), (columns,) * 3, columns, ratio=2.0)
        page = self.folder / "out" / "page.html"
        done = self.run_script(self.write("new.json", benchmarks), "--plots", "--output", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(path.name for path in page.parent.iterdir()),
                         ["page-1.svg", "page-2.svg", "page.html", "page.md"])
        tables = page.with_suffix(".md").read_text()
        self.assertIn("## Time by columns\n\nMedians of repetitions.\n\n"
                      "![spmm, A(1).mtx, left: ms by columns](page-1.svg)\n\n", tables)
        self.assertRegex(tables, r"!\[spmm: how many times as fast [^]]*\]\(page-2.svg\)")
        self.assertIn('<details markdown="1"><summary>Table</summary>\n\n| matrix |', tables)
        root = xml.etree.ElementTree.parse(page.parent / "page-1.svg").getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")

    def test_geometric_mean_of_ratios(self):
        _, tables = self.report(self.write("new.json", statistics_of(spmm("A", "csr", 8), (1, 1, 1), ratio=2.0)
                                           + statistics_of(spmm("B", "csr", 8), (1, 1, 1), ratio=8.0)))
        self.assertIn("| spmm | csr, left | 8 | 2 | 4 | 2 | 8 |", tables)

    def test_determination_of_predictions(self):
        benchmarks = []
        for index, (predicted, measured) in enumerate(((1, 1), (10, 1), (1, 10), (10, 100))):
            benchmarks += statistics_of(spmm(f"A{index}", "csr", 8), (measured,) * 3, predicted_ms=float(predicted))
        _, tables = self.report(self.write("new.json", benchmarks))
        # Logarithms: x = 0 1 0 1, y = 0 0 1 2. Hence xy = 1/2, xx = 1, yy = 11/4.
        self.assertIn("| spmm | all | 4 | 0.091 |", tables)

    def test_comparison(self):
        new = {"a": (4, 3.9, 4.1), "b": (2, 1.9, 2.1), "c": (1, 0.9, 1.1), "d": (1, 0.5, 3.0), "new": (1, 1, 1)}
        old = {"a": (2, 1.9, 2.1), "b": (4, 3.9, 4.1), "c": (0.8, 0.7, 0.89), "d": (2, 1.0, 2.5), "old": (1, 1, 1)}
        files = [self.write(name, [entry for matrix, times in results.items()
                                   for entry in statistics_of(spmm(matrix, "csr", 8), times)],
                            concurrency=concurrency, tessera_commit=name)
                 for name, results, concurrency in (("new.json", new, "2"), ("old.json", old, "1"))]
        page, tables = self.report(files[0], "--compare", files[1])
        rows = [line for line in tables.splitlines() if "spmm/" in line and line.count("|") == 10]
        verdicts = [row.split(" | ")[0].strip("| ") + " " + row.split("/")[1] for row in rows]
        self.assertEqual(verdicts, ["slower a", "slower c", "faster b", "within the spread d"])
        row = "| slower | spmm/a/format:csr/layout:left/columns:8 | 2 | 1.9 | 2.1 | 4 | 3.9 | 4.1 | 0.5 |"
        self.assertIn(row, tables)
        # The geometric mean of 1/2, 2, 0.8 and 2.
        self.assertIn("| spmm | 4 | 2 | 1 | 1.125 |", tables)
        self.assertIn("differ in more than the code: concurrency.", tables)
        self.assertIn("2 benchmarks are in one run alone.", tables)
        self.assertNotIn("ran once", tables)
        self.assertIn('<tr class="slower"><td>slower</td>', page)
        self.assertLess(tables.index("Compared with the old run"), tables.index("## Context"))

    def test_comparison_without_spread(self):
        files = [self.write(name, statistics_of(spmm("A", "csr", 8), (1, 1, 1))) for name in ("new.json", "old.json")]
        _, tables = self.report(files[0], "--compare", files[1])
        self.assertIn("since one side ran once: 1.", tables)

    def test_results_are_in_the_order_of_the_driver(self):
        _, tables = self.report(self.write("new.json", statistics_of(spmm("A", "bmat", 8), (1, 1, 1), 2)
                                           + statistics_of(spmm("A", "csr", 8), (1, 1, 1), 1)))
        self.assertLess(tables.index("| A | csr |"), tables.index("| A | bmat |"))

    def test_failed_benchmarks_are_named(self):
        failed = {"name": spmm("A", "bcsr", 8), "run_name": spmm("A", "bcsr", 8), "run_type": "iteration",
                  "error_occurred": True, "error_message": "takes | too much", "real_time": 0.0, "time_unit": "ms"}
        page, tables = self.report(self.write("new.json", [failed, failed]
                                              + statistics_of(spmm("A", "csr", 8), (1, 1, 1))))
        self.assertEqual(tables.count("| spmm/A/format:bcsr/layout:left/columns:8 | takes \\| too much |"), 1)
        self.assertIn("takes | too much", page)

    def test_gpu_spmm(self):
        def kernel(name, cusparse, checked, milliseconds, ablates=""):
            return {"kernel": name, "precision": "fp64", "cusparse": cusparse, "ablates": ablates, "checked": checked,
                    "deterministic": True, "message": "" if checked else "17 entries are wrong",
                    "ms_median": milliseconds, "ms_min": milliseconds, "ms_max": milliseconds, "samples": 9, "batch": 1,
                    "prepare_ms": 5.0, "bytes": 100}

        problem = {"matrix": "web", "order": "", "rows": 10, "columns": 10, "nonzeros": 1000000, "x_columns": 32,
                   "layout": "right", "scalar": "double", "floor_ms": 0.25,
                   "kernels": [kernel("cusparse alg2", True, True, 4.0), kernel("cusparse alg3", True, True, 2.0),
                               kernel("csr", False, True, 0.5), kernel("bad", False, False, 0.1),
                               kernel("quick", False, True, 0.0), kernel("part", False, True, 0.1, "csr")]}
        path = self.folder / "gpu.json"
        path.write_text(json.dumps({"machine": {"gpu": "Some GPU"}, "problems": [problem]}))
        _, tables = self.report(path)
        self.assertIn("| gpu | Some GPU |", tables)
        self.assertIn("| gpu_spmm | csr, fp64, double, right, natural | 32 | 1 | 4 | 4 | 4 |", tables)
        self.assertIn("| web | csr | fp64 | double | right | natural | 32 | 0.5 | 0.5 | 0.5 | 128 |", tables)
        self.assertIn("17 entries are wrong", tables)
        self.assertNotIn("| web | bad |", tables)
        self.assertIn("gpu_spmm/web/kernel:quick/precision:fp64/scalar:double/layout:right/order:natural/columns:32 | "
                      "not timed |", tables)

    def write_curves(self, name, problems, failures=()):
        """problems: (matrix, nonzeros, columns, {(library, way): [ms]}), with least and most 10 % apart."""
        counts = (1, 2, 5, 10, 20)
        path = self.folder / name
        path.write_text(json.dumps({"context": {"device": "Some GPU"}, "pay_off": [
            {"matrix": matrix, "nonzeros": nonzeros, "scalar": "double", "layout": "right", "columns": columns,
             "failures": list(failures), "curves": [
                 {"library": library, "way": way, "products": counts[:len(times)], "ms": times,
                  "least_ms": [0.9 * ms for ms in times], "most_ms": [1.1 * ms for ms in times]}
                 for (library, way), times in curves.items()]} for matrix, nonzeros, columns, curves in problems]}))
        return path

    def test_set_up_and_products(self):
        # The fastest algorithm differs by n, and so does the fastest peer.
        curves = {("tessera", "csr, then staged"): [4, 5, 8, 10, 12], ("cusparse", "alg1"): [1, 2, 5, 10, 20],
                  ("cusparse", "alg2, preprocess"): [2, 3, 4, 8, 16], ("kokkos_kernels", ""): [8, 8.5, 9, 9.5, 10]}
        path = self.write_curves("a.json", [("A", 2000000, 8, curves)])
        page, tables = self.report(path)
        self.assertIn("| peer | scalar | layout | columns | nonzeros | matrices | n = 1 | n = 2 | n = 5 |", tables)
        row = "| double | right | 8 | over 10^6 | 1 | 0.25 (0.25) | 0.40 (0.40) | 0.50 (0.50) | 0.80 (0.80) |"
        self.assertIn(f"| cusparse {row} 1.33 (1.33) |", tables)
        self.assertIn(f"| the fastest {row} 0.83 (0.83) |", tables)
        self.assertIn("| A | 2 M | double | right | 8 | tessera | csr, then staged | 0.25 | 0.40 | 0.50 | 0.80 "
                      "| 0.83 |", tables)
        self.assertIn("| A | double | right | 8 | cusparse | alg2, preprocess | 2 (1.8 .. 2.2) |", tables)
        self.assertIn("pay_off, double, right: how many times as fast as the fastest peer", page)
        self.assertIn("pay_off, A, double, right, 8 columns: ms of set-up and n products", page)

    def test_plans_that_share_have_ratios_of_their_own(self):
        curves = {("tessera", "csr"): [4, 5], ("tessera sharing A", "bcsr"): [1, 2], ("cusparse", "alg1"): [2, 5]}
        page, tables = self.report(self.write_curves("a.json", [("A", 2000000, 8, curves)]))
        row = "| cusparse | double | right | 8 | over 10^6 | 1 |"
        self.assertIn(f"| tessera {row} 0.50 (0.50) | 1.00 (1.00) |", tables)
        self.assertIn(f"| tessera sharing A {row} 2.00 (2.00) | 2.50 (2.50) |", tables)
        self.assertIn("| A | 2 M | double | right | 8 | tessera sharing A | bcsr | 2.00 | 2.50 |", tables)
        self.assertIn("set-up included (tessera sharing A)", page)

    def test_means_of_set_up_and_products_by_size(self):
        def curves(theirs):
            return {("tessera", "csr"): [2, 4, 10], ("cusparse", "alg1"): theirs}

        path = self.write_curves("a.json", [("A", 10, 1, curves([1, 8, 20])), ("B", 1000000, 1, curves([4, 4.5, 5])),
                                            ("C", 1000001, 1, curves([2, 4, 30]))])
        page, tables = self.report(path)
        row = "| cusparse | double | right | 1 |"
        self.assertIn(f"{row} up to 10^6 | 2 | 1.00 (0.50) | 1.50 (1.12) | 1.00 (0.50) |", tables)
        self.assertIn(f"{row} over 10^6 | 1 | 1.00 (1.00) | 1.00 (1.00) | 3.00 (3.00) |", tables)
        self.assertNotIn("the fastest |", tables)
        self.assertIn("1 column, up to 10^6 nonzeros, double, right: ms of set-up and n products, geometric mean of 2 "
                      "matrices", re.sub(r"</text><text[^>]*>", " ", page))

    def test_times_that_were_not_measured_are_marked(self):
        # Tessera's latest products take 2 ms, hence 20 + 5 * 2 and 20 + 15 * 2 at n = 10 and 20.
        curves = {("tessera", "csr"): [10, 14, 20], ("cusparse", "alg1"): [10, 20, 50, 60, 100]}
        _, tables = self.report(self.write_curves("a.json", [("A", 10, 1, curves)], failures=["alg2: no memory"]))
        self.assertIn("| 1 | 1.00 (1.00) | 1.43 (1.43) | 2.50 (2.50) | 2.00 (2.00) [1] | 2.00 (2.00) [1] |", tables)
        self.assertIn("| A | 10 | double | right | 1 | tessera | csr | 1.00 | 1.43 | 2.50 | 2.00* | 2.00* |", tables)
        self.assertIn("| 20 (18 .. 22) |  |  |\n", tables)
        self.assertIn("| pay_off, A, double, right, 1 column | alg2: no memory |", tables)

    def test_set_up_and_products_compared(self):
        files = [self.write_curves(name, [("A", 10, 8, {("tessera", "csr"): times, ("cusparse", "alg1"): [1, 1]})])
                 for name, times in (("new.json", [4, 5]), ("old.json", [2, 5]))]
        name = "pay_off/A/scalar:double/layout:right/columns:8/products:"
        self.assert_rejected(f"{files[0]}: {name}1 is in {files[0]} too; --compare takes the older run",
                             files[0], files[0])
        _, tables = self.report(files[0], "--compare", files[1])
        self.assertIn(f"| slower | {name}1 | 2 | 1.8 | 2.2 | 4 | 3.6 | 4.4 | 0.5 |", tables)
        self.assertIn(f"| within the spread | {name}2 | 5 |", tables)

    def test_files_that_are_not_results(self):
        good = self.write("good.json", statistics_of(spmm("A", "csr", 8), (1, 1, 1)))
        other = self.write("other.json", statistics_of(spmm("B", "csr", 8), (1, 1, 1)))
        packed = self.folder / "packed.json.gz"
        for damaged in (gzip.compress(good.read_bytes())[:-9], good.read_bytes()):
            packed.write_bytes(damaged)
            done = self.run_script(packed, "--output", self.folder / "out" / "page.html")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{packed}: not what gzip writes: ", done.stderr)
        missing = self.folder / "missing.json"
        self.assert_rejected(f"{missing}: No such file or directory", good, missing)
        text = self.folder / "text.json"
        text.write_text('{\n"context": {},\n"benchmarks": [}')
        self.assert_rejected(f"{text}:3: not JSON: Expecting value", text)
        text.write_bytes(b"\xd3\x00")
        self.assertIn("not JSON", self.run_script(text, "--output", self.folder / "out" / "page.html").stderr)
        text.write_text("[1, 2]")
        self.assert_rejected(f'{text}: expected "benchmarks", as Google Benchmark writes them, "problems", as '
                             'gpu_spmm does, or "pay_off"', text)
        text.write_text('{"benchmarks": [{"name": "a", "run_type": "iteration"}]}')
        self.assert_rejected(f"{text}: a benchmark is not as Google Benchmark, gpu_spmm, pay_off or measure_candidates "
                             "write it: KeyError('real_time')", text)
        self.assert_rejected(f"{self.write('empty.json', [])}: no benchmark has a result", self.folder / "empty.json")
        self.assert_rejected(f"{good}: spmm/A/format:csr/layout:left/columns:8 is in {good} too; --compare takes the "
                             "older run", good, good)
        self.assert_rejected("--compare: no common benchmark; the first of the old run is "
                             "spmm/B/format:csr/layout:left/columns:8, of the new one "
                             "spmm/A/format:csr/layout:left/columns:8", good, "--compare", other)
        self.assert_rejected(f"--output: {self.folder / 'page.txt'}, expected a name that ends in .html", good,
                            page="page.txt")

    def test_page_in_the_place_of_an_input(self):
        good = self.write("good.json", statistics_of(spmm("A", "csr", 8), (1, 1, 1)))
        page = self.folder / "page.html"
        page.symlink_to(good)
        before = good.read_text()
        self.assertIn("it would replace the input", self.run_script(good, "--output", page).stderr)
        self.assertEqual(good.read_text(), before)

    def test_missing_library(self):
        (self.folder / "pygal.py").write_text('raise ImportError("no pygal here")')
        self.assert_rejected("no pygal here; install Debian's python3-pygal, or: pip install pygal",
                            self.write("new.json", statistics_of(spmm("A", "csr", 8), (1, 1, 1))),
                            PYTHONPATH=str(self.folder))


if __name__ == "__main__":
    unittest.main()
