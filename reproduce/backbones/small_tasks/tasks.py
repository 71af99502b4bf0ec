"""Three tasks on short sequences of tokens, each of which needs another kind of memory. Values are numbered from 0.

    recall     a 4 b 7 c 4 . . b c a -> 7 4 4        keys, each with a value; then keys alone: which values had they?
    copying    _ 4 _ _ 7 _ 1 _ ? ? ? -> 4 7 1        values among blanks; then marks: which were they, in their order?
    induction  3 7 ! 4 3 3 . . 1 !   -> 4            what came after the mark when it was there before?

Keys of a sequence are distinct. The induction mark stands at a random place; a longer sequence has more values around it.
Shapes: B = sequences, T = places, A = places with an answer.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from torch import Generator, Tensor


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
