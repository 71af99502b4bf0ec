"""Does a network that forecasts step by step, reading its own forecasts, need a positional encoding?

Shapes: n or B = curves, T = observed points, Q = future points, K = buckets, d = width.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.networks.bars import Bars
from curvecast.networks.encodings import EncodingConfig
from curvecast.networks.inputs import SD
from curvecast.networks.layer import Visibility, mask
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import Batch, curves
from curvecast.training.train import TrainConfig
from presswork import Above, Below, Between, Claim, Estimates, Rows
from presswork.estimates import those_of
from reproduce.encoding._cells import TITLES, Cell, effects, gaps, scores
from reproduce.encoding._encoded_network import Encoded, EncodedConfig, encoded, epochs, train
from reproduce.trainings import TINY

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other densities
SEEN = 20  # epochs
RAW, UNFED = Cell("free", "none", True), Cell("free", "none", False)
SHOT = Cell("pfn", "none", True)  # as LC-PFN is: in one shot, and given the epoch
AHEAD = 10  # epochs after the observed ones


@dataclass(frozen=True)
class Config:
    train: TrainConfig = TrainConfig(ModelConfig(64, 2, 2), curves=12_800)
    cells: tuple[str, ...] = ("none",)  # of TITLES; each with the epoch given and not given
    seeds: int = 3
    curves: int = 100  # of THE test set, the first ones


SCALES = {
    "smoke": Config(replace(TINY["1x16"], curves=64), cells=tuple(TITLES), seeds=1, curves=2),
    "laptop": Config(TrainConfig(ModelConfig(64, 2, 2), curves=3_200), seeds=2),
    "paper": Config(TrainConfig(ModelConfig(64, 2, 2), curves=19_200), cells=tuple(TITLES)),
}
TABLES = {"each": ("curve", "near", "path", ...)}  # and "next" of networks that forecast step by step


def models(config: Config) -> list[TrainConfig]:
    """None: each part trains its own, like `train`."""
    return []


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """Each cell with each seed, and a network in one shot."""
    cells = [SHOT, *(Cell("free", name, fed) for name in config.cells for fed in (True, False))]
    each = [(cell, seed) for seed in range(config.seeds) for cell in cells]
    return {cell.part(seed): {"cell": cell, "seed": seed} for cell, seed in each}


def measure(config: Config, cell: Cell, seed: int) -> Rows:
    """Of each curve the error of the median in the next epochs, without noise; the likelihood of all later values (*path*),
    forecast from medians of its own where it is step by step; and of the next value given those before it."""
    kind = free if cell.network == "free" else encoded
    net = train(kind(replace(config.train, seed=seed), cell.encoding, cell.fed))
    test = prior.test_set(config.curves)
    median, path = forecast(net, test.noisy)
    off = (median - test.clean[:, SEEN:]).abs()  # (n, 80)
    each = {"near": off[:, :AHEAD].mean(1), "path": path.mean(1)}
    if isinstance(net, Free):
        with torch.no_grad():
            each["next"] = net.next_log_density(test.noisy)[:, SEEN - 1 :].mean(1)
    rows = pd.DataFrame({name: values.numpy().round(5) for name, values in each.items()})
    return {"each": rows.rename_axis("curve").reset_index()}


# --------------------------------------------------------------------------------- the network, step by step


class Free(Encoded):
    """A decoder: every token reads itself and the tokens before it, and forecasts the next value.

    Its inputs are those of the PFN with an encoding. Three things differ: the mask, the level (for each token the mean of
    the values so far), and the target."""

    def follow(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Epochs and values (B, T) -> a hidden state for each next value (B, T, d), and the level there (B, T)."""
        T = y.shape[1]
        level = y.cumsum(1) / torch.arange(1, T + 1, device=y.device)  # (B, T)
        inputs, scaled = self.inputs, (level - 0.5)[..., None] / SD
        tokens = inputs.x(inputs.of_x(x)) + inputs.y(inputs.of_y(y, level)) + inputs.level(scaled)
        visibility = Visibility.of(x, x[:, :0], None, self.encoding, itself=False)
        causal = torch.zeros(T, T).masked_fill(~mask("causal", T), -torch.inf)[None, None].to(y.device)
        visibility = visibility._replace(bias=causal + (0.0 if visibility.bias is None else visibility.bias))
        if hasattr(self.encoding, "embed"):
            tokens = tokens + self.encoding.embed(x)
        for layer in self.layers:
            tokens = layer(tokens, visibility, last=False)
        return self.norm(tokens), level

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """Each token forecasts the value that follows it, y_query (B, T); no other targets are possible."""
        states, level = self.follow(x, y)
        return self.head.log_density(states, level, y_query)

    def next_log_density(self, y: Tensor) -> Tensor:
        """Of y_2 .. y_T, each given the observed values before it: (B, T) -> (B, T - 1)"""
        x = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1)
        return self.log_density(x[:, :-1], y[:, :-1], x[:, 1:], y[:, 1:])

    @torch.no_grad()
    def run_on(self, x: Tensor, y: Tensor) -> tuple[Tensor, Bars]:
        """After the values (B, T) the network reads its own medians, at epochs x (B, T + Q).

        -> medians (B, Q), and the densities to which they belong."""
        T = y.shape[1]
        for t in range(T, x.shape[1]):
            states, level = self.follow(x[:, :t], y)
            last = self.head(states[:, -1:], level[:, -1:])  # (B, 1, K)
            y = torch.cat([y, Bars(self.borders, last).quantile(0.5)], 1)
        states, level = self.follow(x[:, :-1], y[:, :-1])
        return y[:, T:], Bars(self.borders, self.head(states[:, T - 1 :], level[:, T - 1 :]))


