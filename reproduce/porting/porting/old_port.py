"""The ports of the student blog, rebuilt from their behaviour and not from their code; each fault is a switch.

A curve goes in one number at a time: embedded, times the root of d, plus an encoding of its position, through torch's own
layers (norm after, ReLU, dropout), to the next number. Trained on the squared error of the next number.

By name: "small-free" keeps its faults, "small-free-mended" has none. "only-axis" is "small-mended" with that one fault;
"down-axis" has it and all that come before it on the way to the last column of the blog's table.

Shapes: B = curves, T = epochs, c = cutoff, d = width, G = groups of curves that attend to one another
where `axis` is "curves".
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.curves.prior import PriorConfig, sample
from curvecast.ground.errors import UserError
from curvecast.networks.layer import mask
from curvecast.training.batches import seed_of

LONGEST = 128  # positions that have an encoding


@dataclass(frozen=True)
class OldPort:
    """The defaults are the small port with all its faults."""

    width: int = 32  # d
    expand: int = 1  # feed-forward width / d
    layers: int = 4
    heads: int = 8
    dropout: float = 0.1
    axis: str = "curves"  # attention runs over the curves of a batch; repaired: "epochs"
    place: str = "curves"  # the encoding numbers the curves of a batch; repaired: "epochs"
    code: str = "sin-cos"  # or "euclidean": the number itself, in all d places


CHOICES = {"axis": ("curves", "epochs"), "place": ("curves", "epochs"), "code": ("sin-cos", "euclidean")}


class Network(nn.Module):
    def __init__(self, port: OldPort):
        super().__init__()
        for field, allowed in CHOICES.items():
            if getattr(port, field) not in allowed:
                raise UserError(f"OldPort.{field} is {getattr(port, field)!r}: take {' or '.join(allowed)}")
        d, over_epochs = port.width, port.axis == "epochs"
        self.port, self.drop = port, nn.Dropout(port.dropout)
        self.into, self.out = nn.Linear(1, d), nn.Linear(d, 1)
        for linear in (self.into, self.out):
            nn.init.uniform_(linear.weight, -0.1, 0.1)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(  # the fault: batch_first says which axis is time, and was left out
                d, port.heads, port.expand * d, port.dropout, batch_first=over_epochs
            )
            for _ in range(port.layers)
        )
        self.codes: Tensor
        self.register_buffer("codes", codes(port.code, d))  # (places, d)

    def forward(self, y: Tensor, first: int = 0, group: int | None = None) -> Tensor:
        """Values (B, T) from epoch `first` on -> what comes after each of them (B, T); groups of curves, or all."""
        tokens = self.tokens(y, first, group or len(y))  # (B, T, d)
        if self.port.axis == "curves":
            tokens = tokens.unflatten(0, (-1, group or len(y))).transpose(0, 1)  # (group, G, T, d)
            shape = tokens.shape
            tokens = tokens.flatten(1, 2)  # (group, G T, d)
            for layer in self.layers:
                tokens = layer(tokens)
            return self.out(tokens.view(shape).transpose(0, 1).flatten(0, 1))[..., 0]
        hidden = ~mask("causal", y.shape[1]).to(y.device)
        for layer in self.layers:
            tokens = layer(tokens, src_mask=hidden, is_causal=True)
        return self.out(tokens)[..., 0]

    def tokens(self, y: Tensor, first: int, group: int) -> Tensor:
        B, T = y.shape
        slots = torch.arange(B, device=y.device) % group
        place = slots[:, None] if self.port.place == "curves" else first + torch.arange(T, device=y.device)
        return self.drop(self.into(y[..., None]) * math.sqrt(self.port.width) + self.codes[place])

    def roll(self, y: Tensor, cutoff: int, length: int, group: int | None = None) -> Tensor:
        """Reads `cutoff` true values (B, cutoff), then its own.  -> forecasts of epochs 2 .. length (B, length - 1)"""
        memory = partial(self.read, pasts=[None] * len(self.layers))
        reader = self if self.port.axis == "curves" else memory  # over curves it reads the last value alone
        told = [reader(y[:, :cutoff], 0, group)]
        for t in range(cutoff, length - 1):
            told.append(reader(told[-1][:, -1:], t, group))
        return torch.cat(told, 1)

    def read(self, y: Tensor, first: int, group: int | None, pasts: "list[Past]") -> Tensor:
        """As `forward` over epochs, for the values that follow those already read."""
        tokens = self.tokens(y, first, group or len(y))
        for i, layer in enumerate(self.layers):
            tokens, pasts[i] = further(cast(nn.TransformerEncoderLayer, layer), tokens, pasts[i])
        return self.out(tokens)[..., 0]


Past = tuple[Tensor, Tensor] | None  # keys and values of all earlier tokens, (B, heads, t, d / heads) each


def further(layer: nn.TransformerEncoderLayer, tokens: Tensor, past: Past) -> tuple[Tensor, Past]:
    """One of torch's layers on the next tokens (B, t, d), with a causal mask."""
    attention = layer.self_attn
    qkv = F.linear(tokens, attention.in_proj_weight, attention.in_proj_bias)
    q, k, v = (x.unflatten(-1, (attention.num_heads, -1)).transpose(1, 2) for x in qkv.chunk(3, -1))
    if past is not None:
        k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
    several = tokens.shape[1] > 1  # only the first time, when there is no past
    drop = attention.dropout if layer.training else 0.0
    mixed = F.scaled_dot_product_attention(q, k, v, dropout_p=drop, is_causal=several)
    tokens = layer.norm1(tokens + layer.dropout1(attention.out_proj(mixed.transpose(1, 2).flatten(2))))
    fed = layer.linear2(layer.dropout(F.relu(layer.linear1(tokens))))
    return layer.norm2(tokens + layer.dropout2(fed)), (k, v)


