"""A transformer over the observed points, with switches for common variants of the block.

    serial    h = x + attend(norm x),  y = h + feed(norm h)
    parallel  y = x + attend(norm x) + feed(norm x)            one norm, and both can be computed in parallel
    post      h = norm(x + attend x),  y = norm(h + feed h)    as first published

In an encoder each observed point attends to all of them; in a decoder, which is causal, only to earlier ones. The settings
of large language models are in reader.py.

Shapes: B = curves, T = points, d = width.
"""

from dataclasses import dataclass

from torch import Tensor, nn

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.attention import Attention, padding_bias
from curvecast.networks.backbones.stack import FeedForward, States, handed, last
from curvecast.networks.encodings import EncodingConfig
from curvecast.networks.encodings import make as make_encoding

NORMS = ("layer", "rms")


@dataclass(frozen=True)
class TransformerConfig:
    layers: int = 2
    heads: int = 4
    kv_heads: int = 0  # 1: multi-query; 0: as many as heads
    feed: str = "gelu"  # or geglu, swiglu
    expand: float = 2
    norm: str = "layer"  # or rms
    where: str = "pre"  # or post
    parallel: bool = False
    bias: bool = True
    position: str = "none"  # a name in encodings.py: rope, t5, ...
    causal: bool = False
    hands: str = "all"
    name: str = "encoder"

    behaviour = 1

    @property
    def label(self) -> str:
        return f"{self.name}-{self.layers}"

    def state_size(self, width: int, length: int) -> int:
        """Keys and values of all points, if it is causal; else it reads a new point only by reading all again."""
        cached = 2 * self.layers * length * (self.kv_heads or self.heads) * (width // self.heads)
        return (cached if self.causal else 0) + handed(self.hands, width, length)

    def make(self, width: int) -> "Transformer":
        return Transformer(self, width)


class Transformer(nn.Module):
    def __init__(self, config: TransformerConfig, width: int):
        super().__init__()
        check(config)
        self.config = config
        self.blocks = nn.ModuleList(Block(config, width) for _ in range(config.layers))
        self.norm = make_norm(config, width) if config.where == "pre" else nn.Identity()

    def forward(self, tokens: Tensor, x: Tensor, seen: Tensor | None) -> States:
        # padding is at the end, so that a causal network never reads it before an observed point
        bias = None if self.config.causal else padding_bias(seen, tokens)
        for block in self.blocks:
            tokens = block(tokens, x, bias)
        h = self.norm(tokens)
        return States(last(h, seen)) if self.config.hands == "last" else States(h, seen)


class Block(nn.Module):
    def __init__(self, config: TransformerConfig, width: int):
        super().__init__()
        self.where, self.parallel, self.causal = config.where, config.parallel, config.causal
        encoding = make_encoding(EncodingConfig(config.position), width, config.heads)
        self.attend = Attention(width, config.heads, config.kv_heads, config.bias, encoding)
        self.feed = FeedForward(config.feed, width, config.expand, config.bias)
        self.norm1 = make_norm(config, width)
        self.norm2 = nn.Identity() if config.parallel else make_norm(config, width)

    def forward(self, x: Tensor, epochs: Tensor, bias: Tensor | None) -> Tensor:
        """(B, T, d) -> (B, T, d)"""
        if self.where == "post":
            h = self.norm1(x + self.attend(x, x, epochs, epochs, bias, self.causal))
            return self.norm2(h + self.feed(h))
        normed = self.norm1(x)
        attended = self.attend(normed, normed, epochs, epochs, bias, self.causal)
        if self.parallel:
            return x + attended + self.feed(normed)
        h = x + attended
        return h + self.feed(self.norm2(h))


def make_norm(config: TransformerConfig, width: int) -> nn.Module:
    return nn.RMSNorm(width) if config.norm == "rms" else nn.LayerNorm(width, bias=config.bias)


def check(config: TransformerConfig) -> None:
    if config.norm not in NORMS or config.where not in ("pre", "post"):
        raise UserError(f"norm {config.norm!r} {config.where!r}: take layer or rms, and pre or post")
    if config.where == "post" and config.parallel:
        raise UserError("a parallel block shares the norm before it: take where='pre'")
    if config.hands == "last" and not config.causal:
        raise UserError("the last state of an encoder is no summary: take hands='all', or causal=True")