@dataclass(frozen=True)
class FreeConfig(EncodedConfig):
    @property
    def label(self) -> str:
        return f"free-{self.encoding.name}-{self.model.label}"

    def behaviour(self) -> dict[str, int]:
        return super().behaviour() | {"free": BEHAVIOUR}

    def network(self, borders: Tensor) -> Free:
        return Free(self.model, borders, self.encoding, self.fed)


class NextConfig(TrainConfig):
    """The same curves in the same order as for the PFN; all next values of a curve are targets at once."""

    def label(self) -> str:
        return f"next-{super().label()}"

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        y = curves(self, step, device)
        x = torch.arange(1.0, y.shape[1] + 1, device=device).expand(len(y), -1)
        yield Batch(x[:, :-1], y[:, :-1], x[:, 1:], y[:, 1:], None)


def free(config: TrainConfig, encoding: EncodingConfig, fed: bool) -> NextConfig:
    return NextConfig(**vars(replace(config, model=FreeConfig(config.model, encoding, fed))))


@torch.no_grad()
def forecast(net: Encoded, noisy: Tensor) -> tuple[Tensor, Tensor]:
    """Curves (n, T + Q), of which T are observed -> medians of the later values, and their log-density (n, Q) each."""
    torch.manual_seed(0)  # for scrambled tables
    x, y = epochs(len(noisy), range(1, 101)), noisy[:, :SEEN]
    if isinstance(net, Free):
        median, density = net.run_on(x, y)
    else:
        density = Bars(net.borders, net(x[:, :SEEN], y, x[:, SEEN:]))
        median = density.quantile(0.5)
    return median, density.log_density(noisy[:, SEEN:])


def estimates(rows: Rows, config: Config) -> Estimates:
    """{(score, cell): by how much it is above RAW}; those of *near* are in units of the curve, the others in nats. Paired by
    curve and by seed."""
    scored = scores(rows["each"], parts(config))
    by_score = {score: gaps(scored, RAW, [score]) for score in ("next", "path", "near")}
    return {(score, cell): one for score, found in by_score.items() for cell, one in found.items()}


def draw(found: Estimates) -> dict[str, Figure]:
    label = "difference in log-likelihood of the next value\n"
    label += "from the epoch as a number (nats, higher is better)"
    return {"effects": effects(those_of(found, "next"), "free", label)}


def claims(found: Estimates) -> list[Claim]:
    unfed, near = found.get(("next", UNFED)), found.get(("near", SHOT))
    return [
        Claim("mask_tells_the_order",
              "Without epochs and encoding, does a causal mask keep the loss on the next value small?",
              unfed and unfed.negated(), Below(0.1), "nats"),
        Claim("own_path_costs", "On all later values, does a step-by-step network that is given the epochs score lower than "
              "a one-shot network?", ("path", SHOT), Above(0), "nats per point"),
        Claim("near_as_good", "Over the next ten epochs, is a median step by step about as accurate as a median in one shot?",
              near and near.negated(), Below(0.002)),
        Claim("sincos_adds", "Does sin–cos, added to the epochs, leave the score of the next value as it is?",
              ("next", Cell("free", "sincos", True)), Between(-0.05, 0.05), "nats"),
    ]  # fmt: skip