def codes(kind: str, d: int) -> Tensor:
    """The encoding of each position (LONGEST, d): sines and cosines, or the distance to the first, d times."""
    place = torch.arange(LONGEST, dtype=torch.float32)[:, None]
    if kind == "euclidean":
        return place.square().sqrt().expand(-1, d).contiguous()
    angle = place * torch.exp(torch.arange(0, d, 2) * (-math.log(10_000.0) / d))  # (places, d / 2)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


# -------------------------------------------------------------------------------------------------- their training


@dataclass(frozen=True)
class Course:
    """The defaults are those of the old port that is trained on its own predictions, at a fraction of the length."""

    port: OldPort = OldPort()
    curves: int = 640  # the same ones again and again; 0: each batch is fresh
    batch: int = 16
    forced: int = 20  # batches where each next value is forecast from true ones
    free: int = 20  # then batches where its own forecasts are read after the cutoff
    # the gradient flows through its own forecasts; else there is an update after each epoch
    through: bool = False
    cutoff: int = 15
    lr: float = 2e-3  # at its highest
    seed: int = 0


def train(course: Course) -> Network:
    torch.manual_seed(course.seed)
    net = Network(course.port).train()
    optimiser = torch.optim.Adam(net.parameters(), lr=course.lr, fused=True)  # many small matrices
    for number, y in enumerate(batches(course)):
        optimiser.param_groups[0]["lr"] = course.lr * share(number / (course.forced + course.free))
        for loss in losses(net, y, course, free=number >= course.forced):
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return net.eval()


def share(done: float) -> float:
    """Of the highest rate: it rises over the first fifth, or wide networks stay where they are, and falls to zero."""
    return min(1.0, 5 * done + 0.01, 1.25 * (1 - done))


