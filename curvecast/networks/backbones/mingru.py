"""minGRU: a gated recurrent unit whose gate and candidate do not read the state, so that it can be computed by a scan.

    z_t = sigmoid(W u_t + b)             write
    n_t = g(W' u_t + b')                 g(x) = x + 1/2 for x >= 0, else sigmoid(x): positive
    h_t = (1 - z_t) h_{t-1} + z_t n_t

One layer forgets by the new point alone; a layer above reads the state below, so that depth replaces the recurrence.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from curvecast.networks.backbones.backbone import handed
from curvecast.networks.backbones.recurrent import scan
from curvecast.networks.backbones.stack import Stack


@dataclass(frozen=True)
class MinGRUConfig:
    layers: int = 3
    expand: float = 2  # of the feed-forward network after each
    hands: str = "last"

    behaviour = 1
    causal = True

    @property
    def label(self) -> str:
        return f"mingru-{self.layers}"

    def state_size(self, width: int, length: int) -> int:
        return self.layers * width + handed(self.hands, width, length)

    def make(self, width: int) -> Stack:
        return Stack([MinGRU(width) for _ in range(self.layers)], width, self.hands, self.expand)


class MinGRU(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.new = nn.Linear(width, 2 * width)  # write, candidate

    def forward(self, u: Tensor) -> Tensor:
        """(B, T, d) -> (B, T, d)"""
        write, n = self.new(u).chunk(2, -1)
        write = write.sigmoid()
        return scan(1 - write, write * positive(n))


def positive(n: Tensor) -> Tensor:
    return torch.where(n >= 0, n + 0.5, n.sigmoid())
