# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The block conjugate gradient method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _tessera
from ._kinds import Kind, kind_of, shape_of, stream_number
from ._matrices import is_sparse
from ._plan import Plan, make_plan


@dataclass(frozen=True)
class BlockCgResult:
    """What block_cg() did. It is true if all columns have converged."""

    converged: bool  #: whether every column is solved
    stop: str  #: why the method ended, in words
    advice: str  #: what to do if it has not converged; empty if it has
    iterations: int  #: number of iterations, each with one product of A
    residuals: list[float]  #: |b - A x| / |b| of each column
    products: int  #: number of columns that A was multiplied by
    restarts: int  #: number of restarts
    columns_alone: int  #: columns that were solved one by one
    lost_curvatures: int  #: iterations in which p^T A p of some direction was lost in rounding
    most_dependent: int  #: largest number of dependent directions left out at once

    def __bool__(self) -> bool:
        return self.converged


def block_cg(
    A: Any,
    B: Any,
    X: Any = None,
    *,
    preconditioner: Any = None,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
    max_restarts: int = 3,
    dependence: float = 0,
    stream: Any = None,
) -> tuple[Any, BlockCgResult]:
    """Solves A X = B for a symmetric positive definite A by a block conjugate gradient method.

    A is a plan, a sparse matrix, of which a plan is made, or a function. A function is called as f(P) with an array of
    B's library of two dimensions, as many rows as B and at most as many columns. It returns A P in a new array; P is a
    copy that it may keep. On a GPU it queues its work on the current stream. The preconditioner is a plan, a sparse
    matrix or a function that approximates the inverse of A. An exception that a function raises is raised by block_cg.

    B has one or two dimensions, of float32 or float64, which is also the plan's type. X is the initial guess, and is
    overwritten with the solution; without it, the guess is 0.

    A column is solved when |b - A x| is at most `tolerance` |b|. Returns X and a BlockCgResult. Raises RuntimeError
    if B or a product is not finite. With a plan, an iteration copies nothing; with a function, two blocks.
    """
    kind = kind_of(B)
    shape = shape_of(B, "tessera.block_cg: B")
    if X is None:
        X = kind.empty(B, shape)
        X[...] = 0
    if stream is not None and any(callable(f) and not isinstance(f, Plan) for f in (A, preconditioner)):
        raise ValueError(
            "tessera.block_cg: stream is given with a function, which works on the current stream; expected no stream"
        )
    multiply, mode = _operator(A, "A", shape, kind)
    precondition, preconditioner_mode = None, 0
    if preconditioner is not None:
        precondition, preconditioner_mode = _operator(preconditioner, "preconditioner", shape, kind)
    solver = _tessera.solve(
        multiply,
        mode,
        precondition,
        preconditioner_mode,
        B,
        X,
        kind.name,
        tolerance,
        max_iterations,
        max_restarts,
        dependence,
        kind.stream(B) if stream is None else stream_number(stream),
    )
    names = BlockCgResult.__dataclass_fields__
    return X, BlockCgResult(**{name: getattr(solver, name) for name in names})


def _operator(operator: Any, name: str, shape: tuple[int, ...], kind: Kind) -> tuple[Any, int]:
    """Returns what the solver takes: a plan and its mode, or a function of two blocks."""
    if is_sparse(operator):
        operator = make_plan(operator, num_vectors=shape[1] if len(shape) == 2 else 1)
    if isinstance(operator, Plan):
        if operator.shape != (shape[0], shape[0]):
            rows, columns = operator.shape
            raise ValueError(
                f"tessera.block_cg: {name} is {rows} x {columns}, and B has {shape[0]} rows; expected a square {name} "
                "with as many"
            )
        return operator._core, operator._mode
    if callable(operator):
        return _in_place(operator, name, kind), 0
    raise TypeError(
        f"tessera.block_cg: {name} is of the type {type(operator).__qualname__}; expected a plan, a sparse matrix or a "
        "function"
    )


def _in_place(function: Callable[[Any], Any], name: str, kind: Kind) -> Callable[[Any, Any], None]:
    """Makes a function that returns its result one that writes it. The solver's memory is not given away."""

    def call(given: Any, out: Any) -> None:
        copy = kind.empty(given, tuple(given.shape))
        kind.copy_to(copy, given)
        result = function(copy)
        if tuple(getattr(result, "shape", ())) != tuple(out.shape):
            raise ValueError(
                f"tessera.block_cg: {name} returned {type(result).__qualname__} of the shape "
                f"{getattr(result, 'shape', None)} for a block of the shape {tuple(given.shape)}; expected that shape"
            )
        kind.copy_to(out, result)

    return call
