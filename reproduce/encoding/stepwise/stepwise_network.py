"""A network that forecasts step by step: the same layers under a causal mask, trained on the next value.

Its inputs are those of the PFN with an encoding, see _encoded_network.py. Three things differ: the mask, the level (for each
token the mean of the values so far), and the target: each token forecasts the next value.

Shapes: B = curves, T = observed points, Q = future points, K = buckets.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from curvecast.networks.bars import Bars
from curvecast.networks.encodings import EncodingConfig
from curvecast.networks.inputs import SD
from curvecast.networks.layer import Visibility
from curvecast.networks.masks import mask
from curvecast.training.batches import Batch, TrainConfig, curves
from reproduce.encoding._encoded_network import Encoded, EncodedConfig

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other densities


class Free(Encoded):
    """A decoder: every token reads itself and the tokens before it, and forecasts the next value."""

    def follow(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Epochs and values (B, T) -> a hidden state for each next value (B, T, d), and the level there (B, T)."""
        T = y.shape[1]
        level = y.cumsum(1) / torch.arange(1, T + 1, device=y.device)  # (B, T)
        inputs, scaled = self.inputs, (level - 0.5)[..., None] / SD
        tokens = inputs.x(inputs.of_x(x)) + inputs.y(inputs.of_y(y, level)) + inputs.level(scaled)
        visibility = Visibility.of(x, x[:, :0], None, self.encoding, itself=False)
        causal = torch.zeros(T, T).masked_fill(~mask("causal", T), -torch.inf)
        visibility = visibility._replace(
            bias=causal[None, None].to(y.device) + (0.0 if visibility.bias is None else visibility.bias)
        )
        if hasattr(self.encoding, "embed"):
            tokens = tokens + self.encoding.embed(x)
        for layer in self.layers:
            tokens = layer(tokens, visibility, last=False)
        return self.norm(tokens), level

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """Each token forecasts the value that follows it, y_query (B, T); no other targets are possible."""
        found, level = self.follow(x, y)
        return self.head.log_density(found, level, y_query)

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
            found, level = self.follow(x[:, :t], y)
            last = self.head(found[:, -1:], level[:, -1:])  # (B, 1, K)
            y = torch.cat([y, Bars(self.borders, last).quantile(0.5)], 1)
        found, level = self.follow(x[:, :-1], y[:, :-1])
        return y[:, T:], Bars(self.borders, self.head(found[:, T - 1 :], level[:, T - 1 :]))


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
