# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products that PyTorch differentiates."""

from __future__ import annotations

from typing import Any

import torch

from ._kinds import TORCH, reject_proxies
from ._plan import _MODES, Plan, multiply


class _Spmm(torch.autograd.Function):  # type: ignore[misc, unused-ignore]  # PyTorch may not be there
    """Y = op(A) X. The gradient of X is op(A)^H times that of Y, and the tangent of Y is op(A) times that of X.

    These are products of the same plan, and can be differentiated again.
    """

    @staticmethod
    def forward(plan: Plan, X: torch.Tensor) -> Any:
        return multiply(plan._core, plan._mode, X.detach(), None, TORCH, 1, 0, None)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Plan, torch.Tensor], output: Any) -> None:
        ctx.plan = inputs[0]

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return None, spmm(ctx.plan.H, grads[0])

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return spmm(ctx.plan, tangents[1])

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, int], plan: Plan, X: torch.Tensor) -> Any:
        """Multiplies a batch of X by one product, whose columns are those of all."""
        columns = X.movedim(in_dims[1], -1)
        Y = spmm(plan, columns.flatten(1))
        return Y.reshape(Y.shape[0], *columns.shape[1:]), columns.dim() - 1


def spmm(plan: Plan, X: torch.Tensor, *, mode: str = "none") -> torch.Tensor:
    """Computes op(A) X, and its derivatives in X. The values of A are constants.

    Backward and forward derivatives, and transforms of torch.func such as vmap, take it. X, the result and errors are
    those of tessera.spmm(). The first backward pass builds the transpose, unless the plan was made with transpose=True.

    Raises RuntimeError where PyTorch would record its operations without the product (make_fx, torch.export).
    """
    if mode not in _MODES:
        raise ValueError(f"tessera.torch.spmm: mode is {mode!r}; expected one of {', '.join(_MODES)}")
    reject_proxies()
    result: torch.Tensor = _Spmm.apply(Plan(plan._core, plan._mode ^ _MODES[mode], plan._kept), X)
    return result
