"""A backbone as a model of tokens, its training on fresh sequences, and its share of right answers.

The model is an embedding, the backbone, and one output layer over the values; the loss counts the answers alone. All
backbones read forwards and pass on the state after each place. Only the decoder has a positional encoding, which rotates keys
by their place (RoPE).
"""

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.backbones.families import FAMILIES
from reproduce.backbones._rows import nearest
from reproduce.backbones.small_tasks.tasks import Batch, Task, drawn
from reproduce.protocols.timing import core_seconds, threads

ROWS = (
    "Elman", "LSTM, all states", "transformer, decoder", "S4, HiPPO", "H3", "Mamba", "Mamba-2", "linear attention",
    "DeltaNet",
)  # fmt: skip
SCORED = 900_000  # number of the batch that scores; no training reaches it
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclass(frozen=True)
class Training:
    parameters: int = 30_000  # of the backbone alone
    steps: int = 600
    batch: int = 64
    warm: float = 0.1  # share of the steps in which the rate rises; then it falls to zero
    clip: float = 1.0
    scored: int = 1_000  # sequences


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


def new(backbone: str, task: Task, training: Training, seed: int) -> Answerer:
    torch.manual_seed(seed)
    return Answerer(backbone, width_of(backbone, training.parameters), task.words, task.values).to(DEVICE)


def train(net: nn.Module, task: Task, training: Training, rate: float, seed: int) -> float:
    """Seconds of one core, NaN on a graphics card. Every backbone trains on the same batches."""
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=0.01)
    warm = training.warm * training.steps
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda i: min((i + 1) / (warm + 1), (training.steps - i) / (training.steps - warm))
    )

    def steps() -> None:
        for number in range(training.steps):
            optimiser.zero_grad()
            loss(net, task, training, seed, number).backward()
            nn.utils.clip_grad_norm_(net.parameters(), training.clip)
            optimiser.step()
            schedule.step()

    with threads():
        seconds = core_seconds(steps)
    return seconds if DEVICE == "cpu" else float("nan")


def loss(net: nn.Module, task: Task, training: Training, seed: int, number: int) -> Tensor:
    tokens, answers = _batch(task, seed, number, training.batch)
    return F.cross_entropy(net(tokens, answers.shape[1]).flatten(0, 1), answers.flatten())


@torch.inference_mode()
def right(net: nn.Module, task: Task, seed: int, n: int, times: int = 1) -> float:
    """The share of right answers on sequences outside the training; each token counts by itself."""
    tokens, answers = _batch(task, seed, SCORED, n, times)
    with threads():
        guesses = net(tokens, answers.shape[1]).argmax(-1)
        return round(float((guesses == answers).float().mean()), 4)


def _batch(task: Task, seed: int, number: int, n: int, times: int = 1) -> Batch:
    return Batch(*(tensor.to(DEVICE) for tensor in drawn(task, seed, number, n, times)))
