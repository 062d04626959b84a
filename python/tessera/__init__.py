# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tessera: sparse matrix times dense multivector, on hosts and GPUs.

    plan = tessera.make_plan(A, num_vectors=32)  # A: a sparse matrix of SciPy, CuPy or PyTorch
    Y = plan @ X
"""

from __future__ import annotations

from typing import Any

from . import _tessera
from ._options import PlanOptions
from ._plan import Plan, load_plan, make_plan, spmm
from ._solve import BlockCgResult, block_cg

__version__ = str(_tessera.version()["version"])
__all__ = ["BlockCgResult", "Plan", "PlanOptions", "block_cg", "load_plan", "make_plan", "spmm", "version"]


def version() -> dict[str, Any]:
    """Returns the version of Tessera and the options that it was built with: those of Tessera::version() in C++."""
    return dict(_tessera.version())
