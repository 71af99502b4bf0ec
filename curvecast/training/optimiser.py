"""Orthogonalised momentum ("Muon") for the matrices of the layers, Adam for all other parameters.

The update of a matrix is replaced by the nearest matrix whose singular values are all about 1, so that rare directions
learn as fast as common ones. torch.optim.Muon does this in bfloat16, which is slow on most CPUs, and handles only
matrices; this is the same in float32 together with Adam, in one optimiser whose state is plain tensors.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn


class MuonAdam(torch.optim.Optimizer):
    def __init__(self, net: nn.Module, lr: float, matrix_lr: float, beta2: float):
        matrices = [p for name, p in net.named_parameters() if name.startswith("layers.") and p.ndim == 2]
        matrix_ids = {id(p) for p in matrices}
        rest = [p for p in net.parameters() if id(p) not in matrix_ids]
        groups: Iterable[dict[str, Any]] = [{"params": matrices, "lr": matrix_lr}, {"params": rest, "lr": lr}]
        super().__init__(groups, {"beta2": beta2})

    def step(self, closure: None = None, map: Callable[..., Iterable[Any]] = map) -> None:  # type: ignore[override] # no closure: gradients are computed before
        """`map` may process several matrices in parallel."""
        matrices, rest = self.param_groups
        for _ in map(partial(self._muon, lr=matrices["lr"]), matrices["params"]):
            pass
        for p in rest["params"]:
            self._adam(p, rest["lr"], rest["beta2"])

    @torch.no_grad()
    def _muon(self, p: Tensor, lr: float) -> None:
        momentum = self.state[p].setdefault("momentum", torch.zeros_like(p)).mul_(0.95).add_(p.grad)
        size = max(1.0, p.shape[0] / p.shape[1]) ** 0.5  # outputs of tall and wide matrices change equally
        p.sub_(orthogonalised(p.grad + 0.95 * momentum), alpha=lr * size)

    @torch.no_grad()
    def _adam(self, p: Tensor, lr: float, beta2: float, beta1: float = 0.9) -> None:
        assert p.grad is not None
        state = self.state[p]
        if not state:
            state |= {"step": torch.zeros(()), "first": torch.zeros_like(p), "second": torch.zeros_like(p)}
        state["step"] += 1
        first = state["first"].lerp_(p.grad, 1 - beta1)
        second = state["second"].lerp_(p.grad.square(), 1 - beta2)
        unbiased = (second / (1 - beta2 ** state["step"].item())).sqrt_().add_(1e-8)
        p.addcdiv_(first, unbiased, value=-lr / (1 - beta1 ** state["step"].item()))


def orthogonalised(g: Tensor) -> Tensor:
    """Five Newton-Schulz steps towards U V' of g = U S V'. Coefficients: K. Jordan's quintic (2024)."""
    flat = g if g.shape[0] <= g.shape[1] else g.T  # (short, long)
    flat = flat / (flat.norm() + 1e-7)
    for _ in range(5):
        gram = flat @ flat.T  # (short, short)
        gram = torch.addmm(gram, gram, gram, beta=-4.7750, alpha=2.0315)
        flat = torch.addmm(flat, gram, flat, beta=3.4445)
    return flat if g.shape[0] <= g.shape[1] else flat.T
