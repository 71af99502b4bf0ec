"""The PFN: a transformer that reads the beginning of a curve and predicts any later epoch.

Shapes: B = curves, T = context points, Q = queries, d = width, H = heads, K = buckets, M = components.
Context points attend to all context points of their own curve. Queries attend to the context and not to each other,
so the context is encoded once for any number of queries. Attention runs over time, never over curves.

`ModelConfig.paper(...)` is the published network; the defaults are our recipe. The effect of each difference is in
notebook/2026-11.md: norm before the layer, no dropout, features log x and 1/x, and a mixture head: the K bucket masses come
from a mixture of M Gaussians instead of K free logits.
"""

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.ground.config import later
from curvecast.ground.errors import UserError, demand
from curvecast.networks.heads import BEHAVIOUR as HEADS
from curvecast.networks.heads import Answers, BarsHead, MixtureHead, SpreadHead
from curvecast.networks.inputs import Inputs, PlannedInputs, SpreadInputs, newest
from curvecast.networks.layer import Encoding, Layer, Visibility

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other logits, here or in layer.py
# features with inputs of their own, in units of the spread; a head that places the components of a mixture goes with them
USES_SPREAD = {"spread": SpreadInputs, "planned": PlannedInputs}


@dataclass(frozen=True)
class ModelConfig:
    width: int = 128  # d
    layers: int = 3
    heads: int = 4  # H
    expand: int = 2  # feed-forward width / d
    norm: str = "pre"  # "post" is the paper's
    dropout: float = 0.0
    # "epochs": x, log x, 1/x and the level of the last points; "spread": also units of their spread; "planned": also planned
    # rates; "paper": only x and y
    features: str = "epochs"
    head: str = "mixture"  # "bars" is the paper's: one free logit for each bucket
    components: int = 10  # M
    query_sees_itself: bool = False
    hedge: float = later(0.0)  # weight of one wide component of a mixture: see heads.py

    @staticmethod
    def paper(width: int, layers: int) -> "ModelConfig":
        """The published network: heads of 128 dimensions, feed-forward 2d, dropout 0.2."""
        return ModelConfig(
            width, layers, max(1, width // 128), 2, "post", 0.2, "paper", "bars", query_sees_itself=True
        )

    @property
    def label(self) -> str:
        return f"{self.layers}x{self.width}"

    def behaviour(self) -> dict[str, int]:
        return {"heads": HEADS, "model": BEHAVIOUR}

    def network(self, borders: Tensor) -> "PFN":
        return PFN(self, borders)


class PFN(Answers):
    def __init__(self, config: ModelConfig, borders: Tensor, encoding: Encoding | None = None):
        super().__init__()
        check(config)
        d = config.width
        self.config, self.encoding = config, encoding
        self.random_stream = "dropout" if config.dropout else ""
        self.borders: Tensor
        self.register_buffer("borders", borders)
        own = USES_SPREAD.get(config.features)
        self.inputs: Any = own(d) if own else Inputs(d, rich=config.features == "epochs")
        # as in the paper, all layers start as copies of one
        pre = config.norm == "pre"
        layer = Layer(d, config.heads, config.expand, config.dropout, pre, config.query_sees_itself)
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(config.layers))
        self.norm = nn.LayerNorm(d) if pre else nn.Identity()
        mixture, mixed = SpreadHead if own else MixtureHead, (d, config.components, borders, config.hedge)
        self.head = mixture(*mixed) if config.head == "mixture" else BarsHead(d, borders)

    def read(
        self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Epochs are numbers, x (B, T); or numbers with a planned rate, x (B, T, 2) and x_query (B, Q, 2)."""
        rates = None
        if x.ndim == 3:
            rates = torch.cat([x[..., 1], x_query[..., 1]], 1)  # (B, T + Q)
            x, x_query = x[..., 0], x_query[..., 0]
        if mask is not None:
            x, y = torch.where(mask, x, 1.0), torch.where(mask, y, 0.0)  # hidden values may be NaN
        stand = self.inputs.stand(x, y, mask)
        tokens = self.inputs(x, y, x_query, stand)  # (B, T + Q, d)
        if rates is not None:
            tokens = tokens + self.inputs.planned(rates, newest(x, rates[:, : x.shape[1]]))
        visibility = Visibility.of(x, x_query, mask, self.encoding, self.config.query_sees_itself)
        if self.encoding is not None and hasattr(self.encoding, "embed"):
            tokens = tokens + self.encoding.embed(visibility.x)
        return self.through(tokens, visibility), stand

    def through(self, tokens: Tensor, visibility: Visibility) -> Tensor:
        """(B, T + Q, d) -> encoded queries (B, Q, d)"""
        for i, layer in enumerate(self.layers):
            tokens = layer(tokens, visibility, last=i == len(self.layers) - 1)
        encoded: Tensor = self.norm(tokens)
        return encoded


def check(config: ModelConfig) -> None:
    features = ("epochs", "spread", "planned", "paper")
    choices = {"norm": ("pre", "post"), "features": features, "head": ("mixture", "bars")}
    for name, allowed in choices.items():
        way = f"take one of {', '.join(allowed)}"
        demand(getattr(config, name) in allowed, f"ModelConfig.{name} is {getattr(config, name)!r}: {way}")
    fits = config.features not in USES_SPREAD or config.head == "mixture"
    places = f"ModelConfig.features {config.features!r} places the components of a mixture"
    demand(fits, f"{places}: take head 'mixture'")
    if config.width % config.heads:
        raise UserError(f"ModelConfig.width {config.width} must be a multiple of heads {config.heads}")
