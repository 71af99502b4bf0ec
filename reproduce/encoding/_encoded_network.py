"""A PFN with a positional encoding, with the epoch as an input or without: the network, its training, its score.

Without the epoch as an input (`fed=False`) the order must enter through the encoding alone. In the PFN the epoch enters
in three places: E_x(x), the features ln x and 1/x, and the level of the last points, which weighs by epoch and also
places the head's components. Here E_x reads x alone or a constant, and the level is the mean of the observed values.

Shapes: B = curves, T = context points, Q = queries, d = width.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.ground.config import later
from curvecast.networks.encodings import EncodingConfig, Scrambled, make
from curvecast.networks.inputs import SD, Inputs
from curvecast.networks.layer import Visibility
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.batches import TrainConfig
from curvecast.training.steps import Training
from curvecast.training.train import fit

AT_ONCE = 100  # curves
MIDDLE = 50.5  # of epochs 1 to 100, where `of_x` is zero, as for an epoch that is not given
BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other logits


@dataclass(frozen=True)
class EncodedConfig:
    model: ModelConfig
    encoding: EncodingConfig = EncodingConfig()
    fed: bool = True  # is the epoch a number in the token?
    given: str = later("all")  # and in which tokens: "observed" points, "asked" queries, or all

    @property
    def label(self) -> str:
        return f"encoded-{self.encoding.name}-{self.model.label}"

    def behaviour(self) -> dict[str, int]:
        return self.model.behaviour() | {"encoded": BEHAVIOUR}

    def network(self, borders: Tensor) -> "Encoded":
        return Encoded(self.model, borders, self.encoding, self.fed, self.given)


class OptionalEpoch(Inputs):
    """Tokens that contain the value of a point, and its epoch only if `fed`."""

    def __init__(self, width: int, fed: bool, given: str = "all"):
        super().__init__(width, rich=True)
        self.x = nn.Linear(1, width)  # the epoch itself, as LC-PFN has it; ln x and 1/x are an encoding here
        self.fed, self.given = fed, given

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor, level: Tensor) -> Tensor:
        x = torch.full_like(x, MIDDLE) if self.given == "asked" else x
        x_query = torch.full_like(x_query, MIDDLE) if self.given == "observed" else x_query
        return super().forward(x, y, x_query, level)

    def of_x(self, x: Tensor) -> Tensor:
        scaled = (x / 101 - 0.5) / SD  # epochs 1..100 to -1.7..1.7
        return (scaled if self.fed else torch.zeros_like(x))[..., None]


class Encoded(PFN):
    encoding: Any  # a module with one of the methods of layer.Encoding, or None

    def __init__(
        self, config: ModelConfig, borders: Tensor, encoding: EncodingConfig, fed: bool, given: str = "all"
    ):
        super().__init__(config, borders, make(encoding, config.width, config.heads))
        self.inputs = OptionalEpoch(config.width, fed, given)
        if isinstance(self.encoding, Scrambled):
            self.random_stream = "scrambled"  # each step shuffles the table anew

    def read(
        self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """As in the PFN, except for the level."""
        if mask is not None:
            x, y = torch.where(mask, x, 1.0), torch.where(mask, y, 0.0)
        seen = torch.ones_like(y) if mask is None else mask.to(y.dtype)
        level = (seen * y).sum(1, keepdim=True) / seen.sum(1, keepdim=True)  # (B, 1), the same in any order
        tokens = self.inputs(x, y, x_query, level)  # (B, T + Q, d)
        visibility = Visibility.of(x, x_query, mask, self.encoding, self.config.query_sees_itself)
        if hasattr(self.encoding, "embed"):
            tokens = tokens + self.encoding.embed(visibility.x)
        for i, layer in enumerate(self.layers):
            tokens = layer(tokens, visibility, last=i == len(self.layers) - 1)
        return self.norm(tokens), level


def encoded(config: TrainConfig, encoding: EncodingConfig, fed: bool, given: str = "all") -> TrainConfig:
    """Every encoding is trained on the same curves: they depend on the seed and the step alone."""
    return replace(config, model=EncodedConfig(config.model, encoding, fed, given))


def train(config: TrainConfig) -> Any:
    """The trained network. One thread: parts of a question run side by side."""
    training = Training(config, config.network())
    fit(training)
    return training.net.eval()


def epochs(n: int, which: range) -> Tensor:
    return torch.tensor(list(which), dtype=torch.float32).expand(n, -1)


@torch.no_grad()
def likelihood(net: Encoded, noisy: Tensor, cutoff: int) -> Tensor:
    """Mean log-density of the points of each curve (n, 100) that follow these observed epochs (n,)."""
    means = []
    for some in noisy.split(AT_ONCE):
        torch.manual_seed(0)  # for scrambled tables
        x, x_query = epochs(len(some), range(1, cutoff + 1)), epochs(len(some), range(cutoff + 1, 101))
        log_p = net.head.log_density(*net.read(x, some[:, :cutoff], x_query), some[:, cutoff:])
        means.append(log_p.double().mean(1))
    return torch.cat(means)
