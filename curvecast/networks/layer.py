"""One layer of the network: attention to the context, then a feed-forward network for each token; dropout, and masks.

Shapes: B = curves, T = context points, Q = queries, R = tokens that read (all T + Q, in the last layer Q), d = width,
H = heads.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import UserError


class Encoding(Protocol):
    """A positional encoding: an object with any of these three methods (and nn.Parameters, if it is an nn.Module)."""

    # (B, T) -> (B, T, d), added to the embedding
    def embed(self, x: Tensor) -> Tensor: ...

    # (B, H, T, d/H), (B, T) -> (B, H, T, d/H), for queries and keys
    def rotate(self, heads: Tensor, x: Tensor) -> Tensor: ...

    # (B, Q), (B, T) -> (B, H, Q, T), added to the scores
    def bias(self, x_query: Tensor, x_context: Tensor) -> Tensor: ...


class Visibility(NamedTuple):
    """Which token attends to which: all to the context (the first T tokens), and in the paper a query also to itself."""

    x: Tensor  # (B, T + Q) epochs of all tokens
    T: int
    rotate: Callable[[Tensor, Tensor], Tensor] | None
    bias: Tensor | None  # added to the scores, (B, H or 1, T + Q or 1, T)
    self_bias: Tensor | None  # of a query on itself, (B, H, Q, 1)

    @staticmethod
    def of(
        x: Tensor, x_query: Tensor, mask: Tensor | None, encoding: Encoding | None, itself: bool
    ) -> "Visibility":
        x_all = torch.cat([x, x_query], 1)
        bias = None if mask is None else torch.where(mask, 0.0, -math.inf)[:, None, None]
        self_bias = None
        if encoding is not None and hasattr(encoding, "bias"):
            by_epoch = encoding.bias(x_all, x)
            bias = by_epoch if bias is None else by_epoch + bias
            if itself:
                single = x_query.reshape(-1, 1)
                by_query = encoding.bias(single, single).unflatten(0, x_query.shape)  # (B, Q, H, 1, 1)
                self_bias = by_query.squeeze(-1).transpose(1, 2)
        return Visibility(x_all, x.shape[1], getattr(encoding, "rotate", None), bias, self_bias)


class Dropout(nn.Module):
    """Dropout by torch's generator; or, where `words` is set, by 16 bits of it for each number.

    On a CPU torch draws one number at a time, on one thread: a quarter of a training step went into it.
    """

    words: np.random.SFC64 | None = None

    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if self.words is None or not self.training or not self.p:
            return F.dropout(x, self.p, self.training)
        drawn = self.words.random_raw(-(-x.numel() // 4)).view(np.int16)[: x.numel()]
        kept = torch.from_numpy(drawn) >= round(self.p * 2**16) - 2**15
        return x * kept.view(x.shape).to(x.dtype).mul_(1 / (1 - self.p))


class Layer(nn.Module):
    """Attention and a feed-forward network with residual connections, normalised before each or after."""

    def __init__(
        self, width: int, heads: int, expand: int, dropout: float, norm_first: bool, queries_see_themselves: bool
    ):  # fmt: skip
        super().__init__()
        d = width
        self.width, self.heads = width, heads
        self.norm_first, self.queries_see_themselves = norm_first, queries_see_themselves
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.wide, self.narrow = nn.Linear(d, expand * d), nn.Linear(expand * d, d)
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.drop = Dropout(dropout)
        nn.init.xavier_uniform_(self.qkv.weight)  # as in torch's own attention
        for linear in (self.qkv, self.out, self.narrow):
            nn.init.zeros_(linear.bias)
        for linear in (self.out, self.narrow):  # each layer starts as the identity
            nn.init.zeros_(linear.weight)

    def forward(self, tokens: Tensor, visibility: Visibility, last: bool) -> Tensor:
        """(B, T + Q, d) -> the same shape; the last layer returns only the Q queries, since the context is not read again."""
        normed = self.norm1(tokens) if self.norm_first else tokens
        if last:
            tokens = tokens[:, visibility.T :]
        R = tokens.shape[1]
        return self.add(tokens, self.attend(normed, visibility, R))

    def attend(self, tokens: Tensor, visibility: Visibility, R: int) -> Tensor:
        """The last R tokens attend to the context and, in the paper, a query also to itself.  -> (B, R, d)"""
        T, d = visibility.T, self.width
        w_q, w_kv = self.qkv.weight.split([d, 2 * d])
        b_q, b_kv = self.qkv.bias.split([d, 2 * d])
        q = self.split(F.linear(tokens[:, -R:], w_q, b_q))  # (B, H, R, d/H)
        readable = tokens if self.queries_see_themselves else tokens[:, :T]
        k, v = map(self.split, F.linear(readable, w_kv, b_kv).chunk(2, -1))  # (B, H, T or T + Q, d/H)
        if visibility.rotate is not None:
            q = visibility.rotate(q, visibility.x[:, -R:])
            k = visibility.rotate(k, visibility.x[:, : k.shape[2]])  # values are not rotated
        bias = None if visibility.bias is None else visibility.bias[:, :, -R:].to(q.dtype)
        if self.queries_see_themselves:
            mixed = self.with_itself(q, k, v, bias, visibility)
        else:
            dropout = self.drop.p if self.training else 0.0
            mixed = F.scaled_dot_product_attention(q, k, v, bias, dropout)  # (B, H, R, d/H)
        return self.out(mixed.transpose(1, 2).flatten(2))

    def split(self, tokens: Tensor) -> Tensor:
        """The width over the heads: (B, T, d) -> (B, H, T, d/H)"""
        return tokens.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def with_itself(
        self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, visibility: Visibility
    ) -> Tensor:
        """Attention with one more column for the queries: the score of a query on itself."""
        T, Q = visibility.T, k.shape[2] - visibility.T
        scale = 1 / math.sqrt(q.shape[-1])
        scores = scale * q @ k[:, :, :T].transpose(-1, -2)  # (B, H, R, T)
        self_scores = scale * (q[:, :, -Q:] * k[:, :, T:]).sum(-1, keepdim=True)  # (B, H, Q, 1)
        if bias is not None:
            scores = scores + bias
        if visibility.self_bias is not None:
            self_scores = self_scores + visibility.self_bias
        self_scores = F.pad(self_scores, (0, 0, q.shape[2] - Q, 0), value=-math.inf)  # (B, H, R, 1)
        weights = self.drop(torch.cat([scores, self_scores], -1).softmax(-1))
        mixed = weights[..., :-1] @ v[:, :, :T]
        mixed[:, :, -Q:] += weights[:, :, -Q:, -1:] * v[:, :, T:]
        return mixed  # (B, H, R, d/H)

    def add(self, tokens: Tensor, attended: Tensor) -> Tensor:
        """The two residual steps of a token, given the output of attention."""
        tokens = tokens + self.drop(attended)
        if self.norm_first:
            return tokens + self.drop(self.feed(self.norm2(tokens)))
        tokens = self.norm1(tokens)
        return self.norm2(tokens + self.drop(self.feed(tokens)))

    def feed(self, tokens: Tensor) -> Tensor:
        return self.narrow(self.drop(F.gelu(self.wide(tokens))))


# -----------------------------------------------------------------------------------------------------------
# Attention masks: a square of booleans, one row for each token that reads, one column for each token that is read.
#
# True means "may attend". Torch's layers use the opposite convention, so they are given `~mask`.

KINDS = ("full", "causal", "pfn")


def mask(kind: str, tokens: int, context: int | None = None, itself: bool = True) -> Tensor:
    """The first `context` of S = `tokens` tokens are observed points, the others queries.  -> (S, S)"""
    context = tokens if context is None else context
    if kind == "full":  # an encoder: every token attends to every token
        return torch.ones(tokens, tokens, dtype=torch.bool)
    if kind == "causal":  # a decoder: no token attends to later ones
        return torch.ones(tokens, tokens, dtype=torch.bool).tril()
    if kind == "pfn":  # all attend to the observed points; in the paper a query also to itself
        observed = (torch.arange(tokens) < context).expand(tokens, tokens)
        self_only = torch.eye(tokens, dtype=torch.bool) & ~observed
        return observed | self_only if itself else observed
    raise UserError(f"there is no mask {kind!r}; take one of {', '.join(KINDS)}")


# -----------------------------------------------------------------------------------------------------------
# Which input does an output depend on? Where the gradient is exactly zero, there is no dependence.
#
# A plot of it reveals attention over the wrong axis, a leaking mask, or an input that was never connected.


def dependence(outputs: Tensor, inputs: Tensor) -> Tensor:
    """|d output / d input| of each output (N,) with respect to the inputs (...), which require a gradient.  -> (N, ...)"""
    rows = []
    for output in outputs:
        (gradient,) = torch.autograd.grad(output, inputs, retain_graph=True, allow_unused=True)
        rows.append(torch.zeros_like(inputs) if gradient is None else gradient.abs())
    return torch.stack(rows)
