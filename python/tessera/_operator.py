# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans for SciPy's solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from ._plan import Plan


class PlanLinearOperator(LinearOperator):  # type: ignore[misc, unused-ignore]  # SciPy may have no stubs
    """A plan on the host as a LinearOperator: products with A and with its conjugate transpose.

    Vectors of another type are converted. A real plan multiplies complex vectors, too: their parts, as twice as many
    columns.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.dtype, plan.shape)
        self.plan = plan

    def _matmat(self, X: Any) -> Any:
        return _product(self.plan, np.asarray(X))

    def _matvec(self, x: Any) -> Any:
        return self._matmat(np.reshape(x, -1))

    def _rmatmat(self, X: Any) -> Any:
        return _product(self.plan.H, np.asarray(X))

    def _rmatvec(self, x: Any) -> Any:
        return self._rmatmat(np.reshape(x, -1))

    def _adjoint(self) -> PlanLinearOperator:
        return PlanLinearOperator(self.plan.H)

    def _transpose(self) -> PlanLinearOperator:
        return PlanLinearOperator(self.plan.T)


def _product(plan: Plan, X: np.ndarray[Any, Any]) -> Any:
    if np.iscomplexobj(X) and plan.dtype.kind != "c":
        columns = X.reshape(len(X), -1)
        parts = plan @ np.concatenate([columns.real, columns.imag], axis=1).astype(plan.dtype)
        half = columns.shape[1]
        return (parts[:, :half] + 1j * parts[:, half:]).reshape(-1, *X.shape[1:])
    return plan @ X.astype(plan.dtype, copy=False)
