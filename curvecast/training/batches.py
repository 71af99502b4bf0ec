"""The config of a training, and what follows from it: the initial network and the batch of any step.

Symbols: B = curves a step, T = epochs of a curve, T' = cutoff (context length), Q = queries.
"""

import functools
import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from curvecast.curves import by_number
from curvecast.curves.counter import Counter
from curvecast.curves.prior import Curves, PriorConfig
from curvecast.ground.config import later
from curvecast.ground.errors import UserError, demand
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import ModelConfig
from curvecast.training import endings
from curvecast.training.endings import ENDINGS, Stock

# -----------------------------------------------------------------------------------------------------------
# The endless stream of curves that a training reads, chunk by chunk.
#
# All randomness of step i comes from (seed, i): no two steps share a curve, and a training that was stopped can resume
# without a generator state.

CHUNK = 4096  # curves that are sampled together: in samples of 32, each curve would cost ten times as much


class Chunk(NamedTuple):
    """So many curves of the stream, the number-th time."""

    prior: Any  # a Prior; PriorConfig where draws are by number or curves exchange endings
    seed: int
    draws: str  # as in TrainConfig
    size: int
    number: int
    device: str

    def numbers(self) -> Tensor:
        return torch.arange(self.number * self.size, (self.number + 1) * self.size, device=self.device)


# two, for trainings that alternate; callers must not change the curves
@functools.lru_cache(maxsize=2)
def curves_of(chunk: Chunk) -> Curves:
    if chunk.draws == "number":
        curves = by_number.sample(chunk.prior, chunk.seed, chunk.numbers())
        return Curves(*(part.float() for part in curves))
    generator = torch.Generator(chunk.device).manual_seed(seed_of(chunk.seed, "curves", chunk.number))
    return chunk.prior.sample(chunk.size, generator)


@functools.lru_cache(maxsize=2)
def stock_of(chunk: Chunk) -> tuple[Stock, Tensor | None]:
    """Of a mixed prior only the paper's curves: the likelihood of the others is unknown."""
    prior, clean = chunk.prior, curves_of(chunk).clean
    if not prior.real:
        return Stock(prior, clean), None
    exchange = ~by_number.follows_laws(prior, Counter(chunk.seed, chunk.numbers()))
    return Stock(prior, clean[exchange]), exchange


def seed_of(seed: int, what: str, number: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}/{what}/{number}".encode()).digest()[:4])


@dataclass(frozen=True)
class TrainConfig:
    model: Any = ModelConfig()  # or another heads.NetworkConfig
    prior: Any = PriorConfig()  # or another curves.prior.Prior
    bars: BarsConfig = BarsConfig()
    curves: int = 228_000  # the length of a training; --minutes only pauses it
    batch: int = 64  # B
    cutoffs: int = 4  # different cutoffs in a batch; if equal to `batch`: one for each curve, padded
    queries: int = 16  # Q, spread over the rest of the curve; 0 = all of it
    optimiser: str = "muon"  # "adam" is the paper's
    lr: float = 8e-4  # of Adam
    matrix_lr: float = 0.01  # of Muon, for the matrices of the layers
    warmup: float = 0.05  # share of the training
    schedule: str = "step"  # "epoch": the paper's, changed every 100 steps, the first 100 at rate 0
    beta2: float = 0.99
    clip: float = 1.0
    precision: str = "fp32"  # "bf16": autocast; on a GPU compiled as well
    seed: int = 0
    draws: str = later("generator")  # "number": each curve from its own number, on any device
    stock: int = later(0)  # number of curves that exchange their endings (endings.py); 0: each keeps its own
    early: float = later(1.0)  # power of the observed share: above 1, short beginnings are more frequent

    @staticmethod
    def paper(width: int, layers: int, curves: int, seed: int = 0) -> "TrainConfig":
        """The published recipe: one cutoff a batch of 100, all later points as queries, Adam at 1e-4, fp32."""
        return TrainConfig(
            ModelConfig.paper(width, layers), bars=BarsConfig(tails="paper"), curves=curves, batch=100,
            cutoffs=1, queries=0, optimiser="adam", lr=1e-4, warmup=0.25, schedule="epoch", beta2=0.999, seed=seed,
        )  # fmt: skip

    # To train on other batches, derive a class and override the methods below: see GapConfig.

    def label(self) -> str:
        """The readable start of the name of the weights: recipe, size, curves."""
        paper = getattr(self.model, "norm", "pre") == "post" and self.optimiser == "adam"
        millions = self.curves % 1_000_000 == 0
        count = f"{self.curves // 1_000_000}M" if millions else f"{self.curves // 1000}k"
        return f"{'paper' if paper else 'ours'}-{self.model.label}-{count}"

    def behaviour(self) -> dict[str, int]:
        """The BEHAVIOUR numbers of these weights, besides those of every training: see train.behaviour."""
        return dict(self.model.behaviour()) | ({"endings": endings.BEHAVIOUR} if self.stock else {})

    def network(self) -> Any:
        """The network before the first step; its weights depend only on seed and config."""
        torch.manual_seed(self.seed)
        return self.model.network(make_borders(self.bars, self.prior))

    def batches(self, step: int, device: str) -> "Iterator[Batch]":
        """The groups of one step."""
        return batches(self, step, device)


