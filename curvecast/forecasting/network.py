"""The network that ships, in numpy: a transformer that reads the beginning of a curve and answers for any later epoch.

As curvecast/networks/model.py, inputs.py, layer.py and heads.py with their default settings, to which a test holds it.
Shapes: B = curves, T = context points, Q = queries, R = tokens that read (all T + Q, in the last layer Q), d = width,
H = heads, M = components. Context points attend to all context points of their own curve, queries to the same. Where a
planned learning rate is told, an epoch is two numbers: (B, T, 2) and (B, Q, 2).
"""

import math
from typing import Any, Protocol

import numpy as np

from curvecast.forecasting.density import Buckets, Density
from curvecast.forecasting.normal_law import gelu

Array = np.ndarray
State = dict[str, Array]

SD = math.sqrt(1 / 12)  # standard deviation of U(0, 1): the scale of inputs
LEAST_SPREAD, LEAST_RATE = 1e-4, 1e-3
WIDE = 1.0  # scale of the component that a hedge adds
BEHAVIOUR = {"bars": 1, "heads": 1, "model": 1}  # of the code that it repeats
KNOWN = {
    "norm": ("pre",), "head": ("mixture",), "features": ("epochs", "spread", "planned"), "query_sees_itself": (False,),
}  # fmt: skip


class DensityNetwork(Protocol):
    """Whoever can be asked for a density: this network, or one of torch."""

    def density(self, x: Any, y: Any, x_query: Any, mask: Any = None) -> Any: ...


def can_ask(config: dict[str, Any]) -> bool:
    """Is a network of this config, a ModelConfig in JSON, of the kind that is written here?"""
    return all(config.get(name) in some for name, some in KNOWN.items())


