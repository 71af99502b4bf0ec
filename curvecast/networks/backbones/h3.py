"""H3: two state spaces and two products replace the look-up of attention.

    y = q * diagonal(shift(k) * v)          q, k, v: linear in the input

The shift keeps the last m points exactly, so that a key can be combined with the value that follows it; the diagonal
system stores the product; the query retrieves it. In a hybrid every second layer is attention.

Shapes: B = curves, T = points, d = width.
"""

from dataclasses import dataclass

from torch import Tensor, nn

from curvecast.networks.backbones.s4 import Diagonal
from curvecast.networks.backbones.stack import CausalAttention, ShortConvolution, Stack, handed


@dataclass(frozen=True)
class H3Config:
    layers: int = 2
    states: int = 16
    shift: int = 4  # m
    heads: int = 0  # of the attention in every second layer; 0: none
    expand: float = 2
    hands: str = "all"

    behaviour = 1
    causal = True

    @property
    def label(self) -> str:
        return f"h3-{self.layers}{'-hybrid' if self.heads else ''}"

    def state_size(self, width: int, length: int) -> int:
        attentions = self.layers // 2 if self.heads else 0
        spaces = (self.layers - attentions) * (self.shift - 1 + 2 * self.states)
        return width * (spaces + attentions * 2 * length) + handed(self.hands, width, length)

    def make(self, width: int) -> Stack:
        mixers = [
            CausalAttention(width, self.heads) if self.heads and i % 2 else H3(width, self.states, self.shift)
            for i in range(self.layers)
        ]
        return Stack(mixers, width, self.hands, self.expand)


class H3(nn.Module):
    def __init__(self, width: int, states: int, shift: int):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.shift = ShortConvolution(width, shift)
        self.diagonal = Diagonal(width, states)
        self.out = nn.Linear(width, width)

    def forward(self, u: Tensor) -> Tensor:
        """(B, T, d) -> (B, T, d)"""
        q, k, v = self.qkv(u).chunk(3, -1)
        return self.out(q * self.diagonal(self.shift(k) * v))
