"""A gated recurrent unit: one gate says how much of the state stays, another how much of it the new state may read.

    r, z = sigmoid(W u_t + R h_{t-1} + b)           reset, keep
    n    = tanh(W' u_t + b' + r * (R' h_{t-1} + c))
    h_t  = z * h_{t-1} + (1 - z) * n

As `nn.GRU`: an LSTM whose memory is its state.
"""

from torch import Tensor, nn

from curvecast.networks.backbones.recurrent import Cell, RecurrentConfig


class GRUConfig(RecurrentConfig):
    name = "gru"

    def cell(self, width: int) -> Cell:
        return GRU(width)


class GRU(Cell):
    def __init__(self, width: int):
        super().__init__()
        self.new = nn.Linear(width, 3 * width)  # reset, keep, candidate: torch's order
        self.old = nn.Linear(width, 3 * width)  # its bias matters for the candidate alone

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        (h,) = state
        (new_r, new_z, new_n), (old_r, old_z, old_n) = u.chunk(3, -1), self.old(h).chunk(3, -1)
        reset, keep = (new_r + old_r).sigmoid(), (new_z + old_z).sigmoid()
        n = (new_n + reset * old_n).tanh()
        return (keep * h + (1 - keep) * n,)
