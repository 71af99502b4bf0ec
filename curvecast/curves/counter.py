"""Random numbers that belong to a curve: a function of seed, curve number, attempt and position only.

Philox-4x32-10 (Salmon, Moraes, Dror and Shaw 2011) turns a counter of four 32-bit words into four random ones. It uses
integer arithmetic only, so every device and every version of torch gives the same words, whatever else is drawn.

Shapes: n curves; words are int64 that hold 32 bits.
"""

import math

import numpy as np
import torch
from torch import Tensor

MASK = 0xFFFFFFFF
MULTIPLY = (0xD2511F53, 0xCD9E8D57)
RAISE_KEY = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10

AHEAD = 4  # least number of blocks in a call: the call itself costs as much as thousands of words

Words = tuple[Tensor, Tensor, Tensor, Tensor]


def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Products wrap at 64 bits, as intended; bits above the 32nd are masked where they would matter."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        first, second = c0 * MULTIPLY[0], c2 * MULTIPLY[1]
        c0 = (second >> 32).bitwise_xor_(c1).bitwise_xor_(k0).bitwise_and_(MASK)
        c2 = (first >> 32).bitwise_xor_(c3).bitwise_xor_(k1).bitwise_and_(MASK)
        c1, c3 = second, first
        k0, k1 = (k0 + RAISE_KEY[0]) & MASK, (k1 + RAISE_KEY[1]) & MASK
    return c0, c1 & MASK, c2, c3 & MASK


class Counter:
    """A generator for these curves: each requested column is the next random number of every curve.

    A rejected curve is drawn again as attempt 1, 2, ...; attempt 0 is for numbers that are drawn once.
    """

    def __init__(self, seed: int, numbers: Tensor, attempt: Tensor | int = 0, block: int = 0):
        self.seed, self.numbers, self.block = seed, numbers, block
        self.attempt = torch.as_tensor(attempt, device=numbers.device).expand(len(numbers))  # (n,)
        self.unused = numbers.new_empty(len(numbers), 0)  # words not used yet

    @property
    def device(self) -> torch.device:
        return self.numbers.device

    def of(self, which: Tensor, attempt: Tensor | None = None) -> "Counter":
        """Some of the curves, by index: from the next block on, or from the first block of another attempt."""
        if attempt is not None:
            return Counter(self.seed, self.numbers[which], attempt)
        return Counter(self.seed, self.numbers[which], self.attempt[which], self.block)

    def uniform(self, columns: int) -> Tensor:
        """In (0, 1), never at a bound: 32 bits plus a half, exact in float64.  -> (n, columns)"""
        return (self._words(columns).double() + 0.5).mul_(2.0**-32)

    def normal(self, columns: int) -> Tensor:
        """The normal quantile of a uniform number: in float64 devices differ by 1e-13, not 1e-6.  -> (n, columns)"""
        return torch.special.ndtri(self.uniform(columns))

    def _words(self, columns: int) -> Tensor:
        """The next words of every curve; a block has four.  -> (n, columns)"""
        lacking = columns - self.unused.shape[1]
        if lacking > 0:
            blocks = max(AHEAD, -(-lacking // 4))
            place = torch.arange(self.block, self.block + blocks, device=self.device)  # (blocks,)
            parts = self.numbers[:, None], self.attempt[:, None], place
            number, attempt, place = torch.broadcast_tensors(*parts)  # (n, blocks) each
            counter = (number & MASK, number >> 32, attempt, place)
            fresh = torch.stack(philox(counter, (self.seed & MASK, self.seed >> 32 & MASK)), dim=2)
            self.unused, self.block = torch.cat([self.unused, fresh.flatten(1)], dim=1), self.block + blocks
        words, self.unused = self.unused[:, :columns], self.unused[:, columns:]
        return words


# -----------------------------------------------------------------------------------------------------------
# Random numbers from a torch generator (any device), or from a numpy generator or a counter (the same everywhere).

Generator = torch.Generator | np.random.Generator
RandomSource = Generator | Counter  # a counter gives exactly one row for each of its curves


class Draw:
    def __init__(self, generator: RandomSource):
        self.generator = generator

    def uniform(self, low: float, high: float, n: int) -> Tensor:
        if isinstance(self.generator, np.random.Generator):
            return torch.from_numpy(self.generator.random(n)) * (high - low) + low
        if isinstance(self.generator, Counter):
            return self.generator.uniform(1)[:, 0] * (high - low) + low  # (n,)
        u = torch.rand(n, generator=self.generator, device=self.generator.device)
        return u.mul_(high - low).add_(low)

    def normal(self, mean: float, sd: float, *shape: int) -> Tensor:
        if isinstance(self.generator, np.random.Generator):
            return torch.from_numpy(self.generator.standard_normal(shape)) * sd + mean
        if isinstance(self.generator, Counter):
            return self.generator.normal(math.prod(shape[1:])).reshape(shape) * sd + mean
        return torch.randn(*shape, generator=self.generator, device=self.generator.device).mul_(sd).add_(mean)
