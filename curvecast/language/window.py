"""A feed-forward language model reads the last few words and nothing before them: their vectors side by side.

    u_t = W [e_{t-m+1} ... e_t],   u <- u + feed(norm u)  for each layer

Shapes: B = curves, T = words, d = width, m = words of the window.
"""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import demand
from curvecast.networks.backbones.backbone import States, handed
from curvecast.networks.backbones.feed_forward import FeedForward


@dataclass(frozen=True)
class WindowConfig:
    words: int = 8  # m
    layers: int = 2
    causal: bool = True
    hands: str = "all"

    behaviour = 1

    @property
    def label(self) -> str:
        return f"window-{self.words}x{self.layers}"

    def state_size(self, width: int, length: int) -> int:
        return self.words * width + handed("all", width, length)

    def make(self, width: int) -> "Window":
        demand(self.words >= 1, f"a window of {self.words} words reads nothing: take 1 or more")
        return Window(self, width)


class Window(nn.Module):
    def __init__(self, config: WindowConfig, width: int):
        super().__init__()
        self.words = config.words
        self.join = nn.Linear(config.words * width, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(config.layers))
        self.feeds = nn.ModuleList(FeedForward("gelu", width) for _ in range(config.layers))

    def forward(self, tokens: Tensor, x: Tensor, seen: Tensor | None) -> States:
        padded = F.pad(tokens, (0, 0, self.words - 1, 0))  # (B, m - 1 + T, d)
        u = self.join(padded.unfold(1, self.words, 1).flatten(2))  # (B, T, d m) -> (B, T, d)
        for norm, feed in zip(self.norms, self.feeds, strict=True):
            u = u + feed(norm(u))
        return States(u, seen)
