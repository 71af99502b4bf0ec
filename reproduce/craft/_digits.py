"""The digits that come with scikit-learn: 1,000 to train on and 797 to test, images of 8 x 8 pixels from 0 to 1.

Shapes: n = images, 64 = pixels.
"""

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

SIDE, CLASSES = 8, 10


class Digits(NamedTuple):
    x: Tensor  # (n, 64)
    y: Tensor  # (n,)


class Split(NamedTuple):
    train: Digits
    test: Digits


def digits(seed: int, train: int = 1_000) -> Split:
    """Another seed draws other images to train on; what is left over tests."""
    everything = _all()
    order = torch.randperm(len(everything.y), generator=torch.Generator().manual_seed(seed))
    parts = (order[:train], order[1_000:])
    return Split(*(Digits(everything.x[part], everything.y[part]) for part in parts))


@cache
def _all() -> Digits:
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    return Digits(torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels))


def shifted(x: Tensor, down: int, right: int) -> Tensor:
    """Moved by so many pixels; what leaves the image is lost, and zeros enter.  (n, 64) -> (n, 64)"""
    moved = x.reshape(-1, SIDE, SIDE).roll((down, right), (1, 2))
    for axis, by in ((1, down), (2, right)):
        if by:
            moved.narrow(axis, 0 if by > 0 else SIDE + by, abs(by)).zero_()
    return moved.flatten(1)


def five_times(some: Digits) -> Digits:
    """With each image moved by a pixel in all four directions."""
    moves = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
    return Digits(torch.cat([shifted(some.x, *move) for move in moves]), some.y.repeat(len(moves)))
