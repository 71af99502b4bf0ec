"""How well can accuracy against the size of the training set be forecast?

What an epoch is to a network can be told in three ways here: the number of the observation, whose sizes grow by a factor; the
size itself, spread over 1 to 100; or the share of all rows, as the older blog had it. Least squares get the sizes.
Curves that others measured over sizes (LCDB 1.1) are a row of real_curves.
"""

from dataclasses import dataclass
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.forecasting import shipped
from curvecast.scores import baselines
from reproduce._press import style
from reproduce._press.contract import Claim, claim
from reproduce._press.where import where
from reproduce.new_data import _beside, _factors
from reproduce.new_data._beside import Answer
from reproduce.new_data._own_runs import own_runs
from reproduce.new_data._protocol import POINTS, SHARES, Trial, trial

Rows = dict[str, pd.DataFrame]
Array = np.ndarray

NETWORKS = {"shipped": None, "old": "paper-prior"}  # how `shipped.load` calls them
FITS = ("pow3", "pow4", "mmf4")
WAYS = {
    "number": "number of the observation",
    "size": "size, spread over 1 to 100",
    "share": "share of all rows",
}
FROM = SHARES[1]  # per cent seen, from which on the claims count


@dataclass(frozen=True)
class Config:
    curves: int = 80  # of a metric, at most
    metrics: tuple[str, ...] = ("accuracy", "loss")
    least: int = 20  # points


SCALES = {"smoke": Config(3), "laptop": Config(), "paper": Config()}

TABLES = {
    "curves": ("row", "curve", "run", "group", "learner", "points"),
    "rows": ("row", "curve", "seen", "method", *_beside.SCORES),
}


class Put(NamedTuple):
    run: str
    group: str  # the task: all its curves are over the same rows
    learner: str
    trial: Trial
    sizes: Array  # (n,) training rows, rising


def parts(config: Config) -> list[str]:
    return ["simple", *NETWORKS]


def reads(config: Config) -> list[str]:
    return ["own_curves"]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    asked = {metric: put(read["own_curves"], metric, config) for metric in config.metrics}
    rows = [
        _beside.scores([one.trial for one in puts], _answers(part, puts)).assign(row=metric)
        for metric, puts in asked.items()
    ]
    tables = {"rows": pd.concat(rows, ignore_index=True)[list(TABLES["rows"])]}
    if part == "simple":
        tables["curves"] = pd.concat([_about(row, puts) for row, puts in asked.items()], ignore_index=True)
    return tables


def put(rows: Rows, metric: str, config: Config) -> list[Put]:
    runs = [
        run
        for run in own_runs(rows, (metric,), config.least)
        if run.x == "rows" and len(run.values) <= POINTS
    ]
    tried = ((run, trial(run.values, run.low, run.high, run.minimise)) for run in runs[: config.curves])
    return [
        Put(run.name, run.task, str(run.settings["model"]), one, run.steps.astype(float))
        for run, one in tried if one is not None
    ]  # fmt: skip


def _about(row: str, puts: list[Put]) -> pd.DataFrame:
    return pd.DataFrame(
        [(row, i, one.run, one.group, one.learner, len(one.sizes)) for i, one in enumerate(puts)],
        columns=list(TABLES["curves"]),
    )


def told(way: str, sizes: Array) -> Array:
    """(n,) what a network takes for epochs."""
    if way == "number":
        return np.arange(1.0, len(sizes) + 1)
    if way == "size":
        return 1 + 99 * (sizes - sizes[0]) / (sizes[-1] - sizes[0])
    return sizes / sizes[-1]


def _answers(part: str, puts: list[Put]) -> dict[str, Answer]:
    if part in NETWORKS:
        forecaster = shipped.load(NETWORKS[part]).forecaster
        return {
            f"{part}, {way}": _network(forecaster, [told(way, one.sizes) for one in puts]) for way in WAYS
        }
    sizes = [one.sizes for one in puts]
    return {"last": _baseline("last value", sizes)} | {name: _baseline(name, sizes) for name in FITS}


def _network(forecaster: shipped.Forecaster, x: list[Array]) -> Answer:
    def answer(shown: _beside.Shown) -> list[tuple[torch.Tensor, _beside.Density]]:
        seen, ahead = _beside.beside(x, shown)
        return [(torch.arange(len(shown.y)), forecaster.predict(seen, shown.y.float(), ahead))]

    return answer


