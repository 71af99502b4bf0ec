"""Elman's network: one layer of tanh that reads the new point and its own last state.

    h_t = tanh(W u_t + R h_{t-1} + b)

As `nn.RNN`. What was read k points ago comes through R k times: it fades or explodes by the k-th power.
"""

from torch import Tensor, nn

from curvecast.networks.backbones.recurrent import Cell, RecurrentConfig


class ElmanConfig(RecurrentConfig):
    name = "elman"

    def cell(self, width: int) -> Cell:
        return Elman(width)


class Elman(Cell):
    def __init__(self, width: int):
        super().__init__()
        self.new, self.old = nn.Linear(width, width), nn.Linear(width, width, bias=False)  # W, b and R
        nn.init.orthogonal_(self.old.weight)  # neither fades nor explodes at first

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return ((u + self.old(state[0])).tanh(),)
