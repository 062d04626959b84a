# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of plans: those of PlanOptions, PlanHints and FormatParameters in C++."""

from __future__ import annotations

from difflib import get_close_matches
from numbers import Integral
from typing import Any, TypedDict


class PlanOptions(TypedDict, total=False):
    """The keyword arguments of make_plan(). All are optional; docs/api/plan_options.md describes each."""

    #: Columns of X in a typical product; 0 if unknown.
    num_vectors: int
    #: Whether typical X and Y are column-major (Fortran order).
    layout_left: bool
    #: Number of products; 0 if unknown. If it is known, make_plan() builds at once what pays.
    expected_products: int
    #: Whether X and Y may have 16 bits; only for float32 plans.
    half_vectors: bool
    #: Whether the plan may read the indices of A in place. It then keeps A's arrays, which must not change.
    shares_pattern: bool
    #: Whether the plan may read the values of A in place. It then keeps A's arrays.
    shares_values: bool
    #: Whether the indices of A are trusted. Products read outside of X if they are wrong.
    trusts_pattern: bool
    #: Whether a column alone has the bits that it has among others.
    same_bits_alone: bool
    #: auto, csr, bittcf, bmat, brp, bcsr, sorted_columns, staged, row_groups or compact_rows.
    format: str
    #: native, tf32x3, tf32, bf16 or fp16.
    precision: str
    #: auto, search, none, degree, columns, affinity, jaccard, windows or local_clusters.
    reordering: str
    #: Whether the order is used even if it is predicted not to be faster.
    always_reorder: bool
    #: auto or published.
    kernel: str
    #: throw or fall_back.
    on_unsupported: str
    #: predict, measure or adaptive.
    tuning: str
    #: A file that stores measured choices.
    tuning_file: str
    #: Upper bound on the bytes that the plan uses.
    memory_limit: int
    brp_nonzeros_per_column: int
    brp_tiles_per_group: int
    bcsr_block_rows: int
    bcsr_block_columns: int
    sorted_columns_width: int
    sorted_columns_height: int
    staged_chunk_values: int
    staged_piece_chunks: int
    group_rows: int


def _check_type(name: str, wanted: Any, value: Any) -> None:
    """Rejects a number given as a text, and the like. `wanted` is int, bool or str, or its name."""
    is_of = {"int": isinstance(value, Integral) and not isinstance(value, bool), "bool": isinstance(value, bool)}
    kind = getattr(wanted, "__forward_arg__", getattr(wanted, "__name__", wanted))
    if is_of.get(kind, True):
        return
    raise TypeError(f"tessera.make_plan: {name} is {value!r}; expected {'an int' if kind == 'int' else 'a bool'}")


def text_of(options: PlanOptions) -> tuple[str, str]:
    """Returns the options as C++ reads them (parse_plan_options), and the tuning file, whose name may have commas."""
    known = PlanOptions.__annotations__
    parts = []
    for name, value in options.items():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}? The options are" if near else "expected one of"
            raise TypeError(f"tessera.make_plan: there is no option {name!r}; {hint} {', '.join(known)}")
        if value is None or name == "tuning_file":
            continue
        _check_type(name, known[name], value)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if "," in text or "=" in text:
            raise ValueError(f"tessera.make_plan: {name} is {text!r}; expected a number or a name")
        parts.append(f"{name}={text}")
    return ", ".join(parts), str(options.get("tuning_file") or "")
