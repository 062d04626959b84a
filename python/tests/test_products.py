# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of every type, order, shape and mode, and what is copied."""

from __future__ import annotations

import importlib
import itertools
from typing import Any

import numpy as np
import pytest
from conftest import DTYPES, Library, Matrix, expect_product, op, random_array, random_matrix

import tessera

MODES = ["none", "transpose", "conjugate", "conjugate_transpose"]


def x_for(matrix: Matrix, mode: str, columns: int | None, dtype: str, order: Any = "C") -> np.ndarray[Any, Any]:
    rows = matrix.shape[0] if "transpose" in mode else matrix.shape[1]
    shape = (rows,) if columns is None else (rows, columns)
    return np.asarray(random_array(shape, dtype, np.random.default_rng(7)), order=order)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("mode", MODES)
def test_every_type_and_mode(library: Library, dtype: str, index: str, mode: str) -> None:
    matrix = random_matrix((70, 50), dtype, index)
    plan = matrix.plan(library)
    for columns, order in itertools.product([None, 1, 2, 7, 8, 33], "CF"):
        X = x_for(matrix, mode, columns, dtype, order)
        Y = tessera.spmm(plan, library.array(X), mode=mode)
        assert library.owns(Y)
        expect_product(library.numpy(Y), op(matrix.dense(), mode), X)


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_and_out(library: Library, dtype: str) -> None:
    matrix = random_matrix((40, 30), dtype)
    plan = matrix.plan(library)
    X, Y = x_for(matrix, "none", 5, dtype), random_array((40, 5), dtype, np.random.default_rng(3))
    alpha, beta = (2 - 1j, -0.5 + 1j) if dtype.startswith("c") else (2, -0.5)
    for order in "CF":
        out = library.array(np.asarray(Y, order=order))
        assert tessera.spmm(plan, library.array(X), out, alpha=alpha, beta=beta) is out
        expect_product(library.numpy(out), matrix.dense(), X, alpha, beta, Y)


def test_out_is_not_read_with_beta_0(library: Library) -> None:
    matrix = random_matrix((40, 30))
    X = x_for(matrix, "none", 3, "float64")
    out = library.array(np.full((40, 3), np.nan))
    tessera.spmm(matrix.plan(library), library.array(X), out)
    expect_product(library.numpy(out), matrix.dense(), X)


def test_results_have_the_order_of_x(library: Library) -> None:
    matrix = random_matrix((40, 30))
    plan = matrix.plan(library)
    for order, name in (("C", "c_contiguous"), ("F", "f_contiguous")):
        Y = plan @ library.array(x_for(matrix, "none", 4, "float64", order))
        if library.name == "torch":
            assert (Y if order == "C" else Y.t()).is_contiguous()
        else:
            assert getattr(Y.flags, name)


def test_views_are_read_and_written_in_place(library: Library) -> None:
    matrix = random_matrix((40, 30))
    plan = matrix.plan(library)
    big_x, big_y = random_array((60, 12), "float64", np.random.default_rng(2)), np.zeros((120, 10))
    x, y = library.array(big_x), library.array(big_y)
    out = y[::3, 1:9:2]
    tessera.spmm(plan, x[::2, ::3], out)
    expect_product(library.numpy(y)[::3, 1:9:2], matrix.dense(), big_x[::2, ::3])
    untouched = library.numpy(y).copy()
    untouched[::3, 1:9:2] = 0
    assert not untouched.any()
    tessera.spmm(plan, x[::2, 4], y[1::3, 9])
    expect_product(library.numpy(y)[1::3, 9], matrix.dense(), big_x[::2, 4])


