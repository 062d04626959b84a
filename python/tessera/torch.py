# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products that PyTorch differentiates."""

from __future__ import annotations

from typing import Any

import torch

from ._plan import _MODES, Plan
from ._plan import spmm as _spmm


class _Spmm(torch.autograd.Function):  # type: ignore[misc, unused-ignore]  # PyTorch may not be there
    """Y = op(A) X. The gradient of X is op(A)^H times that of Y: a product of the same plan, differentiable again."""

    @staticmethod
    def forward(ctx: Any, plan: Plan, X: torch.Tensor) -> Any:
        ctx.plan = plan
        return _spmm(plan, X.detach())

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return None, spmm(ctx.plan.H, grads[0])


def spmm(plan: Plan, X: torch.Tensor, *, mode: str = "none") -> torch.Tensor:
    """Computes op(A) X, and its gradient in X. The values of A are constants.

    X, the result and errors are those of tessera.spmm(). The first backward pass builds the transpose, unless the plan
    was made with transpose=True.
    """
    if mode not in _MODES:
        raise ValueError(f"tessera.torch.spmm: mode is {mode!r}; expected one of {', '.join(_MODES)}")
    result: torch.Tensor = _Spmm.apply(Plan(plan._core, plan._mode ^ _MODES[mode], plan._kept), X)
    return result
