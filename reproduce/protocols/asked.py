"""What is the answer of a forecaster worth, curve by curve, at any epochs: far ahead, with gaps, beyond its prior's length?

Shapes: n curves, T = points seen, Q = queries.
"""

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves.prior import Curves, PriorConfig, sample, test_set
from curvecast.training.train import Forecaster

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
