"""How much finished runs tell of another: candidates, measured on the tuning set, and the rule that picks one of them."""

import itertools

import numpy as np
import pandas as pd

from curvecast.forecasting.kept_promises import Sharing

BY_ALL, BY_ALIKE = (0.05, 0.15, 0.45), (0.0, 0.15, 0.5, 1.5)
COUNTS = (2, 5, 20)  # finished runs
COVERS = (0.88, 0.92)  # coverage that the 90 % interval needs on average

CANDIDATES = [Sharing(*pair) for pair in itertools.product(BY_ALL, BY_ALIKE)]


def sharing(rows: pd.DataFrame) -> Sharing:
    """Of the candidates with the right coverage, the one with the lowest CRPS."""
    found = rows.groupby(["by_all", "by_alike"]).apply(_over_counts, include_groups=False)
    honest = found[found["in90"].between(*COVERS)]
    by_all, by_alike = honest["log_ratio"].idxmin() if len(honest) else (found["in90"] - 0.9).abs().idxmin()
    return Sharing(float(by_all), float(by_alike))


def _over_counts(rows: pd.DataFrame) -> pd.Series:
    return pd.DataFrame([_over_sources(own) for _, own in rows.groupby("finished")]).mean()


def _over_sources(rows: pd.DataFrame) -> pd.Series:
    """Sources count alike, and in a source its tasks."""
    logs = rows.assign(log_ratio=np.log(rows["ratio"]))
    return logs.groupby("source")[["in90", "log_ratio"]].mean().mean()


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Every candidate: the coverage of its 90 % interval, and its CRPS."""
    cells = []
    for (by_all, by_alike), own in rows.groupby(["by_all", "by_alike"]):
        line = {"shared by all runs": f"{by_all:g}", "by runs forecast alike": f"{by_alike:g}"}
        for n, there in own.groupby("finished"):
            mean = _over_sources(there)
            line[f"{n} runs: coverage"] = f"{100 * mean['in90']:.1f} %"
            line[f"{n} runs: relative CRPS"] = f"{np.exp(mean['log_ratio']):.3f}"
        cells.append(line)
    return pd.DataFrame(cells)