class Batch(NamedTuple):
    x: Tensor  # (B, T') context epochs; or with planned rates (B, T', 2)
    y: Tensor  # (B, T')
    x_query: Tensor  # (B, Q); or (B, Q, 2)
    y_query: Tensor  # (B, Q)
    mask: Tensor | None  # (B, T'), if the curves of a batch have different cutoffs
    stock: Stock | None = None  # curves whose endings may be used
    seed: int = 0  # of the draws from the stock
    borrows: Tensor | None = None  # (B,) which curves use endings of the stock; None: all

    def targets(self) -> Tensor:
        """Values for the loss: each curve's own future (B, Q), or S draws from the posterior (B, Q, S)."""
        if self.stock is None:
            return self.y_query
        if self.borrows is None:
            return self.stock.endings(self.x, self.y, self.x_query, self.seed)
        targets = self.y_query[..., None].repeat(1, 1, ENDINGS)  # curves of unknown likelihood keep their own
        if self.borrows.any():
            x, y, x_query = (part[self.borrows] for part in (self.x, self.y, self.x_query))
            x, x_query = (part[..., 0] if part.ndim == 3 else part for part in (x, x_query))
            targets[self.borrows] = self.stock.endings(x, y, x_query, self.seed)
        return targets


def check(config: TrainConfig) -> None:
    if not 1 <= config.cutoffs <= config.batch or config.batch % config.cutoffs:
        raise UserError(f"TrainConfig.cutoffs {config.cutoffs} must divide batch {config.batch}")
    known = config.schedule in ("step", "epoch") and config.precision in ("fp32", "bf16")
    told = f"schedule {config.schedule!r}, precision {config.precision!r}"
    demand(known, f"{told}: take step/epoch and fp32/bf16")
    if config.draws not in ("generator", "number"):
        raise UserError(f"TrainConfig.draws {config.draws!r}: take 'generator' or 'number'")
    if not isinstance(config.prior, PriorConfig) and (config.stock or config.draws != "generator"):
        kind = type(config.prior).__name__
        raise UserError(f"TrainConfig: a prior of the kind {kind} takes draws='generator' and stock=0")
    if config.stock and (config.stock < config.batch or config.cutoffs == config.batch > 1):
        needed = "must be at least one batch, and several of its curves must share a cutoff"
        raise UserError(f"TrainConfig.stock {config.stock} {needed}")
    if config.stock and config.prior.real and (config.prior.real == 1 or config.draws != "number"):
        raise UserError(
            "TrainConfig.stock: only curves of the paper's prior can exchange endings, and only draws='number' shows "
            f"which these are; here real = {config.prior.real}, draws = {config.draws!r}"
        )
    otherwise = "1 makes all lengths equally likely"
    demand(config.early > 0, f"TrainConfig.early {config.early} must be above 0: {otherwise}")
    if config.curves < config.batch or (config.queries == 0 and config.cutoffs == config.batch > 1):
        needed = "curves must be at least one batch, and queries=0 needs cutoffs below batch"
        raise UserError(f"TrainConfig: {needed}")


