"""How well can accuracy against the size of the training set be forecast?

Sizes grow by a factor. In place of an epoch a network can be given the number of the observation, the size, or the share of
all rows, as in the older blog. Least-squares fits get the sizes.
Curves over sizes that others measured (LCDB 1.1) are a benchmark of real_curves.
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.forecasting import shipped, torch_network
from curvecast.scores import baselines
from reproduce._press import style
from reproduce._press.claim import Above, Between, Claim
from reproduce._press.where import Rows
from reproduce.new_data import _beside, _factors
from reproduce.new_data._beside import Answer
from reproduce.pictures.panels import around, legend, panels, ticks
from reproduce.protocols.own_runs import own_runs
from reproduce.protocols.real_curve import POINTS, SHARES, Trial, trial_of

FROM = SHARES[1]  # per cent observed, from which on the claims count
NETWORKS = {"shipped": shipped.PATH, "old": shipped.BY_NAME["paper-prior"]}
FITS = ("pow3", "pow4", "mmf4")
WAYS = {
    "number": "number of the observation",
    "size": "size, rescaled to 1–100",
    "share": "share of all rows",
}


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


class ChosenRun(NamedTuple):
    run: str
    group: str  # the task: all its curves are over the same rows
    learner: str
    trial: Trial
    sizes: np.ndarray  # (n,) training rows, rising


def parts(config: Config) -> list[str]:
    return ["simple", *NETWORKS]


def reads(config: Config) -> list[str]:
    return ["own_curves"]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    asked = {metric: put(read["own_curves"], metric, config) for metric in config.metrics}
    rows = [
        _beside.scores([one.trial for one in puts], answers(part, [one.sizes for one in puts])).assign(
            row=metric
        )
        for metric, puts in asked.items()
    ]
    tables = {"rows": pd.concat(rows, ignore_index=True)[list(TABLES["rows"])]}
    if part == "simple":
        tables["curves"] = pd.concat([_about(row, puts) for row, puts in asked.items()], ignore_index=True)
    return tables


def put(rows: Rows, metric: str, config: Config) -> list[ChosenRun]:
    runs = [
        run
        for run in own_runs(rows, (metric,), config.least)
        if run.x == "rows" and len(run.values) <= POINTS
    ]
    tried = ((run, trial_of(run)) for run in runs[: config.curves])
    return [
        ChosenRun(run.name, run.task, str(run.settings["model"]), one, run.steps.astype(float))
        for run, one in tried if one is not None
    ]  # fmt: skip


def _about(row: str, puts: list[ChosenRun]) -> pd.DataFrame:
    return pd.DataFrame(
        [(row, i, one.run, one.group, one.learner, len(one.sizes)) for i, one in enumerate(puts)],
        columns=list(TABLES["curves"]),
    )


def told(way: str, sizes: np.ndarray) -> np.ndarray:
    """(n,) the input in place of epochs."""
    if way == "number":
        return np.arange(1.0, len(sizes) + 1)
    if way == "size":
        return 1 + 99 * (sizes - sizes[0]) / (sizes[-1] - sizes[0])
    return sizes / sizes[-1]


def answers(part: str, sizes: list[np.ndarray]) -> dict[str, Answer]:
    """Of one network with each input; or of the simple methods. `sizes` has those of each curve."""
    if part in NETWORKS:
        forecaster = torch_network.load(NETWORKS[part])
        return {
            f"{part}, {way}": _beside.told(
                [told(way, own) for own in sizes], lambda x, y, later: forecaster.predict(x, y.float(), later)
            )
            for way in WAYS
        }
    names = {"last": "last value"} | {name: name for name in FITS}
    return {name: _beside.told(sizes, partial(baselines.forecast, method)) for name, method in names.items()}


def draw(rows: Rows) -> dict[str, Figure]:
    """CRPS divided by the last value's; dashes and dots are the other two inputs."""
    scored = _factors.forecasts(rows)
    ratios, dashes = (
        _factors.over(scored, "last", "row", "seen"),
        dict(zip(WAYS, ("-", "--", ":"), strict=True)),
    )
    titles = {"accuracy": "accuracy", "loss": "log-loss"}
    figure, axes = panels(titles.values(), (8, 3.8), sharey=True)
    for ax, metric in zip(axes, titles, strict=True):
        ax.axhline(1, color=style.ink(), linewidth=1, linestyle=":")
        for method in (name for name in scored["method"].unique() if name != "last"):
            name, _, way = method.partition(", ")
            line_style = style.line(name, label=_title(method)) | ({"linestyle": dashes[way]} if way else {})
            there = [ratios.get((method, metric, seen)) for seen in SHARES]
            values = [one.value if one else np.nan for one in there]
            ax.plot(SHARES, values, marker="o", markersize=3, **line_style)
        ax.set_xticks(SHARES)
    axes[0].set(yscale="log", ylabel="CRPS / last value’s (lower is better)")
    ticks(axes[0], (0.5, 1, 2, 5, 10, 20), side="y")
    around(figure, "share of the sizes observed, %")
    legend(figure, axes, 2, fontsize=8)
    return {"sizes": figure}


def _title(method: str) -> str:
    name, _, way = method.partition(", ")
    return f"{style.name(name)}, {WAYS[way]}" if way else style.name(name)


def tabulate(rows: Rows) -> Rows:
    """A table for each metric, and in it a line for each method."""
    scored = _factors.forecasts(rows)
    return {metric: _table(own, metric) for metric, own in scored.groupby("row")}


def _table(scored: pd.DataFrame, metric: str) -> pd.DataFrame:
    at = f"at {' / '.join(map(str, SHARES))} % observed"
    columns = {
        f"CRPS / last value’s {at}": _factors.over(scored, "last", "row", "seen"),
        f"error / last value’s {at}": _factors.over(scored, "last", "row", "seen", score="error"),
        f"coverage of the 90 % interval {at}": _factors.means(scored, "in90", "row", "seen"),
    }
    return pd.DataFrame([
        {"method": _title(method)}
        | {title: _factors.in_one_cell(ones, (method, metric), SHARES) for title, ones in columns.items()}
        for method in scored["method"].unique()
    ])  # fmt: skip


def claims(rows: Rows) -> list[Claim]:
    scored = _factors.forecasts(rows)
    own = scored[(scored["row"] == "accuracy") & (scored["seen"] >= FROM)]
    ships = "shipped, number"
    than_ours, inside = _factors.over(own, ships, "row"), _factors.means(own, "in90", "row")
    return [
        Claim("numbers_beat_sizes", "On accuracy by training-set size, is the released model’s CRPS larger with the "
              "size as its input than with the number of the observation?",
              than_ours.get(("shipped, size", "accuracy")), Above(1), "×"),
        Claim("numbers_beat_shares", "On accuracy by training-set size, is the released model’s CRPS larger with the "
              "share of all rows as its input than with the number of the observation?",
              than_ours.get(("shipped, share", "accuracy")), Above(1), "×"),
        Claim("beats_pow3", "On accuracy by training-set size, is the released model’s CRPS lower than that of a power "
              "law fitted by least squares?", than_ours.get(("pow3", "accuracy")), Above(1), "×"),
        Claim("bands_hold", "On accuracy by training-set size, is the coverage of the released model’s 90 % interval "
              "close to nominal?", inside.get((ships, "accuracy")), Between(0.85, 0.95), "%"),
    ]  # fmt: skip
