# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of benchmarks, read from JSON files."""
import dataclasses
import gzip
import json
import math
import pathlib
import statistics
import zlib

from .curves import OURS, Curve, Problem

MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}

# Fields that Google Benchmark writes for every result. All others are counters.
OWN_NUMBERS = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", "iterations",
               "real_time", "cpu_time"}


class InputError(Exception):
    """A file is invalid; the message names it."""


@dataclasses.dataclass
class Record:
    """A benchmark: its subject, and its times in milliseconds."""
    kind: str    # what was measured: "spmm", "make_plan", ...
    matrix: str
    keys: dict   # how: {"format": "csr", "columns": "8"}
    median: float
    least: float
    most: float
    values: dict = dataclasses.field(default_factory=dict)  # counters by name, medians
    label: str = ""

    @property
    def name(self):
        return "/".join([self.kind, self.matrix] + [f"{key}:{value}" for key, value in self.keys.items()])

    @property
    def columns(self):
        """The columns of X, None if the benchmark has none."""
        return int(self.keys["columns"]) if self.keys.get("columns", "").isdigit() else None


@dataclasses.dataclass
class Run:
    """All results of some files, and the circumstances that they depend on."""
    contexts: list = dataclasses.field(default_factory=list)  # (file, {key: text})
    records: list = dataclasses.field(default_factory=list)
    failures: list = dataclasses.field(default_factory=list)  # (benchmark, message)
    curves: list = dataclasses.field(default_factory=list)  # problems of pay_off

    def compared(self):
        """Returns what is compared with another run: the records, and a record for each point of Tessera's curves."""
        return self.records + [record for problem in self.curves for record in points_of(problem)]


def read_runs(paths):
    """Returns the results of all files. Raises InputError if one is missing, holds none, or repeats another's."""
    run = Run()
    seen = {}
    for path in paths:
        one = read_run(path)
        run.contexts += one.contexts
        run.failures += one.failures
        run.records += one.records
        run.curves += one.curves
        for record in one.compared():
            if record.name in seen:
                raise InputError(f"{path}: {record.name} is in {seen[record.name]} too; --compare takes the older run")
            seen[record.name] = path
    if not run.records and not run.curves:
        raise InputError(f"{', '.join(map(str, paths))}: no benchmark has a result"
                         + (f"; the first that failed, {': '.join(run.failures[0])}" if run.failures else ""))
    return run


def read_run(path):
    is_lines = str(path).removesuffix(".gz").endswith(".jsonl")
    try:
        data = pathlib.Path(path).read_bytes()
        text = (gzip.decompress(data) if str(path).endswith(".gz") else data).decode("utf-8")
        # The list has no line breaks within objects, hence its line numbers equal those of the file.
        data = json.loads("[" + ",\n".join(text.splitlines()) + "]" if is_lines else text)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: not what gzip writes: {error}") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    try:
        if is_lines:
            return candidates_run(path, data)
        if isinstance(data, dict) and isinstance(data.get("benchmarks"), list):
            return google_benchmark_run(path, data)
        if isinstance(data, dict) and isinstance(data.get("problems"), list):
            return gpu_spmm_run(path, data)
        if isinstance(data, dict) and isinstance(data.get("pay_off"), list):
            return pay_off_run(path, data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: a benchmark is not as Google Benchmark, gpu_spmm, pay_off or measure_candidates "
                         f"write it: {error!r}") from error
    raise InputError(f'{path}: expected "benchmarks", as Google Benchmark writes them, "problems", as gpu_spmm does, '
                     'or "pay_off"')


def google_benchmark_run(path, data):
    context = {key: str(value) for key, value in data.get("context", {}).items()
               if isinstance(value, (str, int, float, bool))}
    run = Run([(str(path), context)])
    entries = {}
    # The file lists the benchmarks in the random order in which they ran.
    for entry in sorted(data["benchmarks"], key=lambda entry: entry.get("family_index", 0)):
        name = entry.get("run_name", entry["name"])
        if entry.get("error_occurred"):
            failure = ("/".join(plain_parts(name)), str(entry.get("error_message", "failed")))
            if failure not in run.failures:
                run.failures.append(failure)
        else:
            entries.setdefault(name, []).append(entry)
    failed = {name for name, message in run.failures}
    run.records = [record for record in map(record_of, entries.items()) if record.name not in failed]
    return run


def plain_parts(name):
    """Returns the parts of a benchmark's name without Google Benchmark's additions about the run."""
    how = ("iterations:", "repeats:", "min_time:", "min_warmup_time:", "threads:")
    return [part for part in name.split("/")
            if part not in ("manual_time", "real_time", "process_time") and not part.startswith(how)]


