"""The PFN: a transformer that reads the beginning of a curve and answers for any later epoch.

Shapes: B = curves, T = context points, Q = queries, d = width, H = heads, K = buckets, M = components.
Context points attend to all context points of their own curve. Queries read the context and nothing of each other,
so the context is encoded once and any number of queries may follow. Attention runs over time, never over curves.

`ModelConfig.paper(...)` is the published network; the defaults are our recipe. What each difference buys is in
docs/log.md: norm before the layer, no dropout, features log x and 1/x, and a mixture head, which writes the K
bucket masses as a mixture of M Gaussians instead of K free logits.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.errors import UserError
from curvecast.heads import BEHAVIOUR as HEADS
from curvecast.heads import BarsHead, MixtureHead
from curvecast.inputs import Inputs, last_level

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other logits


@dataclass(frozen=True)
class ModelConfig:
    width: int = 128  # d
    layers: int = 3
    heads: int = 4  # H
    expand: int = 2  # feed-forward width / d
    norm: str = "pre"  # "post" is the paper's
    dropout: float = 0.0
    features: str = "epochs"  # x, log x, 1/x and the level of the last points; "paper": x and y alone
    head: str = "mixture"  # "bars" is the paper's: one free logit a bucket
    components: int = 10  # M
    query_sees_itself: bool = False

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


class Encoding(Protocol):
    """A positional encoding: an object with any of these three methods (and nn.Parameters, if it is an nn.Module)."""

    def embed(self, x: Tensor) -> Tensor:  # (B, T) -> (B, T, d), added to the embedding
        ...

    def rotate(
        self, heads: Tensor, x: Tensor
    ) -> Tensor:  # (B, H, T, d/H), (B, T) -> (B, H, T, d/H), for q and k
        ...

    def bias(
        self, x_query: Tensor, x_context: Tensor
    ) -> Tensor:  # (B, Q), (B, T) -> (B, H, Q, T), added to scores
        ...


class PFN(nn.Module):
    def __init__(self, config: ModelConfig, borders: Tensor, encoding: Encoding | None = None):
        super().__init__()
        check(config)
        d = config.width
        self.config, self.encoding = config, encoding
        self.chance = "dropout" if config.dropout else ""
        self.borders: Tensor
        self.register_buffer("borders", borders)
        self.inputs = Inputs(d, rich=config.features == "epochs")
        layer = Layer(config)  # the paper starts all layers as copies of one
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(config.layers))
        self.norm = nn.LayerNorm(d) if config.norm == "pre" else nn.Identity()
        self.head = (
            MixtureHead(d, config.components, borders) if config.head == "mixture" else BarsHead(d, borders)
        )

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Tensor:
        """Context x, y (B, T), queries (B, Q), mask (B, T) true where observed -> logits (B, Q, K)."""
        return self.head(*self.read(x, y, x_query, mask))

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """What `forward` and Bars would say of y_query (B, Q), without writing all K logits where that is possible."""
        return self.head.log_density(*self.read(x, y, x_query, mask), y_query)

    def read(
        self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """-> what each query has found (B, Q, d), and the level of the curve's last points (B, 1)."""
        if mask is not None:
            x, y = torch.where(mask, x, 1.0), torch.where(mask, y, 0.0)  # hidden values, NaN too, never enter
        level = last_level(x, y, mask)  # (B, 1)
        tokens = self.inputs(x, y, x_query, level)  # (B, T + Q, d)
        sight = Sight.of(x, x_query, mask, self.encoding, self.config.query_sees_itself)
        if self.encoding is not None and hasattr(self.encoding, "embed"):
            tokens = tokens + self.encoding.embed(sight.x)
        for i, layer in enumerate(self.layers):
            tokens = layer(tokens, sight, last=i == len(self.layers) - 1)
        return self.norm(tokens), level


class Sight(NamedTuple):
    """Who sees what: every token reads the context, the first T of them, and in the paper a query also reads itself."""

    x: Tensor  # (B, T + Q) epochs of all tokens
    T: int
    rotate: Callable[[Tensor, Tensor], Tensor] | None
    bias: Tensor | None  # added to the scores, (B, H or 1, T + Q or 1, T)
    own_bias: Tensor | None  # of a query on itself, (B, H, Q, 1)

    @staticmethod
    def of(
        x: Tensor, x_query: Tensor, mask: Tensor | None, encoding: Encoding | None, itself: bool
    ) -> "Sight":
        every = torch.cat([x, x_query], 1)
        bias = None if mask is None else torch.where(mask, 0.0, -math.inf)[:, None, None]
        own_bias = None
        if encoding is not None and hasattr(encoding, "bias"):
            by_epoch = encoding.bias(every, x)
            bias = by_epoch if bias is None else by_epoch + bias
            if itself:
                alone = x_query.reshape(-1, 1)
                own = encoding.bias(alone, alone).unflatten(0, x_query.shape)  # (B, Q, H, 1, 1)
                own_bias = own.squeeze(-1).transpose(1, 2)
        return Sight(every, x.shape[1], getattr(encoding, "rotate", None), bias, own_bias)


