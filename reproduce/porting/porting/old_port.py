"""The ports of the student blog, rebuilt from their behaviour and not from their code; each fault is a switch.

A curve goes in one number at a time: embedded, times the root of d, plus an encoding of its position, through torch's own
layers (norm after, ReLU, dropout), to the next number. Trained on the squared error of the next number.

Shapes: B = curves, T = epochs, c = cutoff, d = width, G = groups of curves that attend to one another
where `axis` is "curves".
"""

import math
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import UserError
from curvecast.networks.masks import mask

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
        if self.port.axis == "curves":  # without memory: it reads the last value alone
            told = [self(y[:, :cutoff], 0, group)]
            for t in range(cutoff, length - 1):
                told.append(self(told[-1][:, -1:], t, group))
            return torch.cat(told, 1)
        pasts: list[Past] = [None] * len(self.layers)
        told = [self.read(y[:, :cutoff], 0, group, pasts)]
        for t in range(cutoff, length - 1):
            told.append(self.read(told[-1][:, -1:], t, group, pasts))
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
