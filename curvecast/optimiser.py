"""Adam for vectors and the ends of the network, orthogonalised momentum ("Muon") for the matrices inside.

An update of a matrix is replaced by the nearest matrix whose singular values are all about 1, so that rare directions
learn as fast as common ones. torch.optim.Muon does this in bfloat16, which is slow on most CPUs, and knows only
matrices; this is the same in float32 with Adam beside it, in one optimiser whose state is plain tensors.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn


class MuonAdam(torch.optim.Optimizer):
    def __init__(self, net: nn.Module, lr: float, matrix_lr: float, beta2: float):
        inside = [p for name, p in net.named_parameters() if name.startswith("layers.") and p.ndim == 2]
        chosen = {id(p) for p in inside}
        rest = [p for p in net.parameters() if id(p) not in chosen]
        groups: Iterable[dict[str, Any]] = [{"params": inside, "lr": matrix_lr}, {"params": rest, "lr": lr}]
        super().__init__(groups, {"beta2": beta2})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override] # no closure here
        matrices, rest = self.param_groups
        for p in matrices["params"]:
            state = self.state[p]
            momentum = state.setdefault("momentum", torch.zeros_like(p)).mul_(0.95).add_(p.grad)
            size = (
                max(1.0, p.shape[0] / p.shape[1]) ** 0.5
            )  # so that outputs of tall and flat ones move alike
            p.sub_(orthogonalised(p.grad + 0.95 * momentum), alpha=matrices["lr"] * size)
        for p in rest["params"]:
            self._adam(p, rest["lr"], rest["beta2"])

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
        flat = 3.4445 * flat + (-4.7750 * gram + 2.0315 * gram @ gram) @ flat
    return flat if g.shape[0] <= g.shape[1] else flat.T