def batches(config: TrainConfig, step: int, device: str) -> Iterator[Batch]:
    """The curves of one step in groups that share a cutoff, or in one padded group if each has its own."""
    y = curves(config, step, device)  # (B, T)
    stock = borrows = None
    if config.stock:  # all curves of this step's chunk, and which curves of the step (B,) use its endings
        chunk, place = _place(config, step, device)
        stock, exchange = stock_of(chunk)
        borrows = None if exchange is None else exchange[place : place + config.batch]
    B, T = y.shape
    # on the CPU, since the cutoffs become Python integers
    generator = torch.Generator().manual_seed(seed_of(config.seed, "cutoffs", step))
    x = torch.arange(1, T + 1, device=device, dtype=y.dtype).expand(B, T)
    # longest first: threads finish together if the last task is short
    stratum = torch.arange(config.cutoffs).flip(0)
    share = ((stratum + torch.rand(config.cutoffs, generator=generator)) / config.cutoffs) ** config.early
    cutoffs = 1 + (share * (T - 1)).long().clamp(max=T - 2)  # T' in 1..T-1, one from each stratum
    padded = config.cutoffs == B > 1
    n = B // config.cutoffs  # of each group, which has one cutoff and needs no padding
    groups = [(cutoff, slice(i * n, (i + 1) * n)) for i, cutoff in enumerate(cutoffs)]
    for cutoff, part in [(cutoffs, slice(0, B))] if padded else groups:
        longest, shortest = int(cutoff.max()), int(cutoff.min())
        column = cutoff.reshape(-1, 1).expand(len(y[part]), 1)  # (n, 1)
        index = queries(config.queries or T, column, T, T - shortest, generator).to(device)  # (n, Q)
        mask = (torch.arange(longest) < column).to(device) if padded else None
        seed = seed_of(config.seed, f"endings/{step}", part.start)
        x_query, y_query = index + 1.0, y[part].gather(1, index)
        of_group = None if borrows is None else borrows[part]
        yield Batch(x[part, :longest], y[part, :longest], x_query, y_query, mask, stock, seed, of_group)


def queries(q: int, cutoff: Tensor, T: int, left: int, generator: torch.Generator) -> Tensor:
    """Indices of at most q later epochs for each curve, one from each q-th of the remaining epochs."""
    q = min(q, left)
    if q == left and (cutoff == cutoff[0]).all():
        return cutoff + torch.arange(q)  # all remaining epochs, each once
    share = (torch.arange(q) + torch.rand(len(cutoff), q, generator=generator)) / q
    return cutoff + (share * (T - cutoff)).long().clamp(max=T - 1 - cutoff)


def curves(config: TrainConfig, step: int, device: str) -> Tensor:
    """The noisy curves (B, T) of one step; step i takes curves i*B .. i*B + B - 1 of an endless stream."""
    chunk, place = _place(config, step, device)
    return curves_of(chunk).noisy[place : place + config.batch]


def _place(config: TrainConfig, step: int, device: str) -> tuple[Chunk, int]:
    """The chunk of the stream that holds the curves of a step, and the first one's index in it."""
    size = config.batch * max(1, (config.stock or CHUNK) // config.batch)
    number, place = divmod(step * config.batch, size)
    return Chunk(config.prior, config.seed, config.draws, size, number, device), place


# -----------------------------------------------------------------------------------------------------------
# A training for runs with missing epochs: some left out, only every k-th logged, or just a few.
#
# Curves, steps and queries are those of the usual training, but the contexts of 60 % of the groups lose some of their
# epochs. A network trained on complete beginnings only is overconfident on beginnings with gaps.

GAPS = 1  # its BEHAVIOUR: raise by hand when the same config trains to other weights

WITH_GAPS = 0.6  # of the groups


class GapConfig(TrainConfig):
    def label(self) -> str:
        return "gaps"

    def behaviour(self) -> dict[str, int]:
        return super().behaviour() | {"gaps": GAPS}

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        for group in super().batches(step, device):
            T = group.x.shape[1]
            generator = torch.Generator().manual_seed(seed_of(self.seed, f"gaps/{step}", T))
            logged = logged_epochs(T, generator).to(device)
            yield group._replace(x=group.x[:, logged], y=group.y[:, logged])


def with_holes(config: TrainConfig) -> GapConfig:
    return GapConfig(**vars(config))


def logged_epochs(T: int, generator: torch.Generator) -> Tensor:
    """Rising indices of the logged epochs among 1 .. T, at least one."""
    kind, share, place = torch.rand(3, generator=generator).tolist()
    epochs = torch.arange(T)
    if kind > WITH_GAPS:
        return epochs
    if kind < WITH_GAPS / 3:  # every k-th
        k = 1 + int(10**share)  # 2 .. 10
        return epochs[k - 1 :: k] if k <= T else epochs[-1:]
    complete = int(place * T) if kind < 2 * WITH_GAPS / 3 else 0  # epochs before the first gap
    density = math.exp(math.log(2 / T) * share) if T > 2 else 1.0  # logged share: from all down to 2 / T
    logged = epochs[(torch.rand(T, generator=generator) < density) | (epochs < complete)]
    return logged if len(logged) else epochs[-1:]
