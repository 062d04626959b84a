# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block CG, SciPy's solvers and PyTorch's gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import DTYPES, REAL_DTYPES, Library, Matrix, expect_product, random_array, random_matrix

import tessera

NUMPY = Library("numpy", False)


def laplacian(n: int, dtype: str = "float64", shift: float = 0) -> Matrix:
    """The stencil (-1, 2 + shift, -1) on n points."""
    rows = np.repeat(np.arange(n), 3)
    columns = rows + np.tile([-1, 0, 1], n)
    values = np.tile(np.array([-1, 2 + shift, -1], dtype), n)
    inside = (columns >= 0) & (columns < n)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows[inside], minlength=n))])
    return Matrix(values[inside], columns[inside].astype("int32"), offsets.astype("int32"), (n, n))


def expect_solved(A: Matrix, X: Any, B: np.ndarray[Any, Any], tolerance: float) -> None:
    residual = B - A.dense() @ X
    assert (np.linalg.norm(residual.astype(float), axis=0) <= tolerance * np.linalg.norm(B, axis=0)).all()


@pytest.mark.parametrize("dtype", REAL_DTYPES)
@pytest.mark.parametrize("columns", [None, 1, 4])
@pytest.mark.parametrize("order", ["C", "F"])
def test_block_cg(library: Library, dtype: str, columns: int | None, order: Any) -> None:
    A = laplacian(200, dtype, 0.1)
    shape = (200,) if columns is None else (200, columns)
    B = np.asarray(random_array(shape, dtype, np.random.default_rng(1)), order=order)
    tolerance = 1e-4 if dtype == "float32" else 1e-9
    plan = A.plan(library)
    X, result = tessera.block_cg(plan, library.array(B), tolerance=tolerance)
    assert result and result.converged and result.stop == "converged" and result.advice == ""
    assert library.owns(X)
    assert 0 < result.iterations < 200
    assert len(result.residuals) == (columns or 1) and max(result.residuals) <= tolerance
    assert plan.stats()["products"] >= result.iterations
    expect_solved(A, library.numpy(X), B, 1.1 * tolerance)


def test_operators_of_block_cg(library: Library) -> None:
    A = laplacian(200, shift=0.1)
    B = random_array((200, 3), "float64", np.random.default_rng(1))
    plan = A.plan(library)
    calls = []

    def multiply(P: Any) -> Any:
        calls.append(P)
        assert library.owns(P) and P.shape[0] == 200
        return plan @ P

    halved = Matrix(np.full(200, 0.5), np.arange(200, dtype="int32"), np.arange(201, dtype="int32"), (200, 200))
    for preconditioner in (None, halved.plan(library), lambda R: R * 0.5):
        X, result = tessera.block_cg(multiply, library.array(B), preconditioner=preconditioner)
        assert result
        expect_solved(A, library.numpy(X), B, 1.1e-8)
    assert len({id(P) for P in calls}) == len(calls)  # each block is the function's own, not the solver's memory


def test_sparse_matrices_and_guesses() -> None:
    A = laplacian(200, shift=0.1)
    B = random_array((200, 3), "float64", np.random.default_rng(1))
    X, result = tessera.block_cg(A.scipy(), B)
    assert result
    again, better = tessera.block_cg(A.scipy(), B, X)
    assert again is X and better.iterations <= 1
    X[:, 1] = 0
    expect_solved(A, tessera.block_cg(A.scipy(), B, X, preconditioner=A.scipy(), max_iterations=500)[0], B, 1.1e-8)


def test_advice_if_it_does_not_converge() -> None:
    A = laplacian(400)
    _, result = tessera.block_cg(A.plan(NUMPY), np.ones(400), max_iterations=3)
    assert not result
    assert (result.iterations, result.stop) == (3, "iterations ran out")
    assert "iterations" in result.advice


class OwnError(Exception):
    """An error of a test."""


