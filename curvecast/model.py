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
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.errors import UserError
from curvecast.heads import BarsHead, MixtureHead

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other logits

SD = math.sqrt(1 / 12)  # standard deviation of U(0, 1): the paper's scale of inputs


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
        self.borders: Tensor
        self.register_buffer("borders", borders)
        self.inputs = Inputs(config)
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
        context, queries = self.inputs(x, y, x_query, level)  # (B, T, d), (B, Q, d)
        if self.encoding is not None and hasattr(self.encoding, "embed"):
            context, queries = context + self.encoding.embed(x), queries + self.encoding.embed(x_query)
        for i, layer in enumerate(self.layers):
            last = i == len(self.layers) - 1  # nobody reads the context after the last layer
            context, queries = layer(context, queries, x, x_query, mask, self.encoding, last)
        return self.norm(queries), level


def check(config: ModelConfig) -> None:
    choices = {"norm": ("pre", "post"), "features": ("epochs", "paper"), "head": ("mixture", "bars")}
    for name, allowed in choices.items():
        if getattr(config, name) not in allowed:
            raise UserError(
                f"ModelConfig.{name} is {getattr(config, name)!r}: take one of {', '.join(allowed)}"
            )
    if config.width % config.heads:
        raise UserError(f"ModelConfig.width {config.width} must be a multiple of heads {config.heads}")


def last_level(x: Tensor, y: Tensor, mask: Tensor | None) -> Tensor:
    """Mean of the observed values, the newest weighted most: where the curve stands.  (B, T) -> (B, 1)"""
    newest = (x if mask is None else torch.where(mask, x, 0.0)).amax(1, keepdim=True)
    weight = torch.exp((x - newest) / 4)  # four epochs: short enough to follow, long enough to average noise
    weight = weight if mask is None else weight * mask
    return (weight * y).sum(1, keepdim=True) / weight.sum(1, keepdim=True).clamp(min=1e-9)


class Inputs(nn.Module):
    """Numbers to tokens: a context token is E_x(x) + E_y(y), a query token E_x(x)."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.rich = config.features == "epochs"
        self.x = nn.Linear(3 if self.rich else 1, config.width)
        self.y = nn.Linear(3 if self.rich else 1, config.width)
        if self.rich:
            self.level = nn.Linear(1, config.width, bias=False)

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor, level: Tensor) -> tuple[Tensor, Tensor]:
        queries = self.x(self.of_x(x_query))
        context = self.x(self.of_x(x)) + self.y(self.of_y(y, level))
        if self.rich:
            queries = queries + self.level((level - 0.5)[..., None] / SD)
        return context, queries

    def of_x(self, x: Tensor) -> Tensor:
        scaled = (x / 101 - 0.5) / SD  # epochs 1..100 to -1.7..1.7
        if not self.rich:
            return scaled[..., None]
        return torch.stack([scaled, x.log() - 3.6, 4 / x - 0.2], -1)  # 3.6 = mean of ln x on 1..100

    def of_y(self, y: Tensor, level: Tensor) -> Tensor:
        scaled = (y - 0.5) / SD
        if not self.rich:
            return scaled[..., None]
        away = y - level
        return torch.stack(
            [scaled, 10 * away, torch.asinh(100 * away)], -1
        )  # fine differences, large ones squeezed


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

    def forward(
        self, context: Tensor, queries: Tensor, x: Tensor, x_query: Tensor, mask: Tensor | None,
        encoding: Encoding | None, last: bool,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        pre = self.config.norm == "pre"
        c = self.norm1(context) if pre else context
        q = self.norm1(queries) if pre else queries
        k, v = self.heads(c, x, "kv", encoding)  # (B, H, T, d/H)
        itself = self.heads(q, x_query, "kv", encoding) if self.config.query_sees_itself else None
        (reader,) = self.heads(q, x_query, "q", encoding)  # (B, H, Q, d/H)
        queries = self.add(queries, self.out(self.attend(reader, k, v, x_query, x, mask, encoding, itself)))
        if last:
            return context, queries
        (reader,) = self.heads(c, x, "q", encoding)  # (B, H, T, d/H)
        return self.add(context, self.out(self.attend(reader, k, v, x, x, mask, encoding, None))), queries

    def heads(self, tokens: Tensor, x: Tensor, which: str, encoding: Encoding | None) -> list[Tensor]:
        """Project to q, or to k and v, and split the width over the heads."""
        d, H = self.config.width, self.config.heads
        rows = slice(0, d) if which == "q" else slice(d, 3 * d)
        projected = F.linear(tokens, self.qkv.weight[rows], self.qkv.bias[rows])
        parts = [part.unflatten(-1, (H, -1)).transpose(1, 2) for part in projected.split(d, -1)]
        if encoding is not None and hasattr(encoding, "rotate"):
            parts[0] = encoding.rotate(parts[0], x)  # q or k; values keep no position
        return parts

    def attend(
        self, reader: Tensor, k: Tensor, v: Tensor, x_reader: Tensor, x: Tensor, mask: Tensor | None,
        encoding: Encoding | None, itself: list[Tensor] | None,
    ) -> Tensor:  # fmt: skip
        """Each reader (B, H, R, d/H) mixes the values of the context and, in the paper, its own.  -> (B, R, d)"""
        dropout = self.config.dropout if self.training else 0.0
        bias = None if mask is None else torch.where(mask, 0.0, -math.inf)[:, None, None].to(reader.dtype)
        if encoding is not None and hasattr(encoding, "bias"):
            by_epoch = encoding.bias(x_reader, x)  # (B, H, R, T)
            bias = by_epoch if bias is None else by_epoch + bias
        if itself is None:
            mixed = F.scaled_dot_product_attention(reader, k, v, bias, dropout)  # (B, H, R, d/H)
            return mixed.transpose(1, 2).flatten(2)
        own_k, own_v = itself
        scores = reader @ k.transpose(-1, -2) / math.sqrt(reader.shape[-1])  # (B, H, R, T)
        own = (reader * own_k).sum(-1, keepdim=True) / math.sqrt(reader.shape[-1])  # (B, H, R, 1)
        if encoding is not None and hasattr(encoding, "bias"):
            own = own + encoding.bias(x_reader.reshape(-1, 1), x_reader.reshape(-1, 1)).unflatten(
                0, x_reader.shape).squeeze(-1).transpose(1, 2)  # fmt: skip
        weights = torch.cat([scores if bias is None else scores + bias, own], -1).softmax(-1)
        weights = F.dropout(weights, dropout)
        return (weights[..., :-1] @ v + weights[..., -1:] * own_v).transpose(1, 2).flatten(2)

    def add(self, tokens: Tensor, attended: Tensor) -> Tensor:
        """The two residual steps of a token, once it knows what attention has found."""
        tokens = tokens + self.drop(attended)
        if self.config.norm == "pre":
            return tokens + self.drop(self.feed(self.norm2(tokens)))
        tokens = self.norm1(tokens)
        return self.norm2(tokens + self.drop(self.feed(tokens)))

    def feed(self, tokens: Tensor) -> Tensor:
        return self.narrow(self.drop(F.gelu(self.wide(tokens))))
