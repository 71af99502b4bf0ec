"""Three tasks on short sequences of tokens, each of which needs another kind of memory, and what learns them.

    recall     a 4 b 7 c 4 . . b c a -> 7 4 4        keys, each with a value; then keys alone: which values had they?
    copying    _ 4 _ _ 7 _ 1 _ ? ? ? -> 4 7 1        values among blanks; then marks: which were they, in their order?
    induction  3 7 ! 4 3 3 . . 1 !   -> 4            what came after the mark when it was there before?

Values are numbered from 0, keys of a sequence are distinct. The induction mark stands at a random place; a longer sequence
has more values around it. The model is an embedding, the backbone, and one output layer over the values; the loss counts the
answers alone. All backbones read forwards and pass on the state after each place. Only the decoder has a positional
encoding, which rotates keys by their place (RoPE). Shapes: B = sequences, T = places, A = places with an answer.
"""

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F
from torch.optim.lr_scheduler import LambdaLR

from curvecast.networks.backbones.reader import FAMILIES
from reproduce.backbones._rows import nearest
from reproduce.protocols.timing import core_seconds, threads

ROWS = (
    "Elman", "LSTM, all states", "transformer, decoder", "S4, HiPPO", "H3", "Mamba", "Mamba-2", "linear attention",
    "DeltaNet",
)  # fmt: skip
SCORED = 900_000  # number of the batch that scores; no training reaches it
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# ------------------------------------------------------------------------------------------------ the tasks


class Batch(NamedTuple):
    tokens: Tensor  # (B, T)
    answers: Tensor  # (B, A), to the last A places


@dataclass(frozen=True)
class Recall:
    pairs: int = 8
    keys: int = 16
    values: int = 16

    times: ClassVar = (1,)  # lengths at which it is scored, relative to training

    @property
    def words(self) -> int:
        return self.values + self.keys

    def sample(self, generator: Generator, n: int, times: int = 1) -> Batch:
        keys = shuffled(generator, n, self.keys)[:, : self.pairs]  # (B, A)
        values = torch.randint(self.values, (n, self.pairs), generator=generator)
        order = shuffled(generator, n, self.pairs)
        shown = torch.stack([self.values + keys, values], 2).flatten(1)  # (B, 2 A)
        return Batch(torch.cat([shown, self.values + keys.gather(1, order)], 1), values.gather(1, order))


@dataclass(frozen=True)
class Copying:
    remembered: int = 6
    places: int = 26  # before the answers
    values: int = 8

    times: ClassVar = (1,)

    @property
    def words(self) -> int:
        return self.values + 2

    def sample(self, generator: Generator, n: int, times: int = 1) -> Batch:
        blank, mark = self.values, self.values + 1
        where = shuffled(generator, n, self.places)[:, : self.remembered].sort(1).values  # (B, A)
        values = torch.randint(self.values, (n, self.remembered), generator=generator)
        shown = torch.full((n, self.places), blank).scatter(1, where, values)
        return Batch(torch.cat([shown, torch.full_like(values, mark)], 1), values)


@dataclass(frozen=True)
class Induction:
    length: int = 24  # with both marks
    values: int = 16

    times: ClassVar = (1, 2, 4)

    @property
    def words(self) -> int:
        return self.values + 1

    def sample(self, generator: Generator, n: int, times: int = 1) -> Batch:
        T, mark = times * self.length, self.values
        tokens = torch.randint(self.values, (n, T), generator=generator)
        where = torch.randint(T - 2, (n, 1), generator=generator)  # what follows is not the mark at the end
        tokens = tokens.scatter(1, where, mark)
        tokens[:, -1] = mark
        return Batch(tokens, tokens.gather(1, where + 1))


Task = Recall | Copying | Induction
TASKS: dict[str, Task] = {"recall": Recall(), "copying": Copying(), "induction": Induction()}
FAR = "copying from afar"  # asked of few, and only in longer trainings
ALL_TASKS = TASKS | {FAR: Copying(remembered=16, places=256)}


def shuffled(generator: Generator, n: int, size: int) -> Tensor:
    """0 .. size - 1 in a random order for each sequence: (B, size)"""
    return torch.rand(n, size, generator=generator).argsort(1)


def commonest(tokens: Tensor, values: int) -> Tensor:
    """The value that a sequence shows most often, the answer of the counting baseline.  (B, T) -> (B, 1)"""
    return (tokens[..., None] == torch.arange(values)).sum(1).argmax(-1, keepdim=True)


def drawn(task: Task, seed: int, number: int, n: int, times: int = 1) -> Batch:
    """The batch of this number, always the same."""
    return task.sample(Generator().manual_seed(1_000_000 * seed + number), n, times)


# --------------------------------------------------------------------------------------- what learns them


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
    n, warm = training.steps, training.warm * training.steps
    schedule = LambdaLR(optimiser, lambda i: min((i + 1) / (warm + 1), (n - i) / (n - warm)))

    def steps() -> None:
        for number in range(n):
            optimiser.zero_grad()
            tokens, answers = _batch(task, seed, number, training.batch)
            F.cross_entropy(net(tokens, answers.shape[1]).flatten(0, 1), answers.flatten()).backward()
            nn.utils.clip_grad_norm_(net.parameters(), training.clip)
            optimiser.step()
            schedule.step()

    with threads():
        seconds = core_seconds(steps)
    return seconds if DEVICE == "cpu" else float("nan")


@torch.inference_mode()
def right(net: nn.Module, task: Task, seed: int, n: int, times: int = 1) -> float:
    """The share of right answers on sequences outside the training; each token counts by itself."""
    tokens, answers = _batch(task, seed, SCORED, n, times)
    with threads():
        guesses = net(tokens, answers.shape[1]).argmax(-1)
        return round(float((guesses == answers).float().mean()), 4)


def _batch(task: Task, seed: int, number: int, n: int, times: int = 1) -> Batch:
    return Batch(*(tensor.to(DEVICE) for tensor in drawn(task, seed, number, n, times)))
