"""What a network must have to be trained, kept and asked, whatever is inside: it answers queries about a curve.

A family of networks is one file: a config, which is a small frozen dataclass, and the network that the config makes.
Handed to a training, it has all that a PFN has: cache, checkpoints, a job of its own, a line in `todo`.

    trained(TrainConfig(model=MyConfig(width=64), curves=16_000))

Shapes: B = curves, T = context points, Q = queries, K = buckets.
"""

from typing import Any, Protocol

from torch import Tensor

from curvecast.ground.errors import UserError


class Network(Protocol):
    """An nn.Module with these. Muon moves its matrices below `layers`, if there are any; Adam moves the rest."""

    borders: Tensor  # (K + 1,) of the buckets, a buffer: it travels with the weights
    random_stream: str  # a name for the random numbers that a step draws, "dropout" say; "" if it draws none

    def __call__(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Tensor:
        """Context x, y (B, T), queries (B, Q), mask (B, T) true where observed -> logits (B, Q, K)."""

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """Of the hidden values y_query (B, Q), or several for each query (B, Q, S), if a training has a stock: what the
        loss is made of.  -> as y_query"""


class NetworkConfig(Protocol):
    """A frozen dataclass with these."""

    @property
    def label(self) -> str:
        """Family and size, for the name of the weights: "gru-2x64"."""

    def behaviour(self) -> dict[str, int]:
        """The BEHAVIOUR of each file that the same weights would answer otherwise with: {"gru": 1}."""

    def network(self, borders: Tensor) -> Any:
        """A Network whose weights are drawn by torch's own generator."""


NETWORK, CONFIG = ("borders", "random_stream", "log_density"), ("label", "behaviour", "network")


def check(thing: Any, needed: tuple[str, ...]) -> None:
    """A complaint about a network that could not be trained, or a config that could not make one."""
    lacking = [name for name in needed if not hasattr(thing, name)]
    if lacking:
        raise UserError(
            f"{type(thing).__name__} has no {' and no '.join(lacking)}: "
            "curvecast/networks/query_network.py says what a network and its config must have"
        )
