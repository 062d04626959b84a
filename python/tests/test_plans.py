# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What plans are made of, what they tell, new values, files and errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DTYPES, Library, expect_product, random_array, random_matrix

import tessera
from tessera import _tessera
from tessera._matrices import _TYPES
from tessera._options import text_of

NUMPY = Library("numpy", False)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_scipy_formats(format: str, kind: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    A = random_matrix((40, 30)).scipy()
    A = (A if kind == "array" else sparse.csr_matrix(A)).asformat(format)
    plan = tessera.make_plan(A)
    X = np.random.default_rng(1).uniform(-1, 1, (30, 3))
    expect_product(plan @ X, A.toarray().astype(np.longdouble), X)
    assert (plan.shape, plan.dtype, plan.nnz) == ((40, 30), np.float64, A.tocsr().nnz)


def test_scipy_transpose_and_slices() -> None:
    A = random_matrix((40, 30)).scipy()
    X = np.random.default_rng(1).uniform(-1, 1, (40, 3))
    expect_product(tessera.make_plan(A.T) @ X, A.T.toarray().astype(np.longdouble), X)
    expect_product(tessera.make_plan(A[5:20]) @ X[:30], A[5:20].toarray().astype(np.longdouble), X[:30])


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_torch_matrices(library: Library, index: str) -> None:
    if library.name != "torch":
        pytest.skip("not PyTorch")
    import torch

    matrix = random_matrix((40, 30), index=index)
    arrays = [library.array(a) for a in (matrix.offsets, matrix.columns, matrix.values)]
    A = torch.sparse_csr_tensor(*arrays, size=matrix.shape)
    X = np.random.default_rng(1).uniform(-1, 1, (30, 3))
    for given in (A, A.to_sparse_coo(), A.to_sparse_csc()):
        expect_product(library.numpy(tessera.make_plan(given) @ library.array(X)), matrix.dense(), X)
    with pytest.raises(TypeError, match="A is a dense tensor"):
        tessera.make_plan(A.to_dense())


def test_cupy_matrices(library: Library) -> None:
    if library.name != "cupy":
        pytest.skip("not CuPy")
    from cupyx.scipy import sparse

    matrix = random_matrix((40, 30))
    arrays = tuple(library.array(a) for a in (matrix.values, matrix.columns, matrix.offsets))
    A = sparse.csr_matrix(arrays, matrix.shape)
    X = np.random.default_rng(1).uniform(-1, 1, (30, 3))
    for given in (A, A.tocsc(), A.tocoo()):
        expect_product(library.numpy(tessera.make_plan(given) @ library.array(X)), matrix.dense(), X)


def test_duplicates_are_summed(library: Library) -> None:
    arrays = (np.array([1.0, 2, 4, 8]), np.array([2, 2, 0, 1], "int32"), np.array([0, 3, 4], "int32"))
    plan = tessera.make_plan(tuple(map(library.array, arrays)), shape=(2, 3))
    assert plan.nnz == 3
    assert library.numpy(plan @ library.array(np.array([1.0, 10, 100]))).tolist() == [304, 80]


def test_the_plan_copies_the_matrix(library: Library) -> None:
    matrix = random_matrix((40, 30))
    arrays = [library.array(a) for a in (matrix.values, matrix.columns, matrix.offsets)]
    plan = tessera.make_plan(tuple(arrays), shape=matrix.shape)
    for array in arrays:
        array[...] = 0
    del arrays, array
    X = np.random.default_rng(1).uniform(-1, 1, (30, 3))
    expect_product(library.numpy(plan @ library.array(X + 0)), matrix.dense(), X)


def test_a_plan_that_shares_keeps_the_arrays(library: Library) -> None:
    rng = np.random.default_rng(1)
    matrix = random_matrix((2000, 2000))
    order = np.lexsort((matrix.columns, np.repeat(np.arange(2000), np.diff(matrix.offsets))))
    arrays = [library.array(a) for a in (matrix.values[order], matrix.columns[order], matrix.offsets)]
    plan = tessera.make_plan(tuple(arrays), shape=matrix.shape, shares_pattern=True, shares_values=True)
    del arrays
    rubbish = [library.array(rng.uniform(-1, 1, len(matrix.values))) for _ in range(20)]
    X = rng.uniform(-1, 1, (2000, 3))
    expect_product(library.numpy(plan @ library.array(X)), matrix.dense(), X)
    del rubbish


@pytest.mark.parametrize("gaps", ["values", "columns", "offsets"])
def test_a_plan_does_not_share_what_was_copied(library: Library, gaps: str) -> None:
    rows = 20000
    arrays = {
        "values": np.ones(4 * rows),
        "columns": np.tile(np.arange(4, dtype="int32"), rows),
        "offsets": np.arange(0, 4 * rows + 1, 4, dtype="int32"),
    }
    given = {name: library.array(a) for name, a in arrays.items()}
    given[gaps] = library.array(np.repeat(arrays[gaps], 2))[::2]
    plan = tessera.make_plan(tuple(given.values()), shape=(rows, 4), shares_pattern=True, shares_values=True)
    rubbish = [library.array(np.full(4 * rows, 7, a.dtype)) for a in arrays.values() for _ in range(5)]
    assert (library.numpy(plan @ library.array(np.arange(8.0).reshape(4, 2))) == [12, 16]).all()
    del rubbish


@pytest.mark.parametrize("dtype", DTYPES)
def test_new_values(library: Library, dtype: str) -> None:
    matrix = random_matrix((40, 30), dtype)
    plan = matrix.plan(library, transpose=True)
    rng = np.random.default_rng(9)
    X = random_array((30, 3), dtype, rng)
    values = random_array(matrix.values.shape, dtype, rng)
    plan.update_values(library.array(values))
    changed = type(matrix)(values, matrix.columns, matrix.offsets, matrix.shape)
    expect_product(library.numpy(plan @ library.array(X)), changed.dense(), X)
    X = random_array((40, 3), dtype, rng)
    expect_product(library.numpy(plan.T @ library.array(X)), changed.dense().T, X)
    plan.update_values(library.array(np.repeat(matrix.values, 2))[::2])
    expect_product(library.numpy(plan.T @ library.array(X)), matrix.dense().T, X)


def test_wrong_values() -> None:
    plan = random_matrix((40, 30)).plan(NUMPY)
    with pytest.raises(ValueError, match="values"):
        plan.update_values(np.ones(3))
    with pytest.raises(TypeError, match="values is int64; expected float64"):
        plan.update_values(np.ones(plan.nnz, "int64"))
    plan.release_source()
    with pytest.raises(RuntimeError, match="release_source"):
        plan.update_values(np.ones(plan.nnz))


def test_explain_and_stats() -> None:
    plan = random_matrix((40, 30)).plan(NUMPY, num_vectors=12)
    assert plan.explain().startswith(f"Plan for 40 x 30, {plan.nnz} nonzeros, 12 columns of X")
    stats = plan.stats()
    assert (stats["rows"], stats["columns"], stats["nonzeros"], stats["num_vectors"]) == (40, 30, plan.nnz, 12)
    plan @ np.ones((30, 2))
    assert plan.stats()["products"] == stats["products"] + 1
    assert plan.nbytes == plan.stats()["bytes"]["total"]
    assert repr(plan) == f"<tessera.Plan 40 x 30, {plan.nnz} nonzeros, float64, on the host, mode none>"


def test_every_option_is_known() -> None:
    with pytest.raises(ValueError, match="expected one of") as error:
        _tessera.make_plan(np.zeros(1, "i4"), np.zeros(0, "i4"), np.zeros(0), 0, 0, "nothing=1", "", 0, False)
    known = set(str(error.value).partition("expected one of ")[2].split(", "))
    assert known - {"follow_values"} == set(tessera.PlanOptions.__annotations__)
    A = random_matrix((4, 3))
    with pytest.raises(TypeError, match="no option 'num_vector'; did you mean 'num_vectors'"):
        A.plan(NUMPY, num_vector=3)
    with pytest.raises(TypeError, match="num_vectors is '3'; expected an int"):
        A.plan(NUMPY, num_vectors="3")
    with pytest.raises(TypeError, match="layout_left is 1; expected a bool"):
        A.plan(NUMPY, layout_left=1)
    with pytest.raises(TypeError, match="there is no option 'zzz'; expected one of num_vectors"):
        A.plan(NUMPY, zzz=1)
    with pytest.raises(ValueError, match='format is "fast"; expected one of auto, csr'):
        random_matrix((4, 3)).plan(NUMPY, format="fast")
    with pytest.raises(ValueError, match="format is 'csr, kernel=auto'; expected a number or a name"):
        random_matrix((4, 3)).plan(NUMPY, format="csr, kernel=auto")
    assert text_of({"num_vectors": 3, "shares_pattern": True, "tuning_file": "a,b"}) == (
        "num_vectors=3, shares_pattern=true",
        "a,b",
    )


def test_tuning_file(tmp_path: Path) -> None:
    path = tmp_path / "a, b.tsv"
    random_matrix((400, 300)).plan(NUMPY, tuning="measure", tuning_file=str(path), num_vectors=4)
    assert path.read_text()


def test_memory_limit() -> None:
    with pytest.raises(MemoryError, match="memory_limit allows 100; expected a larger limit"):
        random_matrix((40, 30)).plan(NUMPY, memory_limit=100)


def test_files(library: Library, tmp_path: Path) -> None:
    matrix = random_matrix((40, 30))
    path = tmp_path / "plan.bin"
    matrix.plan(library).save(path)
    plan = tessera.load_plan(path, "float64", device=0 if library.on_gpu else None)
    X = np.random.default_rng(1).uniform(-1, 1, (30, 3))
    expect_product(library.numpy(plan @ library.array(X)), matrix.dense(), X)
    with pytest.raises(RuntimeError, match="absent"):
        tessera.load_plan(tmp_path / "absent")
    if "float32" in DTYPES:
        with pytest.raises(ValueError, match="plan.bin"):
            tessera.load_plan(path, "float32")
    with pytest.raises(TypeError, match="dtype is int32; expected float32"):
        tessera.load_plan(path, "int32")


MATRIX = random_matrix((40, 30))


def csr(**changes: Any) -> Any:
    parts = {"values": MATRIX.values, "columns": MATRIX.columns, "offsets": MATRIX.offsets, "shape": (40, 30)} | changes
    return tessera.make_plan((parts["values"], parts["columns"], parts["offsets"]), shape=parts["shape"])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"values": MATRIX.values.astype("int64")}, TypeError, r"values of A have the type int64; .* A.astype\("),
        ({"values": MATRIX.values.astype("longdouble")}, TypeError, "have the type .*128; expected float32"),
        ({"values": MATRIX.values.astype(">f8")}, TypeError, "values of A have the type >f8; expected float32"),
        ({"shape": 50}, ValueError, r"the shape of A is 50; expected \(rows, columns\)"),
        ({"shape": (1, 1, 1)}, ValueError, r"the shape of A is \(1, 1, 1\); expected \(rows, columns\)"),
        ({"values": MATRIX.values[:-1]}, ValueError, "column indices and .* values; expected the same number"),
        ({"columns": MATRIX.columns.astype("uint32")}, TypeError, "column indices of A is uint32"),
        ({"columns": MATRIX.columns.astype("float64")}, TypeError, "column indices of A are float64; expected int32"),
        ({"columns": MATRIX.columns + 30}, ValueError, "column"),
        ({"columns": MATRIX.columns.astype("int64") + 2**32}, ValueError, "column indices of A are negative or above"),
        ({"columns": MATRIX.columns.reshape(1, -1)}, ValueError, "column indices of A has 2 dimensions; expected 1"),
        ({"offsets": MATRIX.offsets[:-1]}, ValueError, "there are 40 row offsets; expected rows [+] 1 = 41"),
        ({"offsets": MATRIX.offsets[::-1].copy()}, ValueError, "offset"),
        ({"shape": (40, 2**31)}, ValueError, "A is 40 x 2147483648; expected at most"),
        ({"shape": None}, TypeError, "A is a tuple; expected .* shape="),
    ],
)
def test_wrong_matrices(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        csr(**changes)


def test_types_of_other_builds() -> None:
    built = tessera.version()["scalars"]
    for dtype, scalar in _TYPES.items():
        if scalar in built:
            csr(values=MATRIX.values.astype(dtype))
        else:
            with pytest.raises(TypeError, match=f"have the type {dtype}, and this tessera was built for .*{scalar}"):
                csr(values=MATRIX.values.astype(dtype))


@pytest.mark.parametrize("A", [None, [1, 2, 3], 3])
def test_no_matrix(A: Any) -> None:
    with pytest.raises(TypeError, match="A is of the type .*; expected a sparse matrix"):
        tessera.make_plan(A, shape=(3, 3))


def test_wrong_array_interfaces() -> None:
    class Odd:
        def __init__(self, **changes: Any) -> None:
            self.memory = np.ones((30, 2))
            self.__array_interface__ = self.memory.__array_interface__ | changes

    plan = MATRIX.plan(NUMPY)
    for typestr in ("<", "<fx", ""):
        with pytest.raises(TypeError, match="typestr"):
            tessera.spmm(plan, Odd(typestr=typestr), np.ones((40, 2)))
    with pytest.raises(ValueError, match="X has 2 extents and 1 strides"):
        tessera.spmm(plan, Odd(strides=(16,)), np.ones((40, 2)))


def test_out_whose_rows_overlap() -> None:
    memory = np.zeros(42)
    out = np.lib.stride_tricks.as_strided(memory, (40, 2), (8, 8))
    with pytest.raises(ValueError, match="out has .*repeated elements"):
        tessera.spmm(MATRIX.plan(NUMPY), np.ones((30, 2)), out)
    assert (memory == 0).all()


def test_letters_of_modes() -> None:
    plan = MATRIX.plan(NUMPY)
    X = np.ones((40, 2))
    assert (tessera.spmm(plan, X, mode="T") == plan.T @ X).all()


def test_not_a_matrix() -> None:
    with pytest.raises(TypeError, match="A is of the type ndarray; expected a sparse matrix of SciPy, CuPy or PyTorch"):
        tessera.make_plan(np.eye(3))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"X": np.ones((3, 2))}, ValueError, "X has the shape (3, 2); expected (30,) or (30, k), because op(A) is"),
        ({"X": np.ones(31)}, ValueError, r"X has the shape (31,); expected (30,) or (30, k)"),
        ({"X": np.ones((30, 2, 2))}, ValueError, "X has 3 dimensions; expected 1 or 2"),
        ({"X": np.float64(1)}, ValueError, "X has 0 dimensions; expected 1 or 2"),
        ({"X": [1.0] * 30}, TypeError, "X is of the type list; expected an array"),
        ({"X": np.ones((30, 2), "int64")}, TypeError, "X is int64; expected float64, the type of the plan"),
        ({"X": np.ones((30, 2), "complex128")}, TypeError, "X is complex128; expected float64, the type of the plan"),
        ({"X": np.ones((30, 2), "bool")}, TypeError, "X is bool; expected float32, float64"),
        ({"out": np.ones((40, 3))}, ValueError, "out has the shape (40, 3); expected (40, 2)"),
        ({"out": np.ones(40)}, ValueError, "out has the shape (40,); expected (40, 2)"),
        ({"out": np.ones((40, 2), "float32")}, TypeError, "out is float32; expected float64, like X"),
        ({"alpha": 1j}, ValueError, "alpha has an imaginary part; expected a real number for a real plan"),
        ({"alpha": "2"}, TypeError, "alpha is '2'; expected a number"),
        ({"beta": 1}, ValueError, "beta is 1 and there is no out; expected out, or beta = 0"),
        ({"mode": "X"}, ValueError, "mode is 'X'; expected one of none, transpose, conjugate, conjugate_transpose, N"),
        ({"stream": "main"}, TypeError, "stream is 'main'; expected a stream of PyTorch or CuPy"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    plan = MATRIX.plan(NUMPY)
    before = arguments["out"].copy() if "out" in arguments else None
    with pytest.raises(error, match=re.escape(message)):
        tessera.spmm(plan, **({"X": np.ones((30, 2))} | arguments))
    if before is not None:
        assert (arguments["out"] == before).all()


def test_overlaps_are_rejected() -> None:
    plan = random_matrix((30, 30)).plan(NUMPY)
    both = np.ones((40, 2))
    with pytest.raises(ValueError, match="are the same memory, wholly or in part"):
        tessera.spmm(plan, both[:30], both[10:])
    assert (both == 1).all()


def test_rows_from_the_left_are_rejected() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        np.ones((2, 40)) @ MATRIX.plan(NUMPY)
    with pytest.raises(TypeError, match="plan is of the type ndarray; expected a tessera.Plan"):
        tessera.spmm(np.eye(3), np.ones(3))  # type: ignore[arg-type]


@pytest.mark.parametrize("other", ["numpy", "torch", "cupy"])
def test_the_device_of_x_must_be_the_plans(library: Library, other: str) -> None:
    from conftest import LIBRARIES

    for another in (a for a in LIBRARIES if a.name == other and a.on_gpu != library.on_gpu):
        plan = MATRIX.plan(library)
        with pytest.raises(ValueError, match="X is on .*; expected .*, where the plan is"):
            plan @ another.array(np.ones((30, 2)))
