"""Numbers by chance that belong to a curve: a function of seed, number of the curve, attempt and place, and of nothing else.

Philox-4x32-10 (Salmon, Moraes, Dror and Shaw 2011) turns a counter of four 32-bit words into four random ones. It is
integer arithmetic alone, so every device and every version of torch gives the same words, whatever is drawn beside them.

Shapes: n curves; words are int64 that hold 32 bits.
"""

import torch
from torch import Tensor

MASK = 0xFFFFFFFF
MULTIPLY = (0xD2511F53, 0xCD9E8D57)
RAISE_KEY = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10

AHEAD = 4  # blocks at least at a time: a call costs as much as thousands of words

Words = tuple[Tensor, Tensor, Tensor, Tensor]


def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Products wrap at 64 bits, as they should; what stands above 32 bits is cut off where it would matter."""
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
    """A generator for these curves. Each column that is asked for is the next place of every one of them.

    What is drawn again, because it was refused, is another attempt: 1, 2, ...; attempt 0 holds what is drawn once.
    """

    def __init__(self, seed: int, numbers: Tensor, attempt: Tensor | int = 0, block: int = 0):
        self.seed, self.numbers, self.block = seed, numbers, block
        self.attempt = torch.as_tensor(attempt, device=numbers.device).expand(len(numbers))  # (n,)
        self.left = numbers.new_empty(len(numbers), 0)  # words that nobody has asked for

    @property
    def device(self) -> torch.device:
        return self.numbers.device

    def of(self, some: Tensor, attempt: Tensor | None = None) -> "Counter":
        """Some of the curves, by index: from the next block on, or from the first one of another attempt."""
        if attempt is not None:
            return Counter(self.seed, self.numbers[some], attempt)
        return Counter(self.seed, self.numbers[some], self.attempt[some], self.block)

    def uniform(self, columns: int) -> Tensor:
        """Between 0 and 1, never at either: 32 bits and a half, which float64 holds.  -> (n, columns)"""
        return (self._words(columns).double() + 0.5).mul_(2.0**-32)

    def normal(self, columns: int) -> Tensor:
        """The quantile of a uniform number: float64, so that devices differ by 1e-13 and not by 1e-6.  -> (n, columns)"""
        return torch.special.ndtri(self.uniform(columns))

    def _words(self, columns: int) -> Tensor:
        """The next places of every curve, four to a block.  -> (n, columns)"""
        lacking = columns - self.left.shape[1]
        if lacking > 0:
            blocks = max(AHEAD, -(-lacking // 4))
            place = torch.arange(self.block, self.block + blocks, device=self.device)  # (blocks,)
            number, attempt, place = torch.broadcast_tensors(
                self.numbers[:, None], self.attempt[:, None], place
            )
            counter = (number & MASK, number >> 32, attempt, place)
            fresh = torch.stack(philox(counter, (self.seed & MASK, self.seed >> 32 & MASK)), dim=2)
            self.left, self.block = torch.cat([self.left, fresh.flatten(1)], dim=1), self.block + blocks
        words, self.left = self.left[:, :columns], self.left[:, columns:]
        return words
