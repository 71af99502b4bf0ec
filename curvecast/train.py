"""From a prior to weights: every step sees curves that no step has seen before.

`trained(config)` is the one cache of weights: it loads them, or trains, or goes on where a training was stopped.
All randomness of step i is made from (seed, i) and nothing else, so a training that was paused, killed and resumed
gives the same weights as one that never stopped; a checkpoint needs no generator state.

Symbols: B = curves a step, T = epochs of a curve, T' = cutoff (context length), Q = queries.
"""

import hashlib
import json
import math
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from tqdm import tqdm

from curvecast import bars, heads, model, prior, weights
from curvecast.bars import Bars, BarsConfig, make_borders
from curvecast.config import digest
from curvecast.errors import UserError
from curvecast.model import PFN, ModelConfig
from curvecast.optimiser import MuonAdam
from curvecast.prior import PriorConfig, sample

BEHAVIOUR = 1  # raise by hand when the same config trains to other weights

CHUNK = 4096  # curves are sampled this many at a time: sampling 32 alone would cost ten times as much each


@dataclass(frozen=True)
class TrainConfig:
    model: ModelConfig = ModelConfig()
    prior: PriorConfig = PriorConfig()
    bars: BarsConfig = BarsConfig()
    curves: int = 228_000  # the length of a training; --minutes only pauses it
    batch: int = 64  # B
    cutoffs: int = 8  # different cutoffs in a batch; = batch: one for each curve, padded
    queries: int = 24  # Q, spread over the rest of the curve; 0 = all of it
    optimiser: str = "muon"  # "adam" is the paper's
    lr: float = 8e-4  # of Adam
    matrix_lr: float = 0.01  # of Muon, for the matrices of the layers
    warmup: float = 0.05  # share of the training
    schedule: str = "step"  # "epoch": the paper's, moved once in 100 steps, the first 100 at rate 0
    beta2: float = 0.99
    clip: float = 1.0
    precision: str = "fp32"  # "bf16": autocast and compile, for a GPU
    seed: int = 0

    @staticmethod
    def paper(width: int, layers: int, curves: int, seed: int = 0) -> "TrainConfig":
        """The published recipe: one cutoff a batch of 100, all later points as queries, Adam at 1e-4, fp32."""
        return TrainConfig(
            ModelConfig.paper(width, layers), bars=BarsConfig(tails="paper"), curves=curves, batch=100,
            cutoffs=1, queries=0, optimiser="adam", lr=1e-4, warmup=0.25, schedule="epoch", beta2=0.999, seed=seed,
        )  # fmt: skip


class Paused(Exception):
    """The minutes are over; the checkpoint is on disk and the same call goes on from there."""


class Batch(NamedTuple):
    x: Tensor  # (B, T') context epochs
    y: Tensor  # (B, T')
    x_query: Tensor  # (B, Q)
    y_query: Tensor  # (B, Q)
    mask: Tensor | None  # (B, T'), where the curves of a batch have different cutoffs


