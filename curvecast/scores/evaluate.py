"""Score a forecaster on curves from a file: it sees the first epochs, and is asked about the rest."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from curvecast.ground.errors import UserError, demand, reading
from curvecast.scores import metrics
from curvecast.training.train import Forecaster

ARRAYS = ("noisy", "clean")
AT_ONCE = 20  # curves: 1000 buckets for each of 95 queries should stay in the cache


def score(forecaster: Forecaster, noisy: Tensor, clean: Tensor | None, cutoff: int) -> dict[str, Tensor]:
    """Per-curve scores (n,) of all points after the cutoff, curves at epochs 1, 2, ..."""
    x = torch.arange(1, noisy.shape[1] + 1, dtype=noisy.dtype)
    parts = []
    for i in range(0, len(noisy), AT_ONCE):
        y = noisy[i : i + AT_ONCE]
        epochs = x.expand(len(y), -1)
        density = forecaster.predict(epochs[:, :cutoff], y[:, :cutoff], epochs[:, cutoff:])
        truth = None if clean is None else clean[i : i + AT_ONCE, cutoff:]
        parts.append(metrics.scores(density, y[:, cutoff:], truth))
    return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}


def likelihood(forecaster: Forecaster, noisy: Tensor, cutoff: int) -> Tensor:
    """Per-curve log-likelihood (n,) alone, which needs no quantiles and is fast."""
    x = torch.arange(1, noisy.shape[1] + 1, dtype=noisy.dtype)
    parts = []
    for y in noisy.split(10 * AT_ONCE):
        epochs = x.expand(len(y), -1)
        ll = forecaster.log_density(epochs[:, :cutoff], y[:, :cutoff], epochs[:, cutoff:], y[:, cutoff:])
        parts.append(ll.double().mean(1))
    return torch.cat(parts)


def table(
    forecaster: Forecaster, curves: dict[str, Tensor], cutoffs: list[int]
) -> list[dict[str, float | None]]:
    """One row a cutoff: mean scores, and the standard error of the log-likelihood over curves."""
    length = curves["noisy"].shape[1]
    for cutoff in cutoffs:
        so = "nothing of them can be hidden, and nothing forecast"
        demand(length >= 2, f"the curves have one epoch each: {so}")
        if not 1 <= cutoff < length:
            raise UserError(f"cutoff {cutoff} leaves nothing to see or to forecast: take 1 to {length - 1}")
    rows: list[dict[str, float | None]] = []
    for cutoff in cutoffs:
        scores = score(forecaster, curves["noisy"], curves.get("clean"), cutoff)
        means = {name: metrics.estimate(values) for name, values in scores.items()}
        ll, se = means["ll"].value, means["ll"].se
        # a NaN is not JSON
        row: dict[str, float | None] = {"cutoff": cutoff, "ll": ll, "ll_se": None if se != se else se}
        for name in ("crps", "mse_noisy", "mse_clean", "cover50", "cover90"):
            row[name] = means[name].value if name in means else None
        rows.append(row)
    return rows


def read_curves(path: Path) -> dict[str, Tensor]:
    """Arrays `noisy` and, if there, `clean`, each (n, T)."""
    demand(path.exists(), f"no curves at {path}: make some with `python -m curvecast sample -o {path}`")
    wrong, way = "is not an npz file of plain arrays", "write it with numpy.savez"
    with reading(path, wrong, way), np.load(path, allow_pickle=False) as file:
        arrays = {name: np.asarray(file[name]) for name in ARRAYS if name in file.files}
        names = ", ".join(file.files)
    demand("noisy" in arrays, f"{path} has no array `noisy` (n, epochs); it has {names or 'nothing'}")
    noisy = arrays["noisy"]
    for name, array in arrays.items():
        if array.ndim != 2 or array.shape != noisy.shape or array.dtype.kind not in "fiu" or not array.size:
            is_so = f"`{name}` in {path} is {array.dtype}{list(array.shape)}"
            raise UserError(f"{is_so}: want numbers of shape (n, epochs)")
        bad = np.flatnonzero(~np.isfinite(array).all(1))
        if len(bad):
            where = f"in {len(bad)} curves, first in curve {bad[0]}"
            raise UserError(f"`{name}` in {path} has NaN or infinity {where}")
    return {name: torch.from_numpy(array.astype(np.float32)) for name, array in arrays.items()}
