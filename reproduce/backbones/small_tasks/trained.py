"""A training on fresh sequences, with the loss on the answers alone, and the share of right answers."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from reproduce.backbones.small_tasks.answerer import Answerer, width_of
from reproduce.backbones.small_tasks.tasks import Batch, Task, drawn
from reproduce.protocols.timing import core_seconds, threads

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


def answerer(backbone: str, task: Task, training: Training, seed: int) -> Answerer:
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
        found = net(tokens, answers.shape[1]).argmax(-1)
        return round(float((found == answers).float().mean()), 4)


def _batch(task: Task, seed: int, number: int, n: int, times: int = 1) -> Batch:
    return Batch(*(tensor.to(DEVICE) for tensor in drawn(task, seed, number, n, times)))
