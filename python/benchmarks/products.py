# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures plan @ X beside the sparse products of SciPy or, on a GPU, of PyTorch and CuPy.

Each side makes its matrix and multiplies 100 times; then both are measured in turn. A row of the table has the median
time of a product of tessera after the first hundred, and how many times as long the other side takes: the ratio of
the medians, the least and greatest ratio of any two rounds, and the ratios of the times from nothing to the end of
the first and of the hundredth product, set-up included. Matrices are generated, or read with SciPy (--matrix). Run it
on an idle machine.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import tessera


def stencil(n):
    """The 27-point stencil on a cube of n^3 points."""
    i = np.arange(n**3)
    x, y, z = i % n, i // n % n, i // n**2
    rows, columns = [], []
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            for dz in (-1, 0, 1):
                inside = (0 <= x + dx) & (x + dx < n) & (0 <= y + dy) & (y + dy < n) & (0 <= z + dz) & (z + dz < n)
                rows.append(i[inside])
                columns.append(i[inside] + dx + n * dy + n * n * dz)
    return np.concatenate(rows), np.concatenate(columns), n**3


def uniform(n, mean):
    """About `mean` entries a row, anywhere."""
    rng = np.random.default_rng(1)
    return rng.integers(n, size=n * mean), rng.integers(n, size=n * mean), n


def power_law(n, mean):
    """A graph in which few nodes have many edges."""
    rng = np.random.default_rng(1)
    return rng.integers(n, size=n * mean), (n * rng.random(n * mean) ** 4).astype(np.int64), n


def csr(triple, dtype):
    """Returns values, columns and offsets, sorted and without duplicates."""
    rows, columns, n = triple
    keys = np.unique(rows * np.int64(n) + columns)
    rows, columns = keys // n, keys % n
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    values = np.random.default_rng(2).uniform(-1, 1, len(keys)).astype(dtype)
    return values, columns.astype(np.int32), offsets.astype(np.int32), (n, n)


def read(path, dtype):
    sparse = importlib.import_module("scipy.sparse")
    A = sparse.load_npz(path) if path.suffix == ".npz" else importlib.import_module("scipy.io").mmread(path)
    A = sparse.csr_array(A).astype(dtype)
    return A.data, A.indices, A.indptr, A.shape


class SciPy:
    """SciPy's matrices on the host."""

    name = "scipy"
    peer = "scipy.sparse"

    def __init__(self):
        self.sparse = importlib.import_module("scipy.sparse")

    def matrix(self, A):
        values, columns, offsets, shape = A
        return self.sparse.csr_array((values, columns, offsets), shape=shape)

    def array(self, X):
        return X

    def wait(self):
        pass


class Torch:
    """PyTorch's matrices on a GPU."""

    name = "torch"
    peer = "torch.sparse.mm"

    def __init__(self):
        self.torch = importlib.import_module("torch")

    def matrix(self, A):
        *arrays, shape = A
        values, columns, offsets = (self.array(a) for a in arrays)
        return self.torch.sparse_csr_tensor(offsets, columns, values, size=shape)

    def array(self, X):
        return self.torch.as_tensor(X, device="cuda")

    def wait(self):
        self.torch.cuda.synchronize()


class CuPy:
    """CuPy's matrices on a GPU."""

    name = "cupy"
    peer = "cupyx.scipy.sparse"

    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.sparse = importlib.import_module("cupyx.scipy.sparse")

    def matrix(self, A):
        values, columns, offsets, shape = A
        return self.sparse.csr_matrix(tuple(map(self.array, (values, columns, offsets))), shape=shape)

    def array(self, X):
        return self.cupy.asarray(X)

    def wait(self):
        self.cupy.cuda.get_current_stream().synchronize()


def elapsed(library, work):
    """Returns the seconds until `work` is done, also on the GPU, and its result."""
    library.wait()
    start = time.perf_counter()
    result = work()
    library.wait()
    return time.perf_counter() - start, result


class Side:
    """A way to multiply: prepare() returns what multiplies by @."""

    def __init__(self, name, prepare):
        self.name, self.prepare = name, prepare
        self.firsts, self.hundredths, self.products = [], [], []

    def run(self, library, X, repetitions):
        """A life of a matrix: set-up, the first product, and products up to the hundredth; then timed groups."""
        begin, (matrix, _) = elapsed(library, lambda: (made := self.prepare(), made @ X))
        rest, _ = elapsed(library, lambda: [matrix @ X for _ in range(99)] and None)
        self.firsts.append(begin)
        self.hundredths.append(begin + rest)
        self.matrix, self.repetitions = matrix, repetitions

    def measure(self, library, X):
        seconds, _ = elapsed(library, lambda: [self.matrix @ X for _ in range(self.repetitions)] and None)
        self.products.append(seconds / self.repetitions)

    def result(self):
        return {
            "name": self.name,
            "product_seconds": statistics.median(self.products),
            "product_seconds_min": min(self.products),
            "product_seconds_max": max(self.products),
            "first_seconds": statistics.median(self.firsts),
            "hundredth_seconds": statistics.median(self.hundredths),
        }