def record_of(entry):
    """Returns the record of all entries under a name: statistics, or single repetitions."""
    name, entries = entry
    kind, *parts = plain_parts(name)
    keys = {}
    for place, part in enumerate(parts[1:], 1):
        key, colon, value = part.partition(":")
        keys[key if colon else f"argument {place}"] = value if colon else part
    single = [e for e in entries if e.get("run_type") != "aggregate"]
    by_statistic = {e["aggregate_name"]: e for e in entries if e.get("run_type") == "aggregate"}
    times = [milliseconds(e) for e in single]
    median = milliseconds(by_statistic["median"]) if "median" in by_statistic else statistics.median(times)
    least = milliseconds(by_statistic["min"]) if "min" in by_statistic else min(times, default=median)
    most = milliseconds(by_statistic["max"]) if "max" in by_statistic else max(times, default=median)
    if not (math.isfinite(median) and median >= 0):
        raise ValueError(f"{name}: its time is {median}")
    medians = [by_statistic["median"]] if "median" in by_statistic else single
    values = {}
    for key, value in medians[0].items():
        if key in OWN_NUMBERS or isinstance(value, (bool, str)) or not isinstance(value, (int, float)):
            continue
        value = statistics.median(float(e[key]) for e in medians if key in e)
        if math.isfinite(value):
            values[key] = value
    return Record(kind, parts[0] if parts else "", keys, median, least, most, values, medians[0].get("label", ""))


def milliseconds(entry):
    return float(entry["real_time"]) * MILLISECONDS[entry.get("time_unit", "ns")]


def gpu_spmm_run(path, data):
    """Returns the results of gpu_spmm; the baseline of a kernel is the fastest of cuSPARSE for its problem."""
    machine = {key: str(value) for key, value in data.get("machine", {}).items()}
    run = Run([(str(path), machine)])
    for problem in data["problems"]:
        kernels = [kernel for kernel in problem["kernels"] if not kernel.get("ablates")]  # only in older files
        right = [kernel for kernel in kernels if kernel["checked"]]
        baseline = min((kernel["ms_median"] for kernel in right if kernel["cusparse"]), default=None)
        for kernel in kernels:
            keys = {"kernel": kernel["kernel"], "precision": kernel["precision"], "scalar": problem["scalar"],
                    "layout": problem["layout"], "order": str(problem["order"] or "natural"),
                    "columns": str(problem["x_columns"])}
            record = Record("gpu_spmm", problem["matrix"], keys, kernel["ms_median"], kernel["ms_min"],
                            kernel["ms_max"])
            if not kernel["checked"] or not record.median > 0:
                run.failures.append((record.name, kernel["message"] or "not timed"))
                continue
            operations = 2e-6 * problem["nonzeros"] * problem["x_columns"]
            record.values = {"GFLOP/s": operations / record.median, "bytes": kernel["bytes"],
                             "floor_fraction": problem["floor_ms"] / record.median,
                             "products": kernel["prepare_ms"] / record.median}
            if baseline is not None and not kernel["cusparse"]:
                record.values.update({"baseline_ms": baseline, "ratio": baseline / record.median})
            run.records.append(record)
    return run


def pay_off_run(path, data):
    """Returns the curves of pay_off."""
    run = Run([(str(path), {key: str(value) for key, value in data["context"].items()})])
    for entry in data["pay_off"]:
        curves = [Curve(curve["library"], curve["way"], *(list(curve[key]) for key in
                                                          ("products", "ms", "least_ms", "most_ms")))
                  for curve in entry["curves"]]
        problem = Problem(entry["matrix"], int(entry["nonzeros"]), entry["scalar"], entry["layout"],
                          int(entry["columns"]), curves)
        run.failures += [(f"pay_off, {problem.name}", message) for message in entry["failures"]]
        if curves:
            run.curves.append(problem)
    return run


def points_of(problem):
    """Returns a record for each number of products on Tessera's curve."""
    keys = {"scalar": problem.scalar, "layout": problem.layout, "columns": str(problem.columns)}
    return [Record("pay_off", problem.matrix, {**keys, "products": str(count)}, median, least, most)
            for curve in problem.of([OURS])
            for count, median, least, most in zip(curve.products, curve.medians, curve.least, curve.most)]


def candidates_run(path, problems):
    """Returns the results of measure_candidates, or predictions of fit_model: candidates of the automatic choice."""
    run = Run([(str(path), {"device": ", ".join(sorted({problem["device"] for problem in problems}))})])
    for problem in problems:
        for candidate in problem["candidates"]:
            name = "staged" if candidate.get("staged") else candidate["format"]  # in older files, a flag of bittcf
            keys = {"candidate": name, "arithmetic": problem["arithmetic"], "columns": str(problem["columns"])}
            median, least, most = (1e3 * candidate[key] for key in ("seconds", "least", "most"))
            run.records.append(Record("candidates", problem["matrix"], keys, median, least, most,
                                      {"predicted_ms": 1e3 * candidate["predicted"]}))
    return run
