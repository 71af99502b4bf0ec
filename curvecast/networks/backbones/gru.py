"""Gated recurrent unit: one gate controls how much of the state is kept, another how much the candidate state reads.

    r, z = sigmoid(W u_t + R h_{t-1} + b)           reset, keep
    n    = tanh(W' u_t + b' + r * (R' h_{t-1} + c))
    h_t  = z * h_{t-1} + (1 - z) * n

As `nn.GRU`: like an LSTM whose memory is its state.
"""

from torch import Tensor, nn

from curvecast.networks.backbones.recurrent import Cell, RecurrentConfig


class GRU(Cell):
    def __init__(self, width: int):
        super().__init__()
        self.new = nn.Linear(width, 3 * width)  # reset, keep, candidate: torch's order
        self.old = nn.Linear(width, 3 * width)  # its bias matters only for the candidate

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        (h,) = state
        (new_r, new_z, new_n), (old_r, old_z, old_n) = u.chunk(3, -1), self.old(h).chunk(3, -1)
        reset, keep = (new_r + old_r).sigmoid(), (new_z + old_z).sigmoid()
        n = (new_n + reset * old_n).tanh()
        return (keep * h + (1 - keep) * n,)


class GRUConfig(RecurrentConfig):
    name, cell = "gru", GRU