def test_x_that_cannot_be_read_in_place_is_copied() -> None:
    matrix = random_matrix((40, 30))
    plan = matrix.plan(Library("numpy", False))
    X = random_array((30, 4), "float64", np.random.default_rng(5))
    unaligned = np.zeros(30, dtype=[("skip", "u1"), ("x", "f8")])
    unaligned["x"] = X[:, 0]
    for x in (X[::-1], X[:, ::-1], np.broadcast_to(X[:, :1], (30, 6)), np.broadcast_to(X[:1], (30, 4)), unaligned["x"]):
        expect_product(plan @ x, matrix.dense(), np.array(x))
    for out in (np.zeros((40, 4))[::-1], np.zeros((40, 8))[:, ::-2]):
        with pytest.raises(ValueError, match="out has negative strides"):
            tessera.spmm(plan, X, out)
        assert not out.any()


def test_lazy_tensors_of_torch(library: Library) -> None:
    """DLPack does not know that a tensor stands for the conjugate or the negative of its memory."""
    if library.name != "torch":
        pytest.skip("not PyTorch")
    matrix = random_matrix((40, 30))
    plan = matrix.plan(library)
    X = random_array((30, 4), "complex128", np.random.default_rng(5))
    negative = library.array(X).conj().imag
    assert negative.is_neg()
    expect_product(library.numpy(plan @ negative), matrix.dense(), -X.imag)
    with pytest.raises(ValueError, match="out is a lazy conjugate or negative"):
        tessera.spmm(plan, negative, library.array(np.zeros((40, 4), "complex128")).conj().imag)
    values = library.array(matrix.values * -1j).conj().imag
    arrays = (values, library.array(matrix.columns), library.array(matrix.offsets))
    ones = np.ones((30, 1))
    expect_product(
        library.numpy(tessera.make_plan(arrays, shape=matrix.shape) @ library.array(ones)), matrix.dense(), ones
    )
    if "complex128" in DTYPES:
        matrix = random_matrix((40, 30), "complex128")
        conjugate = library.array(X).conj()
        assert conjugate.is_conj()
        expect_product(library.numpy(matrix.plan(library) @ conjugate), matrix.dense(), X.conj())


def test_tensors_of_torch_that_are_not_arrays(library: Library) -> None:
    if library.name != "torch":
        pytest.skip("not PyTorch")
    torch = importlib.import_module("torch")
    matrix = random_matrix((40, 30))
    plan = matrix.plan(library)
    X = library.array(random_array((30, 4), "float64", np.random.default_rng(5)))
    for sparse in (X.to_sparse_csr(), X.to_sparse()):
        with pytest.raises((TypeError, ValueError), match=r"tessera.spmm: X .*(expected a dense one|torch.strided)"):
            plan @ sparse
    with pytest.raises(ValueError, match="tessera.spmm: X cannot be read through DLPack") as caught:
        tessera.spmm(plan, X.to("meta"), library.array(np.zeros((40, 4))))
    assert "\n" not in str(caught.value)
    if not library.on_gpu:
        odd = torch.frombuffer(bytearray(30 * 8 + 3), dtype=torch.float64, offset=3)
        odd[:] = X[:, 0]
        expect_product(library.numpy(plan @ odd), matrix.dense(), library.numpy(X)[:, 0])


def test_out_must_not_require_a_gradient(library: Library) -> None:
    if library.name != "torch":
        pytest.skip("not PyTorch")
    matrix = random_matrix((40, 30))
    out = library.array(np.zeros((40, 2))).requires_grad_()
    with pytest.raises(ValueError, match=r"out .*(gradient|grad)"):
        tessera.spmm(matrix.plan(library), library.array(np.ones((30, 2))), out)
    assert not out.detach().any()


def test_read_only_x(library: Library) -> None:
    matrix = random_matrix((40, 30))
    X = x_for(matrix, "none", 4, "float64")
    X.flags.writeable = False
    expect_product(matrix.plan(Library("numpy", False)) @ X, matrix.dense(), X)
    out = np.zeros((40, 4))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        tessera.spmm(matrix.plan(Library("numpy", False)), X, out)


class Interface:
    """An object that only an array interface describes."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.__array_interface__ = array.__array_interface__
        self.kept = array


class DlpackOnly:
    """An object that only DLPack describes."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array, self.shape = array, array.shape

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Exported(DlpackOnly):
    """An object whose memory exists only as long as what it exports."""

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.array.copy(order="K").__dlpack__(**arguments)