def compare(library, A, columns, arguments):
    """Measures both sides in turn."""
    X = library.array(np.random.default_rng(3).uniform(-1, 1, (A[3][1], columns)).astype(arguments.dtype))
    matrix = library.matrix(A)
    sides = [
        Side("tessera", lambda: tessera.make_plan(matrix)),
        Side(library.peer, lambda: library.matrix(A) if library.name == "scipy" else matrix),
    ]
    for side in sides * arguments.lives:
        side.run(library, X, arguments.repetitions)
    difference = abs(sides[0].matrix @ X - sides[1].matrix @ X).max()
    if not float(difference) < 1e-2:
        raise SystemExit(f"products differ by {float(difference)}")
    for _ in range(arguments.rounds):
        for side in sides:
            side.measure(library, X)
    return [side.result() for side in sides]


def overhead(library, dtype, calls):
    """Times calls for a matrix with one entry: with and without out, and the extension's function alone, in seconds."""
    A = (np.ones(1, dtype), np.zeros(1, np.int32), np.array([0, 1], np.int32), (1, 1))
    plan, X = tessera.make_plan(library.matrix(A)), library.array(np.ones((1, 1), dtype))
    out = plan @ X
    matrix = library.matrix(A)
    stream = 0 if library.name == "scipy" else _stream(library)
    core = plan._core.multiply
    ways = {
        "plan @ X": lambda: plan @ X,
        "spmm(plan, X, out)": lambda: tessera.spmm(plan, X, out),
        "the extension's call": lambda: core(X, out, 0, 1, 0, stream, False),
        library.peer: lambda: matrix @ X,
    }
    times = {name: [] for name in ways}
    for _ in range(7):
        for name, way in ways.items():
            start = time.perf_counter()
            for _ in range(calls):
                way()
            times[name].append((time.perf_counter() - start) / calls)
            library.wait()
    return {name: {"median": statistics.median(t), "min": min(t), "max": max(t)} for name, t in times.items()}


def _stream(library):
    if library.name == "torch":
        return library.torch.cuda.current_stream().cuda_stream
    return library.cupy.cuda.get_current_stream().ptr


def libraries(on_gpu):
    found = []
    for kind in (Torch, CuPy) if on_gpu else (SciPy,):
        try:
            found.append(kind())
        except ImportError as error:
            print(f"skipped {kind.name}: {error}", file=sys.stderr)
    return found


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matrix", type=Path, action="append", help="a file .npz or .mtx, instead of generated ones")
    parser.add_argument("--gpu", action="store_true", help="measure beside PyTorch and CuPy on the current GPU")
    parser.add_argument("--dtype", default="float64", choices=["float32", "float64"])
    parser.add_argument("--columns", type=int, nargs="+", default=[1, 8, 32, 128])
    parser.add_argument("--rounds", type=int, default=9, help="rounds of timed products; the sides take turns")
    parser.add_argument("--repetitions", type=int, default=5, help="products of one time")
    parser.add_argument("--lives", type=int, default=3, help="how often the first hundred products are timed")
    parser.add_argument("--json", type=Path, help="write all results here")
    parser.add_argument("--smoke", action="store_true", help="tiny matrices, once: a test of this program")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.columns, arguments.rounds, arguments.repetitions, arguments.lives = [1, 3], 1, 1, 1
    return arguments


def main():
    arguments = parse()
    n = 8 if arguments.smoke else 64 if arguments.gpu else 32
    if arguments.matrix:
        matrices = {path.name: read(path, arguments.dtype) for path in arguments.matrix}
    else:
        generated = {"stencil27": stencil(n), "uniform": uniform(n**3, 10), "power_law": power_law(n**3, 10)}
        matrices = {name: csr(triple, arguments.dtype) for name, triple in generated.items()}
    results = {"version": tessera.version(), "machine": platform.processor() or platform.machine(), "products": []}
    titles = "".join(f"{title:>7}" for title in ("ratio", "min", "max", "first", "100th"))
    print(f"{'matrix':<16}{'columns':>8}  {'beside':<20}{'product us':>12}{titles}")
    for library in libraries(arguments.gpu):
        # First: the library's own start is no part of a plan's first product.
        calls = overhead(library, arguments.dtype, 10 if arguments.smoke else 2000)
        results.setdefault("call_seconds", {})[library.name] = calls
        print("a call:", ", ".join(f"{name} {1e6 * t['median']:.2f} us" for name, t in calls.items()))
        for name, A in matrices.items():
            for columns in arguments.columns:
                ours, theirs = compare(library, A, columns, arguments)
                row = {"matrix": name, "nonzeros": len(A[0]), "columns": columns, "sides": [ours, theirs]}
                results["products"].append(row)
                ratios = [
                    theirs["product_seconds"] / ours["product_seconds"],
                    theirs["product_seconds_min"] / ours["product_seconds_max"],
                    theirs["product_seconds_max"] / ours["product_seconds_min"],
                    theirs["first_seconds"] / ours["first_seconds"],
                    theirs["hundredth_seconds"] / ours["hundredth_seconds"],
                ]
                text = f"{1e6 * ours['product_seconds']:>12.1f}" + "".join(f"{ratio:>7.2f}" for ratio in ratios)
                print(f"{name:<16}{columns:>8}  {theirs['name']:<20}{text}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
