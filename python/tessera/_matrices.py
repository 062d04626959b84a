# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse matrices of SciPy, CuPy and PyTorch as compressed rows."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._kinds import kind_of


class CompressedRows(NamedTuple):
    """Arrays of a matrix. `values` are those that update_values() replaces."""

    row_offsets: Any
    column_indices: Any
    values: Any
    shape: tuple[int, int]


def compressed_rows(A: Any, shape: tuple[int, int] | None) -> CompressedRows:
    """Returns the arrays of a matrix in compressed rows. Its own library converts other formats."""
    if isinstance(A, tuple):
        if len(A) != 3 or shape is None:
            raise TypeError("tessera.make_plan: A is a tuple; expected (values, columns, row_offsets) and shape=")
        values, column_indices, row_offsets = A
        return CompressedRows(row_offsets, column_indices, values, _shape(shape))
    if shape is not None and tuple(shape) != tuple(A.shape):
        raise ValueError(f"tessera.make_plan: shape is {shape}, and A is {tuple(A.shape)}; expected the same")
    if hasattr(A, "crow_indices") or hasattr(A, "to_sparse_csr"):
        return _of_torch(A)
    if hasattr(A, "tocsr"):
        csr = A if A.format == "csr" else A.tocsr()
        return CompressedRows(csr.indptr, csr.indices, csr.data, _shape(csr.shape))
    raise TypeError(
        f"tessera.make_plan: A is of the type {type(A).__qualname__}; expected a sparse matrix of SciPy, CuPy or "
        "PyTorch, or (values, columns, row_offsets) and shape="
    )


def _of_torch(A: Any) -> CompressedRows:
    layout = str(A.layout)
    if layout == "torch.strided":
        raise TypeError("tessera.make_plan: A is a dense tensor; expected a sparse one: A.to_sparse_csr()")
    csr = A if layout == "torch.sparse_csr" else A.to_sparse_csr()
    if csr.dim() != 2:
        raise ValueError(f"tessera.make_plan: A has {csr.dim()} dimensions; expected 2")
    return CompressedRows(csr.crow_indices(), csr.col_indices(), csr.values().detach(), _shape(csr.shape))


def _shape(shape: Any) -> tuple[int, int]:
    rows, columns = (int(extent) for extent in shape)
    return rows, columns


def is_sparse(A: Any) -> bool:
    """Returns whether make_plan() takes it."""
    return hasattr(A, "tocsr") or (kind_of(A).name == "torch" and str(A.layout) != "torch.strided")
