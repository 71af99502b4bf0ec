"""How strongly few finished runs count: candidates, measured on the tuning set, and the rule that picks one of them."""

import itertools

import numpy as np
import pandas as pd

from curvecast.forecasting.kept_promises import Draw

MEANS, SPREADS, SHAPES = (1.0, 3.0, 6.0), (2.0, 5.0, 10.0), (1.0, 3.0, 10.0, 30.0)
BESIDE = (3.0, 5.0)  # mean and spread with which shapes are tried: the middle of the candidates
FEW, MANY = (2, 5), (10, 20)  # finished runs with which mean and spread are chosen, and the shape
HELD = (0.89, 0.91)  # coverage that the 90 % interval needs on average

PAIRS = list(itertools.product(MEANS, SPREADS))


def draw(rows: pd.DataFrame) -> Draw:
    """Of the pairs with the right coverage, the one with the lowest CRPS; of the shapes the most even one."""
    few = (
        rows[rows["finished"].isin(FEW)]
        .groupby(["mean", "spread"])
        .apply(_held_and_ratio, include_groups=False)
    )
    honest = few[few["held"].between(*HELD)]
    mean, spread = honest["ratio"].idxmin() if len(honest) else (few["held"] - 0.9).abs().idxmin()
    many = rows[rows["finished"].isin(MANY)]
    off = many.assign(off=(many["in90"] - 0.9).abs()).groupby(["shape", "source"])["off"].mean()
    return Draw(float(mean), float(spread), float(off.groupby("shape").mean().idxmin()))


def _held_and_ratio(rows: pd.DataFrame) -> pd.Series:
    """Sources count alike, and in a source its tasks."""
    by_source = rows.assign(ratio=np.log(rows["ratio"])).groupby("source")[["in90", "ratio"]].mean().mean()
    return pd.Series({"held": by_source["in90"], "ratio": np.exp(by_source["ratio"])})


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Every candidate: the coverage of its 90 % interval, and its CRPS."""
    cells = []
    for (mean, spread, shape), own in rows.groupby(["mean", "spread", "shape"]):
        line = {"strengths (mean, spread, shape)": f"{mean:g}, {spread:g}, {shape:g}"}
        for n in (*FEW, *MANY):
            there = own[own["finished"] == n]
            told = _held_and_ratio(there) if len(there) else None
            line[f"{n} runs: coverage"] = "–" if told is None else f"{told['held']:.1%}".replace("%", " %")
            line[f"{n} runs: relative CRPS"] = "–" if told is None else f"{told['ratio']:.3f}"
        cells.append(line)
    return pd.DataFrame(cells)
