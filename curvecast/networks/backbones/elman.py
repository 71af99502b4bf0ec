"""Elman's network: a tanh of the new point and the previous state.

    h_t = tanh(W u_t + R h_{t-1} + b)

As `nn.RNN`. A point read k steps ago has passed k times through R, so it vanishes or explodes like a k-th power.
"""

from torch import Tensor, nn

from curvecast.networks.backbones.recurrent import Cell, RecurrentConfig


class Elman(Cell):
    def __init__(self, width: int):
        super().__init__()
        self.new, self.old = nn.Linear(width, width), nn.Linear(width, width, bias=False)  # W, b and R
        nn.init.orthogonal_(self.old.weight)  # at first states neither vanish nor explode

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return ((u + self.old(state[0])).tanh(),)


class ElmanConfig(RecurrentConfig):
    name, cell = "elman", Elman
