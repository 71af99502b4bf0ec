"""Random settings drawn by key: the result depends only on the words and numbers of the key."""

import math
import zlib
from typing import Any

import numpy as np


class Dice:
    def __init__(self, *key: str | int) -> None:
        self._next = np.random.default_rng([zlib.crc32(str(part).encode()) for part in key]).random

    def between(self, low: float, high: float) -> float:
        return short(low + (high - low) * self._next())

    def log(self, low: float, high: float) -> float:
        return short(math.exp(math.log(low) + math.log(high / low) * self._next()))

    def whole(self, low: int, high: int) -> int:
        return low + int(self._next() * (high + 1 - low))

    def one_of(self, *choices: Any) -> Any:
        return choices[self.whole(0, len(choices) - 1)]

    def chance(self, share: float) -> bool:
        return self._next() < share

    def seed(self) -> int:
        return self.whole(0, 2**31 - 1)


def short(number: float) -> float:
    return float(f"{number:.4g}")
