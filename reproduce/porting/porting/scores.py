"""Forecasts of the blog's ports and of simpler methods, scored in the blog's unit, and what these scores say.

An interval counts two kinds of variation: sampling variation of the curves, and seed-to-seed variation by Student's t, since
seeds are few. What was trained once has no interval; for what is not trained at all, only the curves vary.

Shapes: n curves, c = cutoff, T = epochs; a forecast is one number for each later epoch, (n, T - c).
"""

import math
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.curves.prior import Curves, PriorConfig, sample
from curvecast.training.train import Forecaster
from presswork import Estimates, Interval, there
from presswork.contract import ROOT
from presswork.estimates import of_each_end
from presswork.intervals import drawn, student
from reproduce.porting.porting.old_port import TABLE

STEPS = 84  # over which the ports' loss is summed
DRAWN = 10_000  # curves of the prior, for what needs no training
GROUP = 5  # curves that the ports forecast together
# LC-PFN: trained once, by another question
UNTRAINED = ("last-value", "mean-of-five", "prior-mean", "rule-1", "lcpfn", "lcpfn-clean")


def per_curve(model: str, told: Tensor, curves: Curves) -> pd.DataFrame:
    """Squared errors of a point, each a mean over the later epochs; "off": the forecast of one epoch beside the next one."""
    noisy = curves.noisy[:, curves.noisy.shape[1] - told.shape[1] :]
    differences = {"off": told[:, :-1] - noisy[:, 1:], "noisy": told - noisy}
    each = pd.DataFrame({name: one.square().mean(1).double().numpy() for name, one in differences.items()})
    return each.rename_axis("curve").reset_index().assign(model=model)


def simple(forecaster: Forecaster, curves: Curves, c: int) -> pd.DataFrame:
    """LC-PFN on noisy curves and on clean ones, and what needs no training."""
    T, y = curves.noisy.shape[1], curves.noisy[:, :c]
    drawn = sample(PriorConfig(), DRAWN, torch.Generator().manual_seed(0)).noisy
    told = {
        "prior-mean": drawn.mean().expand(len(y), T - c),
        "rule-1": memoryless(y, drawn),
        "last-value": y[:, -1:].expand(-1, T - c),
        "mean-of-five": y[:, -5:].mean(1, keepdim=True).expand(-1, T - c),  # noise mostly cancels
    }
    pure = Curves(curves.clean, curves.clean, curves.sigma)
    networks = (("lcpfn", curves), ("lcpfn-clean", pure))
    scored = [per_curve(name, means_of(forecaster, some.noisy, c), some) for name, some in networks]
    scored += [per_curve(name, values, curves) for name, values in told.items()]
    return pd.concat(scored, ignore_index=True).assign(seed=0)


def means_of(forecaster: Forecaster, y: Tensor, c: int) -> Tensor:
    """What LC-PFN forecasts of noisy values (n, T): (n, T - c). A thousand buckets an epoch should stay in the cache."""
    x = torch.arange(1.0, y.shape[1] + 1)
    return torch.cat([
        forecaster.predict(x[:c].expand(len(some), -1), some[:, :c], x[c:].expand(len(some), -1)).mean()
        for some in y.split(50)
    ])  # fmt: skip


def memoryless(y: Tensor, drawn: Tensor) -> Tensor:
    """The best linear rule that reads the last value alone, run on its own forecasts: (n, c) -> (n, T - c)

    A port whose attention runs over curves is such a map from one value to the next; this one needs no training, only least
    squares over all epochs of curves of the prior (m, T)."""
    now, following = drawn.double()[:, :-1].flatten(), drawn.double()[:, 1:].flatten()  # (m (T - 1),)
    read = torch.stack([now, torch.ones_like(now)], 1)  # with a constant
    slope, level = torch.linalg.lstsq(read, following[:, None]).solution[:, 0]
    told = [y.double()[:, -1]]
    for _ in range(drawn.shape[1] - y.shape[1]):
        told.append(slope * told[-1] + level)
    return torch.stack(told[1:], 1).float()


# ------------------------------------------------------------------------------------------------- estimates

Which = tuple[str, str]  # model and column
Scores = dict[Which, pd.DataFrame]  # one row a curve, one column a seed