def batches(course: Course) -> Iterator[Tensor]:
    """Noisy curves (B, T), all fresh or in passes over the same ones."""
    steps = course.forced + course.free
    generator = torch.Generator().manual_seed(seed_of(course.seed, "old port", 0))
    pool = sample(PriorConfig(), course.curves or steps * course.batch, generator).noisy
    passes = -(-steps * course.batch // len(pool))
    order = torch.cat([torch.randperm(len(pool), generator=generator) for _ in range(passes)])
    return (pool[order[i * course.batch : (i + 1) * course.batch]] for i in range(steps))


def losses(net: Network, y: Tensor, course: Course, free: bool) -> Iterator[Tensor]:
    """One loss for each update. A later one is asked for only when the update has been made."""
    T, c = y.shape[1], course.cutoff
    if not free:  # teacher forcing
        yield squared(net(y[:, :-1]), y[:, 1:])
    elif course.through:
        yield squared(net.roll(y[:, :c], c, T), y[:, 1:])
    else:
        told = y[:, :1]
        for t in range(T - 1):
            told = net(y[:, t : t + 1] if t < c else told.detach(), t)
            yield squared(told, y[:, t + 1 : t + 2])


def squared(told: Tensor, y: Tensor) -> Tensor:
    """Mean over curves, sum over epochs, as the old ports."""
    return (told - y).square().mean(0).sum()


@torch.no_grad()
def forecast(net: Network, y: Tensor, group: int) -> Tensor:
    """What the network says of all later epochs: (n, cutoff) -> (n, T - cutoff); groups of curves go in together."""
    c, length = y.shape[1], PriorConfig().length
    return torch.cat([net.roll(some, c, length, group)[:, c - 1 :] for some in y.split(50 * group)])


# --------------------------------------------------------------------------------------------------- by their names


@dataclass(frozen=True)
class Length:
    """How long the old ports are trained. A batch of forecasts by themselves takes as long as many forced ones."""

    curves: int = 480  # where the same ones come again and again
    batch: int = 8
    forced: int = 250
    through: int = 10  # batches with a gradient through the roll-out, after the forced ones
    each: int = 24  # batches with an update after each epoch: 99 updates for each, as in the blog


KEPT = OldPort()
MENDED = OldPort(dropout=0.0, axis="epochs", place="epochs")
TABLE = ("large", "small", "small-free", "small-free-euclidean")
DOWN = ("only-data", "down-dropout", "down-axis")
BOTH = tuple(f"{model}{mended}" for model in TABLE for mended in ("", "-mended"))
ALL = (*BOTH, *DOWN, "only-axis", "only-dropout")
LAPTOP = ("small-mended", "small-free", "small-free-euclidean", "only-axis")  # those that a sentence is about


def course(model: str, length: Length) -> Course:
    """The training of a model by its name."""
    forced = Course(MENDED, 0, length.batch, length.forced, free=0, through=True)
    free = replace(forced, free=length.through)
    few = replace(forced, curves=length.curves)
    short = max(1, length.each // 19)  # of a hundred passes, the blog forced five
    kept = replace(few, port=KEPT, forced=short, free=length.each, through=False)
    known = {
        "large": replace(few, port=replace(KEPT, width=128, expand=4)),
        "large-mended": replace(forced, port=replace(MENDED, width=128, expand=4)),
        "small": replace(few, port=KEPT),
        "small-mended": forced,
        "small-free": kept,
        "small-free-mended": free,
        "small-free-euclidean": replace(kept, port=replace(KEPT, code="euclidean")),
        "small-free-euclidean-mended": replace(free, port=replace(MENDED, code="euclidean")),
        "only-data": few,
        "down-dropout": replace(few, port=replace(MENDED, dropout=KEPT.dropout)),
        "down-axis": replace(few, port=replace(KEPT, place="epochs")),
        "only-dropout": replace(forced, port=replace(MENDED, dropout=KEPT.dropout)),
        "only-axis": replace(forced, port=replace(MENDED, axis="curves")),
    }
    if model not in known:
        raise UserError(f"there is no old port {model!r}; take one of {', '.join(known)}")
    return known[model]
