"""The interface of a trainable network: it answers queries about a curve.

A family of networks is one file: a config, which is a small frozen dataclass, and the network that the config makes.
In a TrainConfig it is treated like a PFN: cache, checkpoints, its own job.

    trained(TrainConfig(model=MyConfig(width=64), curves=16_000))

Shapes: B = curves, T = context points, Q = queries, K = buckets.
"""

from typing import Any, Protocol

import torch
from torch import Tensor


class Network(Protocol):
    """An nn.Module with these. Muon trains the matrices below `layers`, if there are any, Adam the other parameters."""

    borders: Tensor  # (K + 1,) of the buckets, a buffer: stored with the weights
    random_stream: str  # a name for the random numbers that a step draws, "dropout" say; "" if it draws none

    def __call__(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Tensor:
        """Context x, y (B, T), queries (B, Q), mask (B, T) true where observed -> logits (B, Q, K)."""

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """Of the hidden values y_query (B, Q), or (B, Q, S) if a training has a stock: for the loss.  -> as y_query"""


class NetworkConfig(Protocol):
    """A frozen dataclass with these."""

    @property
    def label(self) -> str:
        """Family and size, for the name of the weights: "gru-2x64"."""

    def behaviour(self) -> dict[str, int]:
        """The BEHAVIOUR of each file that determines the output for given weights: {"gru": 1}."""

    def network(self, borders: Tensor) -> Any:
        """A Network whose weights are drawn by torch's global generator."""


def parameters(config: NetworkConfig) -> int:
    # whose weights nobody keeps; on torch's device `meta` none would be drawn, but torch imports its compiler for it
    with torch.random.fork_rng(devices=()):
        return sum(p.numel() for p in config.network(torch.zeros(2)).parameters())
