"""How a curve may go on, as a language model has it: the next word is drawn, read, and so on.

The density of a later epoch is the mean, over sampled continuations, of the model's density for that epoch given what was
sampled before it. Nothing is smoothed by hand: with more samples it tends to the marginal of the model, and at the first
later epoch it is exact. A recurrent model keeps its state; any other reads everything again for each word.

Shapes: B = curves, T = observed points, S = samples of each, Q = later epochs, d = width, K = words.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from curvecast.language.model import LanguageModel
from curvecast.networks.backbones.recurrent import Recurrent
from curvecast.networks.bars import Bars


class Continuations(NamedTuple):
    words: Tensor  # (B, S, Q)
    marginals: Bars  # (B, Q)


@torch.no_grad()
def continuations(
    net: LanguageModel, y: Tensor, ahead: int, samples: int, generator: torch.Generator, rare: float = 0.0
) -> Continuations:
    """Of curves observed at epochs 1 .. T, y (B, T); T may be 0. No word below `rare` < 1 / K is drawn."""
    B, T, reader = len(y), y.shape[1], Reader(net)
    observed = net.vocabulary.words(y)
    before = torch.cat([torch.full((B, 1), net.vocabulary.begin), observed], 1)  # (B, T + 1)
    for t in range(T + 1):  # the last state tells of the first later epoch
        h = reader.read(before[:, t], t + 1)  # (B, d)
    reader.repeat(samples)
    h = h.repeat_interleave(samples, 0)  # (B S, d)
    words, masses = [], []
    for t in range(T + 2, T + 2 + ahead):
        p = net.logits(h).softmax(-1)  # (B S, K)
        masses.append(p.view(B, samples, -1).mean(1))
        words.append(draw(p, rare, generator))
        if t <= T + ahead:
            h = reader.read(words[-1], t)
    marginals = Bars(net.borders, torch.stack(masses, 1).clamp(min=1e-30).log())
    return Continuations(torch.stack(words, 1).view(B, samples, ahead), marginals)


def draw(p: Tensor, rare: float, generator: torch.Generator) -> Tensor:
    """One word from each row of probabilities (n, K), none that is less probable than `rare`.  -> (n,)"""
    below = torch.where(p < rare, 0.0, p).cumsum(-1)
    level = torch.rand(len(p), 1, generator=generator) * 0.999999 * below[:, -1:]
    return torch.searchsorted(below, level)[:, 0].clamp(max=p.shape[-1] - 1)


class Reader:
    """Reads one word after the other, for many curves at once."""

    def __init__(self, net: LanguageModel):
        self.net = net
        self.backbone: Any = net.layers[0]  # torch takes a module's parts for tensors or modules
        self.recurrent = isinstance(self.backbone, Recurrent)
        self.states: list[tuple[Tensor, ...]] = []  # of each cell, (B, d) each
        self.so_far: list[Tensor] = []  # tokens, for a backbone that has no state

    def read(self, word: Tensor, epoch: int) -> Tensor:
        """The word before this epoch (B,) -> the state that tells of it (B, d)"""
        x = torch.full((len(word), 1), float(epoch))
        token = self.net.tokens(word[:, None], x)[:, 0]
        if not self.recurrent:
            self.so_far.append(token)
            tokens = torch.stack(self.so_far, 1)  # (B, t, d)
            epochs = torch.arange(1.0, epoch + 1).expand(len(word), -1)
            return self.backbone(tokens, epochs, None).states[:, -1]
        if not self.states:
            self.states = [(torch.zeros_like(token),) * cell.tensors for cell in self.backbone.forwards]
        for i, cell in enumerate(self.backbone.forwards):
            self.states[i] = cell.step(cell.new(token), self.states[i])
            token = self.states[i][0]
        return token

    def repeat(self, samples: int) -> None:
        self.states = [tuple(part.repeat_interleave(samples, 0) for part in state) for state in self.states]
        self.so_far = [token.repeat_interleave(samples, 0) for token in self.so_far]
