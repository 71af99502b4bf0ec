"""Sizes of a transformer by formula: its parameters, the operations of a pass, and its cache.

    parameters  L (2 d H h + 2 d G h + m d f) + e V d + P d        and biases, and norms
    products    2 T L (the same matrices) + 4 T^2 L H h            multiplications and additions over T points
    cache       2 T L G h

L layers, d width, H heads of width h, G of keys and values, f feed-forward width with m matrices, V words with e tables, P
positions.
"""

from dataclasses import dataclass

from curvecast.networks.backbones.feed_forward import inner_width
from curvecast.networks.backbones.transformer import TransformerConfig

T5_BUCKETS = 32  # ranges of distances, on either side


@dataclass(frozen=True)
class Shape:
    layers: int  # L
    width: int  # d
    heads: int  # H
    head_width: int  # h
    kv_heads: int  # G
    feed: int  # f
    matrices: int  # m: a gated feed-forward has three
    vocabulary: int = 0  # V
    embeddings: int = 0  # e: 2 where the table that reads is not the one that writes
    positions: int = 0  # P
    bias: bool = False
    norm: int = 0  # numbers of a norm
    norms: int = 0  # of them in a layer, and one after the last
    distances: int = 0  # numbers of a layer for distances, which are added to scores and multiply nothing

    @property
    def of_layer(self) -> int:
        """Parameters of a layer that multiply something."""
        attention = 2 * self.width * self.head_width * (self.heads + self.kv_heads)
        return attention + self.matrices * self.width * self.feed

    @property
    def parameters(self) -> int:
        biases = (
            self.head_width * (self.heads + 2 * self.kv_heads)
            + 2 * self.width
            + (self.matrices - 1) * self.feed
        )
        layer = self.of_layer + self.norms * self.norm + self.distances + (biases if self.bias else 0)
        tables = (self.embeddings * self.vocabulary + self.positions) * self.width
        return self.layers * layer + self.norm + tables

    def products(self, T: int) -> int:
        """Multiplications and additions, by which profilers count, over T points at once."""
        return 2 * T * self.layers * self.of_layer + 4 * T**2 * self.layers * self.heads * self.head_width

    def cache(self, T: int) -> int:
        """Numbers to be cached of T points, so that the next point can attend to them."""
        return 2 * T * self.layers * self.kv_heads * self.head_width


def shape_of(c: TransformerConfig, width: int) -> Shape:
    norm = width * (2 if c.norm == "layer" and c.bias else 1)
    return Shape(
        c.layers, width, c.heads, width // c.heads, c.kv_heads or c.heads, inner_width(c.feed, width, c.expand),
        2 if c.feed == "gelu" else 3, bias=c.bias, norm=norm, norms=1 if c.parallel else 2,
        distances=T5_BUCKETS * c.heads if c.position == "t5" else 0,
    )  # fmt: skip
