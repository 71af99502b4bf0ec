"""Long short-term memory: gates control what is added to a memory c and how it is scaled.

    f, i, o = sigmoid(W u_t + R h_{t-1} + b)        forget, write, show
    c_t = f * c_{t-1} + i * tanh(W' u_t + R' h_{t-1} + b')
    h_t = o * tanh(c_t)

As `nn.LSTM`. Where f is near 1, the memory and its gradient pass unchanged.
"""

from torch import Tensor, nn

from curvecast.networks.backbones.recurrent import Cell, RecurrentConfig


class LSTM(Cell):
    tensors = 2

    def __init__(self, width: int):
        super().__init__()
        self.new = nn.Linear(width, 4 * width)  # write, forget, candidate, show: torch's order
        self.old = nn.Linear(width, 4 * width, bias=False)
        nn.init.ones_(self.new.bias[width : 2 * width])  # forget little at first

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        h, c = state
        write, forget, candidate, show = (u + self.old(h)).chunk(4, -1)  # each (B, d)
        c = forget.sigmoid() * c + write.sigmoid() * candidate.tanh()
        return show.sigmoid() * c.tanh(), c


class LSTMConfig(RecurrentConfig):
    name, cell = "lstm", LSTM