def test_exported_memory_is_kept_during_a_product() -> None:
    matrix = random_matrix((40, 30))
    X = x_for(matrix, "none", 8192, "float64")  # 2 MB, which free() gives back to the system
    expect_product(matrix.plan(Library("numpy", False)) @ Exported(X), matrix.dense(), X)


@pytest.mark.parametrize("wrap", [Interface, DlpackOnly, memoryview])
@pytest.mark.parametrize("order", ["C", "F"])
def test_other_arrays(wrap: Any, order: Any) -> None:
    matrix = random_matrix((40, 30))
    plan = matrix.plan(Library("numpy", False))
    X = x_for(matrix, "none", 3, "float64", order)
    Y = plan @ wrap(X)
    assert type(Y) is np.ndarray
    expect_product(Y, matrix.dense(), X)
    out = np.full((40, 3), np.nan, order=order)
    tessera.spmm(plan, X, wrap(out))
    expect_product(out, matrix.dense(), X)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1), (1, 40), (40, 1)])
def test_small_shapes(library: Library, shape: tuple[int, int]) -> None:
    matrix = random_matrix(shape, mean=1)
    plan = matrix.plan(library)
    assert plan.shape == shape
    for mode, columns in itertools.product(MODES, [None, 0, 1, 3]):
        X = x_for(matrix, mode, columns, "float64")
        Y = tessera.spmm(plan, library.array(X), mode=mode)
        expect_product(library.numpy(Y), op(matrix.dense(), mode), X)


def test_transposed_views(library: Library) -> None:
    dtype = "complex128" if "complex128" in DTYPES else "float64"
    matrix = random_matrix((40, 30), dtype)
    plan = matrix.plan(library, transpose=True, num_vectors=3)
    views = {"none": plan.T.T, "transpose": plan.T, "conjugate": plan.conj(), "conjugate_transpose": plan.H}
    for mode, view in views.items():
        assert view.mode == mode
        assert view.shape == op(matrix.dense(), mode).shape
        X = x_for(matrix, mode, 3, dtype)
        expect_product(library.numpy(view @ library.array(X)), op(matrix.dense(), mode), X)
    X = x_for(matrix, "none", 3, dtype)
    expect_product(library.numpy(tessera.spmm(plan.H, library.array(X), mode="conjugate_transpose")), matrix.dense(), X)


@pytest.mark.skipif(not {"float32", "float64"} <= set(DTYPES), reason="this tessera lacks a type")
def test_float32_plans_take_float64(library: Library) -> None:
    matrix = random_matrix((40, 30), "float32")
    X = x_for(matrix, "none", 3, "float64")
    Y = matrix.plan(library) @ library.array(X)
    assert str(Y.dtype).endswith("float64")
    expect_product(library.numpy(Y), matrix.dense(), X)


@pytest.mark.skipif("float32" not in DTYPES, reason="this tessera lacks float32")
def test_half_vectors() -> None:
    matrix = random_matrix((40, 30), "float32")
    plan = matrix.plan(Library("numpy", False), half_vectors=True)
    X = x_for(matrix, "none", 3, "float16")
    Y = plan @ X
    assert Y.dtype == np.float16
    exact = (matrix.dense() @ X.astype(np.longdouble)).astype("float64")
    assert (abs(Y - exact) <= abs(exact) * 2.0**-10 + 2.0**-14).all()


def test_formats(library: Library) -> None:
    matrix = random_matrix((90, 80), mean=9)
    for name in ("csr", "bcsr", "row_groups", "compact_rows", "staged"):
        plan = matrix.plan(library, format=name, num_vectors=4)
        assert plan.stats()["format"] == name
        X = x_for(matrix, "none", 4, "float64")
        expect_product(library.numpy(plan @ library.array(X)), matrix.dense(), X)