class Network:
    """state: tensors by the names that torch's network has for them; all sums are made in their kind of number."""

    def __init__(self, config: dict[str, Any], state: State):
        self.heads, self.spread = config["heads"], config["features"] != "epochs"
        self.hedge = config.get("hedge", 0.0)
        self.buckets = Buckets(state["borders"])
        self.x, self.y = Linear(state, "inputs.x"), Linear(state, "inputs.y")
        self.level = state["inputs.level.weight"].T  # (1 or 2, d)
        self.reads_plans = config["features"] == "planned"
        self.plan = state["inputs.plan.weight"].T if self.reads_plans else None  # (4, d)
        self.layers = [Layer(state, f"layers.{i}.", self.heads) for i in range(config["layers"])]
        self.wide, self.out = Linear(state, "head.wide", after="norm"), Linear(state, "head.out")

    def density(self, x: Array, y: Array, x_query: Array, mask: Array | None = None) -> Density:
        """Context x, y (B, T), queries (B, Q), mask (B, T) true where observed -> a density for each query (B, Q)."""
        kind = self.level.dtype
        # in double precision: small differences of y count a hundredfold
        x, y, x_query = (np.asarray(part, float) for part in (x, y, x_query))
        rates = None
        if x.ndim == 3:
            x, x_query, rates = x[..., 0], x_query[..., 0], np.concatenate([x[..., 1], x_query[..., 1]], 1)
        if mask is not None:
            x, y = np.where(mask, x, 1.0), np.where(mask, y, 0.0)  # hidden values, NaN too, never enter
        level, spread = self.stand(x, y, mask)
        tokens = self.tokens(x, y, x_query, level, spread)
        if rates is not None:
            newest = np.take_along_axis(rates, x.argmax(1)[:, None], 1)  # (B, 1)
            tokens += _of_plan(rates, newest) @ self.plan
        tokens = tokens.astype(kind)
        level, spread = level.astype(kind), spread.astype(kind)
        for i, layer in enumerate(self.layers):
            tokens = layer(tokens, x.shape[1], mask, last=i == len(self.layers) - 1)
        return self.answer(tokens, level, spread)

    def stand(self, x: Array, y: Array, mask: Array | None) -> tuple[Array, Array]:
        """Where the curve stands: level and spread of its last points, the newest weighted most.  each (B, 1)"""
        newest = (x if mask is None else np.where(mask, x, 0)).max(1, keepdims=True)
        weight = np.exp((x - newest) / 4) if mask is None else np.exp((x - newest) / 4) * mask
        weight /= np.maximum(weight.sum(1, keepdims=True), 1e-9)
        level = (weight * y).sum(1, keepdims=True)
        square = (weight * (y - level) ** 2).sum(1, keepdims=True)
        return level, np.sqrt(square + LEAST_SPREAD**2)

    def tokens(self, x: Array, y: Array, x_query: Array, level: Array, spread: Array) -> Array:
        """-> (B, T + Q, d)"""
        away = y - level
        of_y = [(y - 0.5) / SD, 10 * away, np.arcsinh(100 * away)]
        stand, own = [(level - 0.5) / SD], [np.zeros_like(level)]
        if self.spread:
            of_y.append(np.arcsinh(away / spread))
            size = (np.log(spread) + 4.5) / 2
            stand, own = [*stand, size], [*own, size]
        context = self.x(_of_x(x)) + self.y(np.stack(of_y, -1)) + np.stack(own, -1) @ self.level
        return np.concatenate([context, self.x(_of_x(x_query)) + np.stack(stand, -1) @ self.level], 1)

    def answer(self, tokens: Array, level: Array, spread: Array) -> Density:
        """Half of the components are placed in units of the curve's own spread, if the network knows it."""
        log_w, shift, log_s = np.split(self.out(gelu(self.wide(normed(tokens)))), 3, -1)  # (B, Q, M)
        log_w = log_w - log_w.max(-1, keepdims=True)
        log_w = log_w - np.log(np.exp(log_w).sum(-1, keepdims=True))
        level = level[..., None]
        if self.spread:
            unit = np.ones_like(shift[:, :1])  # (B, 1, M)
            unit[..., : shift.shape[-1] // 2] = spread[..., None]
            scales = np.clip(unit * np.exp(np.clip(log_s, -9, 4)), 4e-5, 8)
            means = level + np.clip(unit * shift, -3, 3)
        else:
            means, scales = level + shift, np.exp(np.clip(log_s, -9, 2))
        if self.hedge:
            one = np.ones_like(log_w[..., :1])
            log_w = np.concatenate([log_w + math.log1p(-self.hedge), math.log(self.hedge) * one], -1)
            means, scales = np.concatenate([means, level * one], -1), np.concatenate([scales, WIDE * one], -1)
        return Density(self.buckets, log_w, means, scales)


class Layer:
    """Attention and a feed-forward network, each added to what was there, normalised before it."""

    def __init__(self, state: State, name: str, heads: int):
        self.heads = heads
        qkv = Linear(state, name + "qkv", after=name + "norm1")
        d = len(qkv.weight)
        scale = 1 / math.sqrt(d // heads)
        self.q = Linear.of(qkv.weight[:, :d] * scale, qkv.bias[:d] * scale)
        self.kv = Linear.of(qkv.weight[:, d:], qkv.bias[d:])
        self.out = Linear(state, name + "out")
        self.wide = Linear(state, name + "wide", after=name + "norm2")
        self.narrow = Linear(state, name + "narrow")

    def __call__(self, tokens: Array, T: int, mask: Array | None, last: bool) -> Array:
        """(B, T + Q, d) -> the same; from the last layer only the Q queries, for nobody reads the context any more."""
        small = normed(tokens)
        context = small[:, :T]
        if last:
            tokens, small = tokens[:, T:], small[:, T:]
        tokens = tokens + self.out(self.attend(small, context, mask))
        tokens += self.narrow(gelu(self.wide(normed(tokens))))
        return tokens

    def attend(self, readers: Array, context: Array, mask: Array | None) -> Array:
        """Readers (B, R, d) read the context (B, T, d).  -> (B, R, d)"""
        B, R, d = readers.shape
        T, H = context.shape[1], self.heads
        q = self.q(readers).reshape(B, R, H, d // H).transpose(0, 2, 3, 1)  # (B, H, d/H, R)
        kv = self.kv(context).reshape(B, T, 2, H, d // H)
        k = kv[:, :, 0].transpose(0, 2, 1, 3)  # (B, H, T, d/H)
        v = kv[:, :, 1].transpose(0, 2, 3, 1)  # (B, H, d/H, T)
        scores = k @ q  # (B, H, T, R): long rows side by side are many times as fast
        if mask is not None:
            scores = np.where(mask[:, None, :, None], scores, -np.inf)
        scores -= scores.max(2, keepdims=True)
        weights = np.exp(scores, out=scores)
        weights /= weights.sum(2, keepdims=True)
        mixed = v @ weights  # (B, H, d/H, R)
        return mixed.reshape(B, d, R).swapaxes(1, 2)


class Linear:
    """x W + b; where it follows a norm, with that norm's own scale and shift in it."""

    def __init__(self, state: State, name: str, after: str = ""):
        weight, bias = state[name + ".weight"].T, state[name + ".bias"]  # (in, out), (out,)
        if after:
            bias = bias + state[after + ".bias"] @ weight
            weight = state[after + ".weight"][:, None] * weight
        self.weight, self.bias = np.ascontiguousarray(weight), bias

    @classmethod
    def of(cls, weight: Array, bias: Array) -> "Linear":
        made = cls.__new__(cls)
        made.weight, made.bias = np.ascontiguousarray(weight), bias
        return made

    def __call__(self, x: Array) -> Array:
        outputs = x.reshape(-1, x.shape[-1]) @ self.weight
        outputs += self.bias
        return outputs.reshape(*x.shape[:-1], -1)


def normed(tokens: Array) -> Array:
    """Mean 0 and variance 1 over the width."""
    d = tokens.shape[-1]
    # a mean() takes eight times as long
    centred = tokens - (tokens @ np.full(d, 1 / d, tokens.dtype))[..., None]
    variance = np.einsum("...d,...d->...", centred, centred) / d
    centred *= (1 / np.sqrt(variance + 1e-5))[..., None]
    return centred


def _of_x(x: Array) -> Array:
    return np.stack([(x / 101 - 0.5) / SD, np.log(x) - 3.6, 4 / x - 0.2], -1)


def _of_plan(rate: Array, now: Array) -> Array:
    """Rates (B, R) relative to the highest one, and that of the newest point (B, 1); 0 is not told.  -> (B, R, 4)"""
    log, log_now = (np.log(np.maximum(part, LEAST_RATE)) for part in (rate, now))
    numbers = np.stack([np.ones_like(rate), 2 * rate - 1, log / 2 + 1, (log - log_now) / 2], -1)
    return np.where(((rate > 0) & (now > 0))[..., None], numbers, 0.0)
