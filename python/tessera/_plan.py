# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans and products."""

from __future__ import annotations

import json
import os
import sys
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _tessera
from ._kinds import Kind, is_recorded, kind_of, shape_of, stream_number
from ._matrices import compressed_rows
from ._options import PlanOptions, text_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._operator import PlanLinearOperator

# Bits of a mode: the numbers are those of Tessera::Mode.
_TRANSPOSED, _CONJUGATED = 1, 2
_MODES = {"none": 0, "transpose": 1, "conjugate": 2, "conjugate_transpose": 3}
_LETTERS = {"N": "none", "T": "transpose", "C": "conjugate", "H": "conjugate_transpose"}


class Plan:
    """A sparse matrix that is prepared for many products; make_plan() makes it.

    `plan @ X` is A X. `plan.T @ X` and `plan.H @ X` are products of the transpose and of the conjugate transpose: T
    and H are views of the same plan. Several threads may use a plan at the same time.
    """

    __slots__ = ("_core", "_mode", "_kept")
    __array_ufunc__ = None  # NumPy then leaves X @ plan to Python, which rejects it

    def __init__(self, core: _tessera.Plan, mode: int = 0, kept: Any = None) -> None:
        self._core = core
        self._mode = mode
        self._kept = kept

    @property
    def shape(self) -> tuple[int, int]:
        """The rows and columns of op(A): of A, or of its transpose for T and H."""
        core = self._core
        return (core.columns, core.rows) if self._mode & _TRANSPOSED else (core.rows, core.columns)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values of A."""
        return np.dtype(self._core.dtype)

    @property
    def nnz(self) -> int:
        """The number of stored entries. Duplicates of A count once; explicit zeros count."""
        return self._core.nonzeros

    @property
    def nbytes(self) -> int:
        """The bytes of memory that the plan holds."""
        return self._core.bytes()

    @property
    def device(self) -> str:
        """Where products run: "the host" or "CUDA device 0"."""
        return self._core.device

    @property
    def mode(self) -> str:
        """none, transpose, conjugate or conjugate_transpose."""
        return list(_MODES)[self._mode]

    @property
    def T(self) -> Plan:
        """The transpose: a view. The first product with it builds the transpose, which takes the memory of A again."""
        return Plan(self._core, self._mode ^ _TRANSPOSED, self._kept)

    @property
    def H(self) -> Plan:
        """The conjugate transpose: a view, like T."""
        return Plan(self._core, self._mode ^ _TRANSPOSED ^ _CONJUGATED, self._kept)

    def conj(self) -> Plan:
        """Returns the complex conjugate: a view."""
        return Plan(self._core, self._mode ^ _CONJUGATED, self._kept)

    def __matmul__(self, X: Any) -> Any:
        """Returns op(A) X; see spmm()."""
        return spmm(self, X)

    def __repr__(self) -> str:
        rows, columns = self.shape
        what = f"{rows} x {columns}, {self.nnz} nonzeros, {self.dtype}, on {self.device}, mode {self.mode}"
        return f"<tessera.Plan {what}>"

    def update_values(self, values: Any, *, stream: Any = None) -> None:
        """Replaces the values of A, without a new analysis. The pattern stays.

        `values` is an array of the plan's type where the plan is, in the order of the entries that make_plan() was
        given: `A.data`. If make_plan() converted A, the order is that of `A.tocsr()`. On a GPU the work is queued on
        `stream`.
        """
        self._core.update_values(values, _stream_of(values, stream), stream is not None)

    def settle(self, *, stream: Any = None) -> None:
        """Builds the format of the plan's choice now, instead of before a later product.

        On a GPU, this, release_source(), prepare() and save() take the stream that new values were queued on, and wait.
        """
        self._core.settle(stream_number(stream or 0))

    def release_source(self, *, stream: Any = None) -> None:
        """Frees what only update_values() needs."""
        self._core.release_source(stream_number(stream or 0))

    def prepare(self, num_vectors: int, *, stream: Any = None) -> None:
        """Builds what products with up to `num_vectors` columns need, such as the transpose of plan.T."""
        self._core.prepare(num_vectors, self._mode, stream_number(stream or 0))

    def explain(self) -> str:
        """Returns the plan's choice in words: format, kernels, memory, and why."""
        return self._core.explain()

    def stats(self) -> dict[str, Any]:
        """Returns all statistics of the plan: those of Plan::stats() in C++."""
        result: dict[str, Any] = json.loads(self._core.stats())
        return result

    def save(self, path: str | os.PathLike[str], *, stream: Any = None) -> None:
        """Writes the plan to a file for load_plan(): wholly or not at all."""
        self._core.save(os.fspath(path), stream_number(stream or 0))

    def as_linear_operator(self) -> PlanLinearOperator:
        """Returns the plan as a scipy.sparse.linalg.LinearOperator, for a plan on the host."""
        from ._operator import PlanLinearOperator

        return PlanLinearOperator(self)


