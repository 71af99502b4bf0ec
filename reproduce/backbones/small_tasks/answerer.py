"""A backbone as a model of tokens: an embedding, the backbone, and one output layer over the values.

All backbones read forwards and pass on the state after each place. Only the decoder has a positional encoding, which rotates
keys by their place (RoPE).
"""

from dataclasses import replace
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.networks.backbones.families import FAMILIES
from reproduce.backbones._rows import nearest

ROWS = (
    "Elman", "LSTM, all states", "transformer, decoder", "S4, HiPPO", "H3", "Mamba", "Mamba-2", "linear attention",
    "DeltaNet",
)  # fmt: skip


class Answerer(nn.Module):
    def __init__(self, backbone: str, width: int, words: int, values: int):
        super().__init__()
        self.look_up = nn.Embedding(words, width)
        self.backbone = reading(backbone).make(width)
        self.answer = nn.Linear(width, values)

    def forward(self, tokens: Tensor, asked: int) -> Tensor:
        """Tokens (B, T) -> logits (B, A, values) at the last A places"""
        places = torch.arange(1.0, tokens.shape[1] + 1, device=tokens.device).expand(tokens.shape)
        states, _ = self.backbone(self.look_up(tokens), places, None)  # (B, T, d)
        return self.answer(states[:, -asked:])


def reading(backbone: str) -> Any:
    return replace(FAMILIES[backbone], hands="all")


@cache
def width_of(backbone: str, wanted: int) -> int:
    return nearest(partial(parameters, backbone), wanted)


def parameters(backbone: str, width: int) -> int:
    """Of the backbone, without embedding and output layer."""
    with torch.device("meta"):  # counted without being drawn
        return sum(p.numel() for p in reading(backbone).make(width).parameters())