@dataclass(frozen=True)
class Forecaster:
    """Trained weights and all that is needed to use them."""

    config: TrainConfig
    model: PFN
    history: list[dict[str, float]]  # of the training: curves seen, mean loss since the entry before, seconds

    @torch.no_grad()
    def predict(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Bars:
        """Context x, y (B, T), queries (B, Q), mask (B, T) true where observed -> one density a query."""
        return Bars(self.model.borders, self.model(x, y, x_query, mask))

    @torch.no_grad()
    def log_density(self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor) -> Tensor:
        """`predict(...).log_density(y_query)` (B, Q), many times faster: only the buckets that were hit are written."""
        return self.model.log_density(x, y, x_query, y_query)


def behaviour() -> dict[str, int]:
    """The numbers that weights depend on."""
    return {m.__name__.split(".")[-1]: m.BEHAVIOUR for m in (prior, bars, heads, model)} | {
        "train": BEHAVIOUR
    }


def name(config: TrainConfig) -> str:
    """Readable, plus a hash of the config and of the behaviour of the code that it runs through."""
    size = f"{config.model.layers}x{config.model.width}"
    count = (
        f"{config.curves // 1_000_000}M" if config.curves % 1_000_000 == 0 else f"{config.curves // 1000}k"
    )
    recipe = "paper" if config.model.norm == "post" else "ours"
    return f"{recipe}-{size}-{count}-{digest(config, behaviour=behaviour())}"


def weights_path(config: TrainConfig, root: Path = Path("weights")) -> Path:
    return root / f"{name(config)}.safetensors"


def is_trained(config: TrainConfig, root: Path = Path("weights")) -> bool:
    return weights_path(config, root).exists()


def trained(
    config: TrainConfig, minutes: float | None = None, progress: bool = True, root: Path = Path("weights"),
    checkpoints: Path = Path("runs/checkpoints"), device: str | None = None,
) -> Forecaster:  # fmt: skip
    """The forecaster of this config. Raises Paused when `minutes` are over before the training is."""
    path = weights_path(config, root)
    if not path.exists():
        net, history = train(config, checkpoints / path.stem, minutes, progress, device)
        weights.write(path, net.cpu().state_dict(), weights.header(config, behaviour(), history))
        for old in checkpoints.glob(f"{path.stem}.*"):
            old.unlink()
    return load(path)


def load(path: str | Path) -> Forecaster:
    """A forecaster from its one file: config, prior, borders, behaviour and weights."""
    state, info = weights.read(Path(path))
    config = weights.config_of(info, TrainConfig, Path(path))
    net = PFN(config.model, state["borders"] if "borders" in state else torch.empty(config.bars.buckets + 1))
    weights.fill(net, state, Path(path))
    return Forecaster(config, net.eval(), json.loads(info["history"]))


def train(
    config: TrainConfig, checkpoint: Path, minutes: float | None = None, progress: bool = True, device: str | None = None
) -> tuple[PFN, list[dict[str, float]]]:  # fmt: skip
    """Run all steps, from the newest sound checkpoint on; write one at least every minute."""
    check(config)
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(config.seed)
    net = PFN(config.model, make_borders(config.bars, config.prior)).to(device).train()
    optimiser = make_optimiser(config, net)
    peaks = [group["lr"] for group in optimiser.param_groups]
    density = (
        torch.compile(net.log_density) if config.precision == "bf16" and device == "cuda" else net.log_density
    )
    workers = _workers(config, device)
    steps = math.ceil(config.curves / config.batch)
    done, history = weights.resume(checkpoint, net, optimiser)
    begin = saved = time.monotonic()
    before = history[-1]["seconds"] if history else 0.0
    losses: list[Tensor] = []
    bar = tqdm(
        total=steps * config.batch, initial=done * config.batch, unit=" curves", unit_scale=True, desc=name(config),
        disable=not progress, mininterval=0.5 if _is_terminal() else 30, dynamic_ncols=True,
    )  # fmt: skip
    step = done
    try:
        for step in range(done, steps):
            for group, peak in zip(optimiser.param_groups, peaks, strict=True):
                group["lr"] = peak * rate(config, step, steps)
            losses.append(one_step(config, net, optimiser, density, step, device, workers))
            bar.update(config.batch)
            if len(losses) >= max(1, steps // 200) or step == steps - 1:
                loss = torch.stack(losses).mean().item()
                if not math.isfinite(loss):
                    raise UserError(
                        f"the loss of {name(config)} became {loss} at step {step}: lower TrainConfig.lr"
                    )
                seconds = before + time.monotonic() - begin
                history.append(
                    {"curves": (step + 1) * config.batch, "loss": loss, "seconds": round(seconds, 2)}
                )
                losses.clear()
                bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
                over = minutes is not None and time.monotonic() - begin > 60 * minutes
                if step < steps - 1 and (over or time.monotonic() - saved > 45):
                    weights.checkpoint(checkpoint, net, optimiser, step + 1, history)
                    saved = time.monotonic()
                    if over:
                        raise Paused(
                            f"{name(config)} paused at {(step + 1) / steps:.0%}; run it again to go on"
                        )
    finally:
        bar.close()
        if workers:
            workers.shutdown()
    return net, history


def check(config: TrainConfig) -> None:
    if not 1 <= config.cutoffs <= config.batch or config.batch % config.cutoffs:
        raise UserError(f"TrainConfig.cutoffs {config.cutoffs} must divide batch {config.batch}")
    if config.schedule not in ("step", "epoch") or config.precision not in ("fp32", "bf16"):
        raise UserError(
            f"schedule {config.schedule!r}, precision {config.precision!r}: take step/epoch and fp32/bf16"
        )
    if config.curves < config.batch or (config.queries == 0 and config.cutoffs == config.batch > 1):
        raise UserError(
            "TrainConfig: curves must be at least one batch, and queries=0 needs a cutoff for whole groups"
        )


def one_step(
    config: TrainConfig, net: PFN, optimiser: Any, density: Any, step: int, device: str, workers: Executor | None = None
) -> Tensor:  # fmt: skip
    """One update. The gradients of the groups are added in their order, whichever thread was first: always the same bits."""
    if config.model.dropout:
        torch.manual_seed(_seed(config.seed, "dropout", step))
    groups = list(batches(config, step, device))
    parameters = list(net.parameters())

    def gradient(group: Batch) -> tuple[Tensor, tuple[Tensor, ...]]:
        with torch.autocast(device, torch.bfloat16, enabled=config.precision == "bf16"):
            loss = -density(*group[:4], group.mask).mean() / len(groups)
        return loss.detach(), torch.autograd.grad(loss, parameters)

    total = torch.zeros((), device=device)
    for parameter in parameters:
        parameter.grad = None
    for loss, gradients in workers.map(gradient, groups) if workers else map(gradient, groups):
        total += loss
        for parameter, one in zip(parameters, gradients, strict=True):
            parameter.grad = one if parameter.grad is None else parameter.grad.add_(one)
    torch.nn.utils.clip_grad_norm_(parameters, config.clip)
    optimiser.step()
    return total


def _workers(config: TrainConfig, device: str) -> ThreadPoolExecutor | None:
    """On a CPU the groups of a batch go to one thread each: their matrices are too small to be worth splitting.
    Dropout draws from a generator that all threads share, so with it the groups wait for one another."""
    if device != "cpu" or config.cutoffs in (1, config.batch) or config.model.dropout:
        return None
    return ThreadPoolExecutor(torch.get_num_threads(), initializer=torch.set_num_threads, initargs=(1,))


def batches(config: TrainConfig, step: int, device: str) -> Iterator[Batch]:
    """The curves of one step, in groups of one cutoff each (or all at once, padded, where each has its own)."""
    y = curves(config, step, device)  # (B, T)
    B, T = y.shape
    generator = torch.Generator().manual_seed(
        _seed(config.seed, "cutoffs", step)
    )  # on the CPU: its numbers are needed
    x = torch.arange(1, T + 1, device=device, dtype=y.dtype).expand(B, T)
    spread = torch.rand(config.cutoffs, generator=generator) + torch.arange(config.cutoffs)
    cutoffs = 1 + (spread / config.cutoffs * (T - 1)).long().clamp(
        max=T - 2
    )  # T' in 1..T-1, one from each stratum
    own = config.cutoffs == B > 1
    for cutoff, part in [(cutoffs, slice(0, B))] if own else _groups(cutoffs, B):
        longest, shortest = int(cutoff.max()), int(cutoff.min())
        column = cutoff.reshape(-1, 1).expand(len(y[part]), 1)  # (n, 1)
        index = queries(config.queries or T, column, T, T - shortest, generator).to(device)  # (n, Q)
        mask = (torch.arange(longest) < column).to(device) if own else None
        yield Batch(x[part, :longest], y[part, :longest], index + 1.0, y[part].gather(1, index), mask)


def _groups(cutoffs: Tensor, B: int) -> list[tuple[Tensor, slice]]:
    """Equal shares of the batch, one for each cutoff: no padding."""
    n = B // len(cutoffs)
    return [(cutoff, slice(i * n, (i + 1) * n)) for i, cutoff in enumerate(cutoffs)]


def queries(q: int, cutoff: Tensor, T: int, left: int, generator: torch.Generator) -> Tensor:
    """Indices of at most q later epochs for each curve, one from each q-th of what is left."""
    q = min(q, left)
    if q == left and (cutoff == cutoff[0]).all():
        return cutoff + torch.arange(q)  # all that is left, each once
    share = (torch.arange(q) + torch.rand(len(cutoff), q, generator=generator)) / q
    return cutoff + (share * (T - cutoff)).long().clamp(max=T - 1 - cutoff)


_chunks: dict[
    tuple[str, int, str], Tensor
] = {}  # the newest chunk: what follows from config and number needs no copy


def curves(config: TrainConfig, step: int, device: str) -> Tensor:
    """The noisy curves (B, T) of one step; step i takes places i*B .. i*B + B - 1 of an endless stream."""
    size = config.batch * max(1, CHUNK // config.batch)  # whole batches
    number, place = divmod(step * config.batch, size)
    key = (digest(config.prior) + str(config.seed) + str(size), number, device)
    if key not in _chunks:
        generator = torch.Generator(device).manual_seed(_seed(config.seed, "curves", number))
        _chunks.clear()
        _chunks[key] = sample(config.prior, size, generator).noisy
    return _chunks[key][place : place + config.batch]


def make_optimiser(config: TrainConfig, net: PFN) -> torch.optim.Optimizer:
    if config.optimiser == "muon":
        return MuonAdam(net, config.lr, config.matrix_lr, config.beta2)
    return torch.optim.Adam(net.parameters(), lr=config.lr, betas=(0.9, config.beta2))


def rate(config: TrainConfig, step: int, steps: int) -> float:
    """Share of the peak rate: linear warm-up, then a cosine to 0. The paper's moves once in 100 steps, from 0."""
    if config.schedule == "epoch":
        step, steps = step // 100, max(1, steps // 100)
        warm = steps // 4
        return step / warm if step < warm else _cosine((step - warm) / (steps - warm))
    rising = (step + 1) / max(config.warmup * steps, 1)
    return min(1, rising) * _cosine(step / steps)


def _cosine(share: float) -> float:
    return 0.5 * (1 + math.cos(math.pi * min(share, 1.0)))


def _seed(seed: int, what: str, number: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}/{what}/{number}".encode()).digest()[:4])


def _is_terminal() -> bool:
    import sys

    return sys.stderr.isatty()