def make_plan(
    A: Any,
    *,
    shape: tuple[int, int] | None = None,
    transpose: bool = False,
    stream: Any = None,
    **options: Unpack[PlanOptions],
) -> Plan:
    """Makes a plan of a sparse matrix, for products where the matrix is: on the host or a GPU.

    A is a matrix in compressed rows: of SciPy, of CuPy or of PyTorch; or (values, column_indices, row_offsets) with
    `shape`, which may be arrays of any library. Rows may be unsorted; duplicates are summed. Types are float32,
    float64, complex64 and complex128, with indices of int32 or int64. The plan copies A, which may be changed or
    deleted afterwards (unless shares_pattern or shares_values is set). Column indices of int64 are copied to int32
    first: 4 bytes an entry.

    A matrix in another format (csc, coo, bsr, ...) is converted by its own library, which takes the time and the memory
    of a copy of A, and of a sort of its entries.

    `transpose` builds the transpose, too, for products with plan.T and plan.H; without it, the first such product does.
    `options` are those of PlanOptions, such as num_vectors, format or expected_products.

    Raises TypeError for a matrix or a type that is not supported, ValueError for a wrong matrix or option, MemoryError.
    """
    text, tuning_file = text_of(options)
    arrays = compressed_rows(A, shape)
    number = _stream_of(arrays.values, stream)
    rows, columns = arrays.shape
    core = _tessera.make_plan(
        arrays.row_offsets,
        arrays.column_indices,
        arrays.values,
        rows,
        columns,
        text,
        tuning_file,
        number,
        stream is not None,
    )
    is_shared = options.get("shares_pattern") or options.get("shares_values")
    plan = Plan(core, kept=arrays if is_shared else None)
    if transpose:
        plan.T.prepare(options.get("num_vectors") or 1, stream=number)
    return plan


def load_plan(
    path: str | os.PathLike[str], dtype: Any = "float64", *, device: int | None = None, stream: Any = None
) -> Plan:
    """Restores a plan that Plan.save() wrote. `dtype` is the type of its values.

    Products run on the host or, if `device` is a number, on that GPU.
    """
    name = np.dtype(dtype).name
    is_cuda = device is not None
    return Plan(_tessera.load_plan(os.fspath(path), name, is_cuda, device or 0, stream_number(stream or 0)))


def spmm(
    plan: Plan,
    X: Any,
    out: Any = None,
    *,
    alpha: complex = 1,
    beta: complex = 0,
    mode: str = "none",
    stream: Any = None,
) -> Any:
    """Computes alpha op(A) X + beta out, and returns it.

    X has one or two dimensions and a row for each column of op(A). It is an array of NumPy, CuPy or PyTorch, or any
    object with the buffer protocol, DLPack, __cuda_array_interface__ or __array_interface__. Its type is that of the
    plan; float32 plans also take float64 and, with half_vectors, float16 and bfloat16. It may be read-only, and in C
    order, in Fortran order or a strided view of either: it is read in place. It is copied if a stride is negative or
    0, if elements are not aligned to their size, or if it is a lazy conjugate or negative of PyTorch; on a GPU not
    together with `stream`.

    Without `out`, the result is a new array of X's library, in X's order. `out` is never copied: an array that cannot
    be written in place is rejected. It must not overlap X.

    mode: none, transpose, conjugate or conjugate_transpose, or their letters N, T, C and H; it applies to the plan's
    own, so that mode "transpose" of plan.T is A.

    On a GPU the product is queued on the current stream of X's library, or on `stream`, and the call does not wait
    for it: as in that library, other streams must not use X and out before. (The first product in a mode, and the two
    before which the plan is analysed and built, do wait.) On a host the product is finished when the call returns.

    A tensor of PyTorch that requires a gradient, has a tangent or is traced is multiplied by tessera.torch.spmm(), if
    `out` is not given.

    Raises TypeError for a wrong type of X or out, and ValueError for wrong shapes, devices and overlaps: out is then
    unchanged.
    """
    mode = _LETTERS.get(mode, mode)
    if mode not in _MODES:
        raise ValueError(f"tessera.spmm: mode is {mode!r}; expected one of {', '.join([*_MODES, *_LETTERS])}")
    if type(plan) is not Plan:
        raise TypeError(f"tessera.spmm: plan is of the type {type(plan).__qualname__}; expected a tessera.Plan")
    bits = plan._mode ^ _MODES[mode]
    kind = kind_of(X)
    if kind.name == "torch":
        if is_recorded(X):
            return _differentiable(plan, X, out, alpha, beta, mode, stream)
        if X.requires_grad:
            X = X.detach()
    return multiply(plan._core, bits, X, out, kind, alpha, beta, stream)


def multiply(
    core: _tessera.Plan, bits: int, X: Any, out: Any, kind: Kind, alpha: complex, beta: complex, stream: Any
) -> Any:
    """Computes a product, which PyTorch does not record."""
    if out is None:
        if beta != 0:
            raise ValueError(f"tessera.spmm: beta is {beta} and there is no out; expected out, or beta = 0")
        shape = shape_of(X, "tessera.spmm: X")
        out = kind.empty(X, (core.columns if bits & _TRANSPOSED else core.rows, *shape[1:]))
    try:
        has_stream = stream is not None
        core.multiply(X, out, bits, alpha, beta, stream_number(stream) if has_stream else kind.stream(X), has_stream)
    except TypeError:
        _check_number("alpha", alpha)
        _check_number("beta", beta)
        raise
    return out


def _check_number(name: str, value: Any) -> None:
    if not isinstance(value, Number):
        raise TypeError(f"tessera.spmm: {name} is {value!r}; expected a number") from None


def _differentiable(plan: Plan, X: Any, out: Any, alpha: complex, beta: complex, mode: str, stream: Any) -> Any:
    from .torch import spmm as torch_spmm

    if out is not None or stream is not None:
        raise ValueError(
            "tessera.spmm: X requires a gradient, has a tangent or is traced, which out and stream do not support; "
            "expected neither, or X.detach()"
        )
    if beta != 0:
        raise ValueError(f"tessera.spmm: beta is {beta} and there is no out; expected out, or beta = 0")
    product = torch_spmm(plan, X, mode=mode)
    return product if alpha == 1 else alpha * product


def _stream_of(array: Any, stream: Any) -> int:
    return kind_of(array).stream(array) if stream is None else stream_number(stream)
