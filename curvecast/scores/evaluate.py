"""Score a forecaster on curves: it sees the first epochs, or others that are asked for, and is asked about the rest."""

from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.curves.prior import Curves, PriorConfig, sample, test_set
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


# -----------------------------------------------------------------------------------------------------------
# One question to a forecaster for many curves, at any epochs: what was its answer worth, curve by curve?
#
# Shapes: n curves, T = points seen, Q = queries.

DENSITIES = 2000  # at once: their buckets should stay in the cache


def ask(
    forecaster: Forecaster, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
) -> pd.DataFrame:
    """See y (n, T) at x (T,), say y_query (n, Q) at x_query (Q,).  -> a row a curve, means over its queries."""
    batches = []
    size = max(1, DENSITIES // len(x_query))
    for i in range(0, len(y), size):
        seen, asked = y[i : i + size], y_query[i : i + size]
        shown = None if mask is None else mask[i : i + size]
        n = len(seen)
        density = forecaster.predict(x.expand(n, -1), seen, x_query.expand(n, -1), shown)  # (n, Q)
        ll, place = density.log_density(asked), density.cdf(asked)
        covered = (place > 0.05) & (place < 0.95)
        batches.append(torch.stack([ll.double().mean(1), covered.double().mean(1)]))
    ll, covered = torch.cat(batches, 1)
    return pd.DataFrame({"curve": range(len(y)), "ll": ll.numpy(), "cover90": covered.numpy()})


def ahead(forecaster: Forecaster, curves: Curves, cutoff: int, distances: tuple[int, ...]) -> pd.DataFrame:
    """One query a distance, with the error of the median and the width of the 90 % band."""
    x = torch.arange(1, cutoff + 1.0)
    frames = []
    for distance in distances:
        at, frame = cutoff + distance - 1, []
        query = torch.tensor([cutoff + distance + 0.0])
        for i in range(0, len(curves.noisy), DENSITIES):
            y, clean = curves.noisy[i : i + DENSITIES], curves.clean[i : i + DENSITIES]
            n = len(y)
            density = forecaster.predict(x.expand(n, -1), y[:, :cutoff], query.expand(n, -1))  # (n, 1)
            low, median, high = (density.quantile(level)[:, 0] for level in (0.05, 0.5, 0.95))
            held = (y[:, at] >= low) & (y[:, at] <= high)
            parts = held, (median - clean[:, at]).abs(), high - low
            frame.append(torch.stack([part.double() for part in parts]))
        held, error, width = torch.cat(frame, 1).numpy()
        frames.append(pd.DataFrame({"ahead": distance, "curve": range(len(held)), "cover90": held,
                                    "error": error, "width": width}))  # fmt: skip
    return pd.concat(frames)


def gaps(forecaster: Forecaster, y: Tensor, cutoff: int, generator: torch.Generator) -> pd.DataFrame:
    """The same curves seen with and without gaps, and asked for the same later epochs; last, for the gaps themselves."""
    x = torch.arange(1, cutoff + 1.0)
    later = torch.arange(2 * cutoff, y.shape[1] + 1.0, cutoff)  # multiples of the cutoff can be renumbered
    seen = {
        f"all {cutoff}": x, f"first {cutoff // 2}": x[: cutoff // 2], "every second": x[1::2],
        "every fifth": x[4::5], "every tenth": x[9::10], "without the first five": x[5:], "the last alone": x[-1:],
    }  # fmt: skip
    truth = y[:, later.long() - 1]
    by_case = {name: ask(forecaster, at, y[:, at.long() - 1], later, truth) for name, at in seen.items()}
    half = torch.rand(len(y), cutoff, generator=generator).argsort(1) < cutoff // 2
    by_case["a random half"] = ask(forecaster, x, y[:, :cutoff], later, truth, half)
    for name, every in (("every second", 2), ("every fifth", 5), ("every tenth", 10)):
        at = seen[name].long() - 1
        by_case[f"{name}, renumbered"] = ask(forecaster, x[: len(at)], y[:, at], later / every, truth)
    between, first = x[2::2], x[:5]
    missed = y[:, between.long() - 1]
    by_case["asked: between every second"] = ask(forecaster, x[1::2], y[:, 1:cutoff:2], between, missed)
    by_case["asked: the first five"] = ask(forecaster, x[5:], y[:, 5:cutoff], first, y[:, :5])
    return pd.concat([frame.assign(case=name) for name, frame in by_case.items()])


def long(
    forecaster: Forecaster, curves: int, shares: tuple[int, ...], generator: torch.Generator
) -> pd.DataFrame:
    """Curves of 400 epochs of the same formulas, in three ways, beside the prior's own at the same share seen."""
    y = sample(PriorConfig(length=400), curves, generator).noisy  # (n, 400)
    own, thin = test_set(curves).noisy, y[:, 3::4]  # (n, 100)
    x, later = torch.arange(1, 101.0), torch.arange(70, 101, 10.0)
    at = later.long() - 1
    ends, frames = thin[:, at], []
    for share in shares:
        seen, every = x[:share], torch.arange(1, 4 * share + 1.0)
        by_case = {
            "100 epochs": ask(forecaster, seen, own[:, :share], later, own[:, at]),
            "every fourth, renumbered": ask(forecaster, seen, thin[:, :share], later, ends),
            "every fourth, not renumbered": ask(forecaster, 4 * seen, thin[:, :share], 4 * later, ends),
            "every epoch, asked beyond 100": ask(forecaster, every, y[:, : 4 * share], 4 * later, ends),
        }
        frames += [frame.assign(case=name, cutoff=share) for name, frame in by_case.items()]
    return pd.concat(frames)