def _baseline(name: str, x: list[Array]) -> Answer:
    def answer(shown: _beside.Shown) -> list[tuple[torch.Tensor, _beside.Density]]:
        seen, ahead = _beside.beside(x, shown)
        return [(torch.arange(len(shown.y)), baselines.forecast(name, seen, shown.y, ahead))]

    return answer


def _found(rows: Rows) -> pd.DataFrame:
    """A line for each forecast."""
    if not {"rows", "curves"} <= set(rows):
        return pd.DataFrame()
    curves = rows["curves"].drop(columns="part", errors="ignore")
    return rows["rows"].merge(curves, on=["row", "curve"])


def _title(method: str) -> str:
    name, _, way = method.partition(", ")
    return f"{style.name(name)}, {WAYS[way]}" if way else style.name(name)


def draw(rows: Rows) -> dict[str, Figure]:
    """CRPS beside that of the last value; dashes and dots are the other two ways to tell a size."""
    if (found := _found(rows)).empty:
        return {}
    metrics, dashes = list(found["row"].unique()), dict(zip(WAYS, ("-", "--", ":"), strict=True))
    figure, axes = plt.subplots(
        1, len(metrics), figsize=(8, 3.8), sharey=True, squeeze=False, layout="constrained"
    )
    for ax, metric in zip(axes[0], metrics, strict=True):
        ax.axhline(1, color=style.ink(), linewidth=1, linestyle=":")
        for method in (name for name in found["method"].unique() if name != "last"):
            name, _, way = method.partition(", ")
            ratios = [_factors.factor(where(found, row=metric, seen=seen), method, "last") for seen in SHARES]
            looks = style.line(name, label=_title(method)) | ({"linestyle": dashes[way]} if way else {})
            ax.plot(
                SHARES, [one.value if one else np.nan for one in ratios], marker="o", markersize=3, **looks
            )
        ax.set_title(metric.replace("loss", "log-loss"))
        ax.set_xticks(SHARES)
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_ylabel("CRPS / that of the last value")
    figure.supxlabel("per cent of the sizes seen", fontsize=10)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=8)
    return {"sizes": figure}


def tabulate(rows: Rows) -> Rows:
    found = _found(rows)
    return {} if found.empty else {metric: _table(own) for metric, own in found.groupby("row")}


def _table(own: pd.DataFrame) -> pd.DataFrame:
    """A line for each method; 10 / 20 / 40 / 70 % of the sizes seen."""
    return pd.DataFrame([
        {"method": _title(method), "CRPS / last value": _by_share(own, method, "crps"),
         "error / last value": _by_share(own, method, "error"), "in the 90 % band": _by_share(own, method, "in90")}
        for method in own["method"].unique()
    ])  # fmt: skip


def _by_share(own: pd.DataFrame, method: str, score: str) -> str:
    cells = []
    for seen in SHARES:
        some = where(own, seen=seen)
        one = (
            _factors.mean(some, method, score)
            if score == "in90"
            else _factors.factor(some, method, "last", score)
        )
        cells.append(f"{one.value:.2f}" if one else "–")
    return " / ".join(cells)


def claims(rows: Rows) -> list[Claim]:
    found = _found(rows)
    own = found[(found["row"] == "accuracy") & (found["seen"] >= FROM)] if len(found) else found
    ships = "shipped, number"
    return [
        claim("numbers_beat_sizes", "On accuracy from a fifth of the sizes on, the number of the observation instead of the "
              "size multiplies the CRPS of the network that ships by {value:.2f}.",
              _factors.factor(own, ships, "shipped, size"), "< 1"),
        claim("numbers_beat_shares", "Instead of the share of all rows, as the older blog had it, it multiplies the CRPS by "
              "{value:.2f}.", _factors.factor(own, ships, "shipped, share"), "< 1"),
        claim("beats_last", "Its CRPS is {value:.2f} times that of the last value there.",
              _factors.factor(own, ships, "last"), "< 1"),
        claim("beats_pow3", "Its CRPS is {value:.2f} times that of pow3 by least squares, which gets the sizes.",
              _factors.factor(own, ships, "pow3"), "< 1"),
        claim("beats_old", "Its CRPS is {value:.2f} times that of the network of 0.1, whose prior is the paper’s.",
              _factors.factor(own, ships, "old, number"), "< 1"),
        claim("bands_hold", "There its 90 % band holds {value:.0%} of what came.", _factors.mean(own, ships, "in90"),
              "between 0.85 and 0.95"),
    ]  # fmt: skip
