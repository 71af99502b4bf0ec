"""Vectors of words from the company that they keep: a word predicts the words around it.

    maximise  sum over words c and neighbours w of  N(c, w) log softmax_w(E_c . out_w + bias_w)

N(c, w) counts how often w stands within so many words of c. With a few hundred words the sum over the vocabulary is cheap,
so nothing is sampled, and the counts are all that is needed of the curves.

Shapes: B = curves, T = words, K = words that exist, d = width, m = words of a window.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.backbones.stack import FeedForward, States, handed


def neighbours(words: Tensor, size: int, reach: int) -> Tensor:
    """(B, T) -> N (K, K), symmetric"""
    counted = torch.zeros(size * size)
    for apart in range(1, reach + 1):
        pair = words[:, apart:] * size + words[:, :-apart]
        counted += torch.bincount(pair.flatten(), minlength=size * size)
    one_way = counted.view(size, size)
    return one_way + one_way.T


def word_vectors(counted: Tensor, width: int, steps: int, rate: float, generator: torch.Generator) -> Tensor:
    """E (K, d), by Adam on the whole sum."""
    K = len(counted)
    parts = [torch.randn(K, width, generator=generator) * width**-0.5 for _ in range(2)] + [torch.zeros(K)]
    E, out, bias = (part.requires_grad_() for part in parts)
    share = counted / counted.sum()
    optimiser = torch.optim.Adam([E, out, bias], lr=rate)
    for _ in range(steps):
        loss = -(share * (E @ out.T + bias).log_softmax(-1)).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return E.detach()


def nearest(vectors: Tensor) -> Tensor:
    """The word whose vector has the smallest angle to each word's.  (K, d) -> (K,)"""
    direction = F.normalize(vectors, dim=-1)
    return (direction @ direction.T).fill_diagonal_(-2).argmax(-1)


def first_component(vectors: Tensor) -> Tensor:
    """Of a principal component analysis.  (K, d) -> (K,)"""
    centred = vectors - vectors.mean(0)
    return centred @ torch.linalg.svd(centred, full_matrices=False).Vh[0]


# -----------------------------------------------------------------------------------------------------------
# A feed-forward language model reads the last few words and nothing before them: their vectors side by side.
#
#     u_t = W [e_{t-m+1} ... e_t],   u <- u + feed(norm u)  for each layer


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
