"""Gated recurrent unit: one gate controls how much of the state is kept, another how much the candidate state reads.

    r, z = sigmoid(W u_t + R h_{t-1} + b)           reset, keep
    n    = tanh(W' u_t + b' + r * (R' h_{t-1} + c))
    h_t  = z * h_{t-1} + (1 - z) * n

As `nn.GRU`: like an LSTM whose memory is its state.
"""

from dataclasses import dataclass

from torch import Tensor, nn

from curvecast.networks.backbones.recurrent import Recurrent


@dataclass(frozen=True)
class GRUConfig:
    layers: int = 1
    both_ways: bool = False
    hands: str = "last"

    behaviour = 1

    @property
    def causal(self) -> bool:
        return not self.both_ways

    @property
    def label(self) -> str:
        return f"{'bi' if self.both_ways else ''}gru-{self.layers}{'-all' if self.hands == 'all' else ''}"

    def make(self, width: int) -> Recurrent:
        return Recurrent(GRU, width, self.layers, self.both_ways, self.hands)


class GRU(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.new = nn.Linear(width, 3 * width)  # reset, keep, candidate: torch's order
        self.old = nn.Linear(width, 3 * width)  # its bias matters only for the candidate

    def begin(self, like: Tensor) -> tuple[Tensor, ...]:
        return (like.new_zeros(len(like), like.shape[-1]),)

    def inputs(self, u: Tensor) -> Tensor:
        return self.new(u)

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        (h,) = state
        (new_r, new_z, new_n), (old_r, old_z, old_n) = u.chunk(3, -1), self.old(h).chunk(3, -1)
        reset, keep = (new_r + old_r).sigmoid(), (new_z + old_z).sigmoid()
        n = (new_n + reset * old_n).tanh()
        return (keep * h + (1 - keep) * n,)
