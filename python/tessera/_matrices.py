# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse matrices of SciPy, CuPy and PyTorch as compressed rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _tessera
from ._kinds import kind_of

#: Types of values, and their names among the options of a build.
_TYPES = {"float32": "float", "float64": "double", "complex64": "complex_float", "complex128": "complex_double"}


class CompressedRows(NamedTuple):
    """Arrays of a matrix. `values` are those that update_values() replaces."""

    row_offsets: Any
    column_indices: Any
    values: Any
    shape: tuple[int, int]


def compressed_rows(A: Any, shape: tuple[int, int] | None) -> CompressedRows:
    """Returns the arrays of a matrix in compressed rows. Its own library converts other formats."""
    arrays = _arrays_of(A, shape)
    _check_values(arrays.values)
    return arrays


def _arrays_of(A: Any, shape: tuple[int, int] | None) -> CompressedRows:
    if isinstance(A, tuple):
        if len(A) != 3 or shape is None:
            raise TypeError("tessera.make_plan: A is a tuple; expected (values, columns, row_offsets) and shape=")
        values, column_indices, row_offsets = A
        return CompressedRows(row_offsets, column_indices, values, _shape(shape))
    if not hasattr(A, "shape"):
        raise _no_matrix(A)
    if shape is not None and tuple(shape) != tuple(A.shape):
        raise ValueError(f"tessera.make_plan: shape is {shape}, and A is {tuple(A.shape)}; expected the same")
    if hasattr(A, "crow_indices") or hasattr(A, "to_sparse_csr"):
        return _of_torch(A)
    if hasattr(A, "tocsr"):
        csr = A if A.format == "csr" else A.tocsr()
        return CompressedRows(csr.indptr, csr.indices, csr.data, _shape(csr.shape))
    raise _no_matrix(A)


def _no_matrix(A: Any) -> TypeError:
    return TypeError(
        f"tessera.make_plan: A is of the type {type(A).__qualname__}; expected a sparse matrix of SciPy, CuPy or "
        "PyTorch, or the tuple (values, columns, row_offsets) and shape="
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
    if not isinstance(shape, Sequence) or len(shape) != 2:
        raise ValueError(f"tessera.make_plan: the shape of A is {shape}; expected (rows, columns)")
    rows, columns = (int(extent) for extent in shape)
    return rows, columns


def _built_scalars() -> list[str]:
    scalars = _tessera.version()["scalars"]
    return scalars if isinstance(scalars, list) else []


def _check_values(values: Any) -> None:
    """Rejects types that no plan has, or this build has not, with what to do."""
    name = str(getattr(values, "dtype", "")).rsplit(".", 1)[-1]
    if not name:
        return  # the extension knows the types of other arrays
    if name not in _TYPES:
        raise TypeError(
            f"tessera.make_plan: the values of A have the type {name}; expected float32, float64, complex64 or "
            'complex128: for instance A.astype("float64")'
        )
    built = [type_ for type_, scalar in _TYPES.items() if scalar in _built_scalars()]
    if name not in built:
        raise TypeError(
            f"tessera.make_plan: the values of A have the type {name}, and this tessera was built for "
            f"{', '.join(built)}; expected one of these, or a build with {_TYPES[name]} among TESSERA_SCALARS"
        )


def is_sparse(A: Any) -> bool:
    """Returns whether make_plan() takes it."""
    return hasattr(A, "tocsr") or (kind_of(A).name == "torch" and str(A.layout) != "torch.strided")