def test_exceptions_of_functions_reach_the_caller() -> None:
    calls = []

    def fails_later(P: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise OwnError("no product")
        return laplacian(50, shift=0.1).dense().astype(float) @ P

    with pytest.raises(OwnError, match="no product"):
        tessera.block_cg(fails_later, np.random.default_rng(1).uniform(size=50))
    with pytest.raises(OwnError):
        tessera.block_cg(lambda P: P, np.ones(5), preconditioner=fails_later if calls.pop() else None)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"A": lambda P: P[:3]}, ValueError, "A returned ndarray of the shape .*; expected that shape"),
        ({"A": lambda P: None}, ValueError, "A returned NoneType of the shape None"),
        ({"A": lambda P: P * np.nan}, RuntimeError, "has made NaN or Inf"),
        ({"A": 3}, TypeError, "A is of the type int; expected a plan, a sparse matrix or a function"),
        ({"preconditioner": 3}, TypeError, "preconditioner is of the type int"),
        ({"B": np.ones(7)}, ValueError, "A is 20 x 20, and B has 7 rows; expected a square A"),
        ({"A": lambda P: P, "stream": 0}, ValueError, "stream is given with a function"),
        ({"B": np.ones(20, "int64")}, TypeError, "int64"),
        ({"B": np.ones(20, "complex128")}, TypeError, "B is complex128; expected float32 or float64"),
        ({"B": "text"}, TypeError, "B is of the type str; expected an array"),
        ({"X": np.ones((20, 1))}, ValueError, r"X has the shape \(20, 1\); expected \(20,\), like B"),
        ({"X": np.ones(20, "float32")}, TypeError, "X is float32; expected float64, like B"),
        ({"B": np.full(20, np.inf)}, RuntimeError, "B"),
        ({"tolerance": -1}, ValueError, "tolerance"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {"A": laplacian(20, shift=0.1).plan(NUMPY), "B": np.ones(20)} | arguments
    with pytest.raises(error, match=message):
        tessera.block_cg(**given)


@pytest.mark.skipif(len(REAL_DTYPES) < 2, reason="this tessera lacks a type")
def test_plans_of_another_type_are_rejected() -> None:
    with pytest.raises(TypeError, match="the plan of A is of float32 on the host; expected one of float64 on the host"):
        tessera.block_cg(laplacian(20, "float32").plan(NUMPY), np.ones(20))


@pytest.mark.parametrize("dtype", DTYPES)
def test_linear_operators(dtype: str) -> None:
    linalg = pytest.importorskip("scipy.sparse.linalg")
    matrix = random_matrix((40, 30), dtype)
    operator = matrix.plan(NUMPY).as_linear_operator()
    assert isinstance(operator, linalg.LinearOperator)
    assert (operator.shape, operator.dtype) == ((40, 30), np.dtype(dtype))
    rng = np.random.default_rng(1)
    A = matrix.dense()
    for op, dense in ((operator, A), (operator.H, A.conj().T), (operator.T, A.T), (operator.T.H, A.conj())):
        rows = op.shape[1]
        X = random_array((rows, 3), dtype, rng)
        expect_product(op.matmat(X), dense, X)
        expect_product(op.matvec(X[:, 0]), dense, X[:, 0])
        Y = random_array((op.shape[0], 3), dtype, rng)
        expect_product(op.rmatmat(Y), dense.conj().T, Y)
        expect_product(op.rmatvec(Y[:, 0]), dense.conj().T, Y[:, 0])
        ints = rng.integers(-3, 4, (rows, 2))
        expect_product(op @ ints, dense, ints.astype(dtype))


@pytest.mark.parametrize("dtype", REAL_DTYPES)
def test_linear_operators_multiply_complex_vectors(dtype: str) -> None:
    pytest.importorskip("scipy.sparse.linalg")
    matrix = random_matrix((40, 30), dtype)
    X = random_array((30, 3), "complex128" if dtype == "float64" else "complex64", np.random.default_rng(1))
    operator = matrix.plan(NUMPY).as_linear_operator()
    expect_product(operator @ X, matrix.dense(), X)
    expect_product(operator @ X[:, 0], matrix.dense(), X[:, 0])


def test_solvers_of_scipy() -> None:
    linalg = pytest.importorskip("scipy.sparse.linalg")
    A = laplacian(100, shift=0.1)
    operator = A.plan(NUMPY).as_linear_operator()
    b = np.random.default_rng(1).uniform(size=100)
    x, info = linalg.cg(operator, b, rtol=1e-10)
    assert info == 0
    expect_solved(A, x, b, 1e-9)
    X = np.random.default_rng(2).uniform(-1, 1, (100, 6))
    found, vectors = linalg.lobpcg(operator, X, largest=True, tol=1e-8, maxiter=400)
    expected = np.linalg.eigvalsh(A.dense().astype(float))[::-1][:6]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert np.abs(A.dense() @ vectors - vectors * found).max() < 1e-6


def torch_library(library: Library) -> Any:
    if library.name != "torch":
        pytest.skip("not PyTorch")
    import torch

    return torch


@pytest.mark.parametrize("dtype", [d for d in ("float64", "complex128") if d in DTYPES])
@pytest.mark.parametrize("mode", ["none", "transpose", "conjugate", "conjugate_transpose"])
@pytest.mark.parametrize("columns", [None, 3])
def test_gradients(library: Library, dtype: str, mode: str, columns: int | None) -> None:
    torch = torch_library(library)
    import tessera.torch

    matrix = random_matrix((9, 7), dtype, mean=3)
    plan = matrix.plan(library)
    rows = 9 if "transpose" in mode else 7
    X = random_array((rows,) if columns is None else (rows, columns), dtype, np.random.default_rng(1))
    x = library.array(X).requires_grad_()
    product = lambda x: tessera.torch.spmm(plan, x, mode=mode)  # noqa: E731
    assert torch.autograd.gradcheck(product, (x,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(product, (x,))


def test_gradients_of_products(library: Library) -> None:
    torch = torch_library(library)
    matrix = random_matrix((40, 30))
    plan = matrix.plan(library)
    x = library.array(random_array((30, 3), "float64", np.random.default_rng(1))).requires_grad_()
    for product in (plan @ x, tessera.spmm(plan, x), tessera.spmm(plan, x, alpha=1)):
        (gradient,) = torch.autograd.grad(product.sum(), x)
        expect_product(library.numpy(gradient), matrix.dense().T, np.ones((40, 3)))
    (gradient,) = torch.autograd.grad(tessera.spmm(plan, x, alpha=2).sum(), x)
    expect_product(library.numpy(gradient), 2 * matrix.dense().T, np.ones((40, 3)))
    with torch.no_grad():
        assert not (plan @ x).requires_grad
    with pytest.raises(ValueError, match="is traced, which out and stream do not support"):
        tessera.spmm(plan, x, torch.empty((40, 3), dtype=x.dtype, device=x.device))


def test_tangents(library: Library) -> None:
    torch = torch_library(library)
    forward = torch.autograd.forward_ad
    matrix = random_matrix((40, 30))
    plan = matrix.plan(library)
    X, tangent = (library.array(random_array((30, 3), "float64", np.random.default_rng(i))) for i in (1, 2))
    with forward.dual_level():
        x = forward.make_dual(X, tangent)
        for product, factor in ((plan @ x, 1), (tessera.spmm(plan, x, alpha=2), 2)):
            y = forward.unpack_dual(product)
            expect_product(library.numpy(y.primal), factor * matrix.dense(), library.numpy(X))
            expect_product(library.numpy(y.tangent), factor * matrix.dense(), library.numpy(tangent))
        with pytest.raises(ValueError, match="is traced, which out and stream do not support"):
            tessera.spmm(plan, x, library.array(np.zeros((40, 3))))
        assert forward.unpack_dual(plan @ X).tangent is None


@pytest.mark.parametrize("columns", [None, 3])
def test_transforms(library: Library, columns: int | None) -> None:
    torch = torch_library(library)
    import tessera.torch

    matrix = random_matrix((9, 7))
    plan = matrix.plan(library)
    rng = np.random.default_rng(1)
    X = library.array(random_array((7,) if columns is None else (7, columns), "float64", rng))
    A = library.array(matrix.dense().astype(float))

    def product(x: Any) -> Any:
        return tessera.torch.spmm(plan, x)

    def same(found: Any, expected: Any) -> None:
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)

    same(torch.func.jacrev(product)(X), torch.func.jacrev(lambda x: A @ x)(X))
    same(torch.func.jacfwd(product)(X), torch.func.jacfwd(lambda x: A @ x)(X))
    same(torch.func.grad(lambda x: (plan @ x).sum())(X), torch.func.grad(lambda x: (A @ x).sum())(X))
    batch = library.array(random_array((4, *X.shape), "float64", rng))
    same(torch.func.vmap(product)(batch), A @ batch if columns else batch @ A.T)
    found = torch.func.vmap(product, in_dims=1, out_dims=1)(batch.movedim(0, 1))
    same(found, (A @ batch if columns else batch @ A.T).movedim(0, 1))


def test_traces(library: Library) -> None:
    """A trace has the product, or the product throws: nothing is computed without it."""
    torch = torch_library(library)
    import tessera.torch
    from torch.fx.experimental.proxy_tensor import make_fx

    matrix = random_matrix((9, 7))
    plan = matrix.plan(library)
    X, other = (library.array(random_array((7, 2), "float64", np.random.default_rng(i))) for i in (1, 2))
    traced = torch.jit.trace(lambda x: plan @ x, X)
    expect_product(library.numpy(traced(other)), matrix.dense(), library.numpy(other))
    for product in (lambda x: plan @ x, lambda x: tessera.torch.spmm(plan, x)):
        for trace in (make_fx(product), lambda x, product=product: torch.func.linearize(product, x)):
            with pytest.raises(RuntimeError, match="PyTorch records its operations .* would miss this product"):
                trace(X)
