# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries and devices that tests multiply on. The reference is NumPy's, in long double: most tests need no SciPy."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tessera

SCALARS = {"float": "float32", "double": "float64", "complex_float": "complex64", "complex_double": "complex128"}
DTYPES = [SCALARS[name] for name in tessera.version()["scalars"]]
REAL_DTYPES = [dtype for dtype in DTYPES if dtype.startswith("float")]


@dataclass(frozen=True)
class Library:
    """A library of arrays on a device."""

    name: str
    on_gpu: bool

    def array(self, a: np.ndarray[Any, Any]) -> Any:
        """Returns an array with the values and, in C or Fortran order, the strides of a."""
        if self.name == "numpy":
            return a.copy(order="K")
        if self.name == "cupy":
            return importlib.import_module("cupy").array(a, order="K")
        torch = importlib.import_module("torch")
        if a.ndim == 2 and a.flags.f_contiguous and not a.flags.c_contiguous:
            return torch.as_tensor(a.T.copy(), device=self.device).t()
        return torch.as_tensor(np.ascontiguousarray(a), device=self.device).clone()

    @property
    def device(self) -> str:
        return "cuda" if self.on_gpu else "cpu"

    def numpy(self, a: Any) -> Any:
        """Returns the values, after all work on the current stream."""
        if self.name == "cupy":
            return a.get()
        return a.detach().cpu().numpy() if self.name == "torch" else a

    def owns(self, a: Any) -> bool:
        """Returns whether an array is of this library, and on this device."""
        if self.name == "torch":
            return type(a).__module__ == "torch" and a.is_cuda == self.on_gpu
        return type(a).__module__.partition(".")[0] == self.name


def has_gpu() -> bool:
    return "Cuda" in tessera.version()["execution_spaces"]


def libraries() -> list[Library]:
    found = [Library("numpy", False)]
    for name in ("torch", "cupy"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if name == "torch":
            found.append(Library(name, False))
        if has_gpu() and module.cuda.is_available():
            found.append(Library(name, True))
    return found


LIBRARIES = libraries()


@pytest.fixture(params=LIBRARIES, ids=lambda library: f"{library.name}-{library.device}")
def library(request: pytest.FixtureRequest) -> Library:
    chosen: Library = request.param
    return chosen


@dataclass(frozen=True)
class Matrix:
    """A matrix in compressed rows."""

    values: np.ndarray[Any, Any]
    columns: np.ndarray[Any, Any]
    offsets: np.ndarray[Any, Any]
    shape: tuple[int, int]

    def dense(self) -> np.ndarray[Any, Any]:
        wide = np.result_type(self.values.dtype, np.longdouble)
        dense = np.zeros(self.shape, wide)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.offsets))
        np.add.at(dense, (rows, self.columns), self.values)
        return dense

    def plan(self, library: Library, **options: Any) -> tessera.Plan:
        arrays = tuple(library.array(a) for a in (self.values, self.columns, self.offsets))
        return tessera.make_plan(arrays, shape=self.shape, **options)

    def scipy(self) -> Any:
        sparse = pytest.importorskip("scipy.sparse")
        return sparse.csr_array((self.values, self.columns, self.offsets), shape=self.shape)


def random_matrix(
    shape: tuple[int, int], dtype: str = "float64", index: str = "int32", mean: float = 5, seed: int = 1
) -> Matrix:
    """Makes a matrix with rows of random lengths, some of them empty and one full, and with unsorted columns."""
    rng = np.random.default_rng(seed)
    rows, columns = shape
    lengths = np.minimum(rng.poisson(mean, rows), columns)
    if rows > 3:
        lengths[1] = 0
        lengths[2] = columns
    chosen = [rng.choice(columns, length, replace=False) for length in lengths]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    flat = np.concatenate([np.empty(0, np.int64), *chosen]).astype(index)
    return Matrix(random_array((len(flat),), dtype, rng), flat, offsets, shape)


def random_array(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    a = rng.uniform(-1, 1, shape)
    return (a + 1j * rng.uniform(-1, 1, shape)).astype(dtype) if dtype.startswith("c") else a.astype(dtype)


def op(dense: np.ndarray[Any, Any], mode: str) -> np.ndarray[Any, Any]:
    transposed = dense.T if "transpose" in mode else dense
    return transposed.conj() if "conjugate" in mode else transposed


def expect_product(
    Y: np.ndarray[Any, Any],
    dense: np.ndarray[Any, Any],
    X: np.ndarray[Any, Any],
    alpha: complex = 1,
    beta: complex = 0,
    before: np.ndarray[Any, Any] | None = None,
) -> None:
    """Compares Y = alpha A X + beta Y entry by entry with a bound on rounding errors: one lost entry is found."""
    wide = dense.dtype
    x = X.astype(np.result_type(X.dtype, np.longdouble))
    expected = np.asarray(alpha * (dense @ x))
    size = abs(alpha) * (np.abs(dense) @ np.abs(x))
    if before is not None:
        expected = expected + beta * before.astype(wide)
        size = size + abs(beta) * np.abs(before)
    entries = np.count_nonzero(dense, axis=1)
    factor = 4 if np.issubdtype(Y.dtype, np.complexfloating) else 2
    bound = factor * (entries + 2) * (np.finfo(Y.dtype).eps / 2)
    limit = (bound if Y.ndim == 1 else bound[:, None]) * size
    assert Y.shape == expected.shape
    wrong = ~(np.abs(Y - expected) <= limit)
    assert not wrong.any(), f"{wrong.sum()} of {Y.size} entries are wrong, the first at {np.argwhere(wrong)[0]}"
