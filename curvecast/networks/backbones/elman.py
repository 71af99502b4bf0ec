"""Elman's network: a tanh of the new point and the previous state.

    h_t = tanh(W u_t + R h_{t-1} + b)

As `nn.RNN`. A point read k steps ago has passed k times through R, so it vanishes or explodes like a k-th power.
"""

from dataclasses import dataclass

from torch import Tensor, nn

from curvecast.networks.backbones.recurrent import Recurrent


@dataclass(frozen=True)
class ElmanConfig:
    layers: int = 1
    both_ways: bool = False
    hands: str = "last"

    behaviour = 1

    @property
    def causal(self) -> bool:
        return not self.both_ways

    @property
    def label(self) -> str:
        return f"{'bi' if self.both_ways else ''}elman-{self.layers}{'-all' if self.hands == 'all' else ''}"

    def make(self, width: int) -> Recurrent:
        return Recurrent(Elman, width, self.layers, self.both_ways, self.hands)


class Elman(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.new, self.old = nn.Linear(width, width), nn.Linear(width, width, bias=False)  # W, b and R
        nn.init.orthogonal_(self.old.weight)  # at first states neither vanish nor explode

    def begin(self, like: Tensor) -> tuple[Tensor, ...]:
        return (like.new_zeros(len(like), like.shape[-1]),)

    def inputs(self, u: Tensor) -> Tensor:
        return self.new(u)

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return ((u + self.old(state[0])).tanh(),)
