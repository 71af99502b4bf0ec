"""One training step: the gradients of the groups of a batch, their sum, and the update, by Adam or by Muon."""

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from curvecast.networks.heads import Network
from curvecast.networks.layer import Dropout
from curvecast.training.batches import Batch, TrainConfig, check, seed_of

# -----------------------------------------------------------------------------------------------------------
# Orthogonalised momentum ("Muon") for the matrices of the layers, Adam for all other parameters.
#
# The update of a matrix is replaced by the nearest matrix whose singular values are all about 1, so that rare directions
# learn as fast as common ones. torch.optim.Muon does this in bfloat16, which is slow on most CPUs, and handles only
# matrices; this is the same in float32 together with Adam, in one optimiser whose state is plain tensors.


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
    def _adam(self, p: Tensor, lr: float, beta2: float) -> None:
        beta1 = 0.9
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


class HalfBySingle(TorchDispatchMode):
    """Products in half precision on a processor without instructions for them: multiplied in single precision, then rounded.
    That is what torch does there as well, at a quarter of the speed."""

    PRODUCTS = frozenset(getattr(torch.ops.aten, name).default for name in ("mm", "addmm", "bmm", "baddbmm"))

    def __torch_dispatch__(self, operator: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        if operator not in self.PRODUCTS or args[0].dtype != torch.bfloat16:
            return operator(*args, **kwargs or {})
        return operator(*(factor.float() for factor in args), **kwargs or {}).bfloat16()


def multiplies_halves() -> bool:
    """Has this processor an instruction for products in half precision?"""
    return any(has for name, has in torch.cpu.get_capabilities().items() if name.endswith("bf16"))


class Training:
    """A network and its optimiser. Step i depends only on i and on the weights.

    On a CPU each group of a batch has its own thread, since the matrices are too small to be split; the result then does
    not depend on the number of threads, bit by bit. Without groups, torch parallelises its own operations.
    `with` starts and stops the threads: `with Training(config, config.network()) as training: training.step(0)`.
    """

    def __init__(self, config: TrainConfig, net: Network, device: str = "cpu"):
        check(config)
        self.config, self.device = config, device
        module: Any = net  # also an nn.Module, which its type cannot express
        self.net = module.to(device).train()
        self.parameters = list(self.net.parameters())
        self.optimiser: torch.optim.Optimizer
        if config.optimiser == "muon":
            self.optimiser = MuonAdam(self.net, config.lr, config.matrix_lr, config.beta2)
        else:
            self.optimiser = torch.optim.Adam(self.parameters, lr=config.lr, betas=(0.9, config.beta2))
        self.peaks = [group["lr"] for group in self.optimiser.param_groups]
        self.steps = math.ceil(config.curves / config.batch)
        compiled = config.precision == "bf16" and device == "cuda"
        self.density = torch.compile(net.log_density) if compiled else net.log_density
        slow = config.precision == "bf16" and device == "cpu" and not multiplies_halves()
        self.products: Callable[[], AbstractContextManager[Any]] = HalfBySingle if slow else nullcontext
        self.map: Callable[..., Iterable[Any]] = map
        # a training whose curves are the same on every device has the same dropout on every CPU, at a fifth of the cost
        masked = config.draws == "number" and device == "cpu"
        self.dropouts = [part for part in self.net.modules() if masked and isinstance(part, Dropout)]

    def __enter__(self) -> "Training":
        self.threads = torch.get_num_threads()
        self.workers: ThreadPoolExecutor | None = None
        grouped = 1 < self.config.cutoffs < self.config.batch
        if self.device == "cpu" and self.threads > 1 and grouped and not self.net.random_stream:
            # random numbers of the network come from a global generator, which threads would use in varying order
            self.workers = ThreadPoolExecutor(self.threads, initializer=torch.set_num_threads, initargs=(1,))
            self.map = self.workers.map
            # torch's own threads would busy-wait on the cores that the groups need
            torch.set_num_threads(1)
        return self

    def __exit__(self, *_: object) -> None:
        if self.workers:
            self.workers.shutdown()
            self.map = map
            torch.set_num_threads(self.threads)

    def step(self, i: int) -> Tensor:
        """One update; returns the loss. Gradients are added in the order of the groups, so results are reproducible."""
        if self.net.random_stream:
            seed = seed_of(self.config.seed, self.net.random_stream, i)
            torch.manual_seed(seed)
            words = np.random.SFC64(seed)
            for part in self.dropouts:
                part.words = words
        for group, peak in zip(self.optimiser.param_groups, self.peaks, strict=True):
            group["lr"] = peak * rate(self.config, i, self.steps)
        for parameter in self.parameters:
            parameter.grad = None
        total = torch.zeros((), device=self.device)
        for loss, gradients in self.map(self.gradient, list(self.config.batches(i, self.device))):
            total += loss
            for parameter, gradient in zip(self.parameters, gradients, strict=True):
                parameter.grad = gradient if parameter.grad is None else parameter.grad.add_(gradient)
        torch.nn.utils.clip_grad_norm_(self.parameters, self.config.clip)
        if isinstance(self.optimiser, MuonAdam):
            self.optimiser.step(map=self.map)
        else:
            self.optimiser.step()
        return total

    def gradient(self, group: Batch) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The contribution of one group to the loss of the batch, and its gradients."""
        half = self.config.precision == "bf16"
        with self.products():
            with torch.autocast(self.device, torch.bfloat16, enabled=half):
                share = len(group.x) / self.config.batch
                logs = self.density(group.x, group.y, group.x_query, group.targets(), group.mask)
                loss = -share * logs.mean()
            return loss.detach(), torch.autograd.grad(loss, self.parameters)


def rate(config: TrainConfig, step: int, steps: int) -> float:
    """Share of the peak rate: linear warm-up, then a cosine to 0. The paper's changes every 100 steps, from 0."""
    if config.schedule == "epoch":
        step, steps = step // 100, max(1, steps // 100)
        warm = int(config.warmup * steps)
        return step / warm if step < warm else _cosine((step - warm) / (steps - warm))
    rising = (step + 1) / max(config.warmup * steps, 1)
    return min(1, rising) * _cosine(step / steps)


def _cosine(share: float) -> float:
    return 0.5 * (1 + math.cos(math.pi * min(share, 1.0)))