def check(config: ModelConfig) -> None:
    choices = {"norm": ("pre", "post"), "features": ("epochs", "paper"), "head": ("mixture", "bars")}
    for name, allowed in choices.items():
        if getattr(config, name) not in allowed:
            raise UserError(
                f"ModelConfig.{name} is {getattr(config, name)!r}: take one of {', '.join(allowed)}"
            )
    if config.width % config.heads:
        raise UserError(f"ModelConfig.width {config.width} must be a multiple of heads {config.heads}")


class Layer(nn.Module):
    """Attention and a feed-forward network, each added to what was there, normalised before ("pre") or after."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        d = config.width
        self.config = config
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.wide, self.narrow = nn.Linear(d, config.expand * d), nn.Linear(config.expand * d, d)
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.drop = nn.Dropout(config.dropout)
        nn.init.xavier_uniform_(self.qkv.weight)  # as torch's own attention
        for linear in (self.qkv, self.out, self.narrow):
            nn.init.zeros_(linear.bias)
        for linear in (self.out, self.narrow):  # each layer starts as the identity
            nn.init.zeros_(linear.weight)

    def forward(self, tokens: Tensor, sight: Sight, last: bool) -> Tensor:
        """(B, T + Q, d) -> the same; from the last layer only the Q queries, for nobody reads the context any more."""
        normed = self.norm1(tokens) if self.config.norm == "pre" else tokens
        if last:
            tokens = tokens[:, sight.T :]
        return self.add(tokens, self.out(self.attend(normed, sight, tokens.shape[1])))

    def attend(self, tokens: Tensor, sight: Sight, R: int) -> Tensor:
        """The last R tokens read the context: each mixes its values and, in the paper, a query its own.  -> (B, R, d)"""
        T, d = sight.T, self.config.width
        w_q, w_kv = self.qkv.weight.split([d, 2 * d])
        b_q, b_kv = self.qkv.bias.split([d, 2 * d])
        q = self.split(F.linear(tokens[:, -R:], w_q, b_q))  # (B, H, R, d/H)
        written = tokens if self.config.query_sees_itself else tokens[:, :T]
        k, v = map(self.split, F.linear(written, w_kv, b_kv).chunk(2, -1))  # (B, H, T or T + Q, d/H)
        if sight.rotate is not None:
            q = sight.rotate(q, sight.x[:, -R:])
            k = sight.rotate(k, sight.x[:, : k.shape[2]])  # values keep no position
        bias = sight.bias
        if bias is not None:
            bias = bias[:, :, -R:].to(q.dtype)
        dropout = self.config.dropout if self.training else 0.0
        if not self.config.query_sees_itself:
            mixed = F.scaled_dot_product_attention(q, k, v, bias, dropout)  # (B, H, R, d/H)
            return mixed.transpose(1, 2).flatten(2)
        return self.with_itself(q, k, v, bias, sight, dropout).transpose(1, 2).flatten(2)

    def split(self, tokens: Tensor) -> Tensor:
        """The width over the heads: (B, T, d) -> (B, H, T, d/H)"""
        return tokens.unflatten(-1, (self.config.heads, -1)).transpose(1, 2)

    def with_itself(
        self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, sight: Sight, dropout: float
    ) -> Tensor:
        """Attention with one more column: what a query has to say to itself; the context has no such column."""
        T, Q = sight.T, k.shape[2] - sight.T
        scale = 1 / math.sqrt(q.shape[-1])
        scores = scale * q @ k[:, :, :T].transpose(-1, -2)  # (B, H, R, T)
        own = scale * (q[:, :, -Q:] * k[:, :, T:]).sum(-1, keepdim=True)  # (B, H, Q, 1)
        if bias is not None:
            scores = scores + bias
        if sight.own_bias is not None:
            own = own + sight.own_bias
        own = F.pad(own, (0, 0, q.shape[2] - Q, 0), value=-math.inf)  # (B, H, R, 1)
        weights = F.dropout(torch.cat([scores, own], -1).softmax(-1), dropout)
        mixed = weights[..., :-1] @ v[:, :, :T]
        mixed[:, :, -Q:] += weights[:, :, -Q:, -1:] * v[:, :, T:]
        return mixed  # (B, H, R, d/H)

    def add(self, tokens: Tensor, attended: Tensor) -> Tensor:
        """The two residual steps of a token, once it knows what attention has found."""
        tokens = tokens + self.drop(attended)
        if self.config.norm == "pre":
            return tokens + self.drop(self.feed(self.norm2(tokens)))
        tokens = self.norm1(tokens)
        return self.norm2(tokens + self.drop(self.feed(tokens)))

    def feed(self, tokens: Tensor) -> Tensor:
        return self.narrow(self.drop(F.gelu(self.wide(tokens))))