CLEAN: Which = ("lcpfn-clean", "noisy")  # LC-PFN on curves without noise, as the blog scored it
MENDED: Which = ("small-mended", "noisy")
ALONE: dict[str, tuple[Which, Which]] = {  # cause: a model with it alone, the same without it
    "noisy points": (("lcpfn", "noisy"), CLEAN),
    "a small network": (MENDED, ("large-mended", "noisy")),
    "the same few curves": (("only-data", "noisy"), MENDED),
    "dropout": (("only-dropout", "noisy"), MENDED),
    "attention over curves": (("only-axis", "noisy"), MENDED),
    "scored one epoch off": (("small-mended", "off"), MENDED),
}
WAY = {  # from LC-PFN to the last column of the blog's table, cause by cause
    "noisy points": ("lcpfn", "noisy"),
    "a short training, step by step": ("large-mended", "noisy"),
    "a small network": ("small-mended", "noisy"),
    "the same few curves": ("only-data", "noisy"),
    "dropout": ("down-dropout", "noisy"),
    "attention over curves": ("down-axis", "noisy"),
    "encoding numbers the curves": ("small", "noisy"),
    "trained on its own forecasts": ("small-free", "noisy"),
    "Euclidean encoding": ("small-free-euclidean", "noisy"),
    "scored one epoch off": ("small-free-euclidean", "off"),
}

LAST: Which = ("last-value", "noisy")
FIVE: Which = ("mean-of-five", "noisy")
REPAIRED: list[Which] = [(f"{model}-mended", "noisy") for model in TABLE]
COMPARED: list[tuple[Which, Which]] = [
    *ALONE.values(), *((rule, which) for rule in (LAST, FIVE) for which in REPAIRED),
    *(((model, "noisy"), LAST) for model in ("large", "small-free")), (("small-free", "noisy"), ("prior-mean", "noisy")),
]  # fmt: skip


@cache
def printed(model: str, column: str) -> float:
    """What the student blog prints: "mean" or "sd"."""
    table = pd.read_csv(ROOT / "reproduce" / "printed" / "printed_ports.csv").set_index("model")
    return float(table.loc["LC-PFN" if model == "lcpfn" else model, column])


def scores(each: pd.DataFrame) -> Scores:
    """Squared errors per point."""
    return {
        (str(model), column): own.pivot(index="curve", columns="seed", values=column)
        for model, own in each.groupby("model", sort=False)
        for column in ("off", "noisy")
    }


def estimates(each: pd.DataFrame) -> Estimates:
    """{(model, column): squared error in the unit of the blog, a sum over its steps; (one, other): one of these minus
    another; ("again", "printed", model): what the blog prints}, and by how much at least the repaired ports are better than
    the last value, by the name of its claim."""
    scored = scores(each)
    found = {which: interval(values, which[0] in UNTRAINED) for which, values in scored.items()}
    way = [which for which in (CLEAN, *WAY.values()) if which in scored]
    pairs = [*COMPARED, *((after, before) for before, after in pairwise(way))]
    less = there({(one, other): difference(scored, one, other) for one, other in pairs})
    leads = [less.get((LAST, which)) for which in REPAIRED]
    least = None if None in leads else of_each_end(min, filter(None, leads))
    means = {model: printed(model, "mean") for model in ("lcpfn", *TABLE)}
    told = {("again", "printed", model): Interval.exactly(mean) for model, mean in means.items()}
    return found | less | there({"each_mended_beats_last": least} | told)


def difference(scored: Scores, one: Which, other: Which) -> Interval | None:
    """One minus other, on the same curves, seed by seed where both have seeds."""
    if one not in scored or other not in scored:
        return None
    mine, yours, still = scored[one], scored[other], [model in UNTRAINED for model, _ in (one, other)]
    if still[1]:
        apart = mine.sub(yours[0], axis=0)
    elif still[0]:
        apart = yours.rsub(mine[0], axis=0)
    else:
        apart = (mine - yours).dropna(axis=1, how="all")  # seeds that both have
    return interval(apart, all(still)) if apart.size else None


def interval(values: pd.DataFrame, still: bool) -> Interval:
    """Mean over curves and seeds, summed over steps; its half width is NaN where seed-to-seed variation is unknown."""
    by_curve, by_seed = values.mean(axis=1), values.mean(axis=0)
    # a port with its faults mixes the curves of a group
    by_group = by_curve.groupby(np.arange(len(by_curve)) // GROUP).mean().rename_axis("batch")
    curves, seeds = 1.96 * by_group.sem(), student(len(by_seed)) * by_seed.sem()
    half = curves if still else math.hypot(curves, seeds)
    over = drawn(by_group) if still else drawn(by_seed) + drawn(by_group)
    return Interval.around(float(by_seed.mean()), half, over).times(STEPS)


def in_order(found: Estimates) -> list[tuple[str, float, Interval | None]]:
    """Each step of the waterfall: cause, score in the blog's unit after it, and what it added; none without LC-PFN."""
    before = CLEAN
    if before not in found:
        return []
    summed, steps = found[before].value, list[tuple[str, float, Interval | None]]()
    steps += [
        ("LC-PFN, mean per point, no noise", summed / STEPS, None),
        (f"summed over {STEPS} steps", summed, None),
    ]
    for cause, which in WAY.items():
        if which in found:
            steps.append((cause, found[which].value, found.get((which, before))))
            before = which
    return steps
