"""What a curve has that its nearest curve of the paper's prior lacks: one number for each feature.

A curve of n points y (n,), as networks read it; r (n,), its residuals from the nearest curve of the prior.
"""

import math

import numpy as np

Array = np.ndarray

FEATURES = {  # with titles and units
    "size": ("size of residuals", "ln of the sd"),
    "memory": ("autocorrelation", "at lag 1"),
    "waves": ("slow waves", "share of the residuals’ variance"),
    "settles": ("size, last / first third", "ln of the ratio of sds"),
    "tails": ("heavy tails", "share beyond 3 robust sds"),
    "jump": ("largest jump", "robust sds of a step"),
    "rise": ("rise at the end", "over the last third, in sds"),
    "repeated": ("repeated values", "share of the points"),
    "bound": ("at a bound", "share of the points"),
    "falls": ("fall from the best", "best minus last value"),
}
TINY = 1e-6  # what is smaller is left by the search for the nearest curve, or by rounding
NORMAL = 1.4826  # of a normal law: standard deviation over median of absolute values
WAVES = 5
AROUND = 3  # steps on each side
FEW = 5  # points at an end


def features(y: Array, r: Array) -> dict[str, float]:
    """Those of the residuals are NaN where these are zero."""
    size = r.std()
    of_residuals = {
        "memory": memory, "waves": waves, "settles": settles, "tails": tails, "jump": jump, "rise": rise,
    }  # fmt: skip
    return {
        "size": math.log(max(size, TINY)),
        **{name: feature(r) if size > TINY else math.nan for name, feature in of_residuals.items()},
        "repeated": 1 - len(np.unique(y)) / len(y), "bound": float(((y < TINY) | (y > 1 - TINY)).mean()), "falls": falls(y),
    }  # fmt: skip


def memory(r: Array) -> float:
    off = r - r.mean()
    return float((off[1:] * off[:-1]).sum() / np.square(off).sum())


def waves(r: Array) -> float:
    """Share of the squares in half a cosine, a whole one, and so on."""
    n, off = len(r), r - r.mean()
    slow = np.cos(np.pi * np.arange(1, WAVES + 1)[:, None] * (np.arange(n) + 0.5) / n)
    return float(np.square(slow @ off).sum() * 2 / n / np.square(off).sum())


def settles(r: Array) -> float:
    third = len(r) // 3
    return math.log(max(r[-third:].std(), TINY) / max(r[:third].std(), TINY))


def tails(r: Array) -> float:
    off = np.abs(r - np.median(r))
    spread = NORMAL * np.median(off)
    return float((off > 3 * spread).mean()) if spread > TINY else math.nan


def jump(r: Array) -> float:
    """The step that lies farthest from the middle of those around it."""
    steps = np.diff(r)
    padded = np.pad(steps, AROUND, constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * AROUND + 1)
    others = np.delete(windows, AROUND, axis=1)
    spread = NORMAL * np.median(np.abs(steps - np.median(steps)))
    return float(np.abs(steps - np.nanmedian(others, axis=1)).max() / spread) if spread > TINY else math.nan


def rise(r: Array) -> float:
    """Of a line through the last third, in units of the size of all residuals."""
    third = len(r) // 3
    slope = np.polyfit(np.arange(third), r[-third:], 1)[0]
    return float(slope * third / r.std())


def falls(y: Array) -> float:
    """The best mean of a few points over that of the last ones."""
    means = np.convolve(y, np.full(FEW, 1 / FEW), "valid")
    return float(means.max() - means[-1])
