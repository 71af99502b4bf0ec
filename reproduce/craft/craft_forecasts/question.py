"""Under which techniques of training do forecasts fail?

Test accuracy and test cost of every run of the chapter, forecast after a fifth of its epochs by the released model and
by the model of the paper's prior. Neither was trained on these runs, and nothing was chosen on them. Beside them, as a cheap
interval: a small network that is fitted to the observed epochs of each curve, with dropout at test time.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.craft._logged import SOURCES, runs
from reproduce.craft.craft_forecasts.dropout import Fit
from reproduce.craft.craft_forecasts.scored import KINDS, by_dropout, by_model
from reproduce.pictures.panels import legend, panels, ticks

DROPOUT = "dropout"
MODELS = {"released": "shipped", "paper-prior": "paper", DROPOUT: "exact"}  # and their colours
WORDS = {
    "released": "the released model",
    "paper-prior": "the model of the paper’s prior",
    DROPOUT: "dropout at test time",
}
TOLERANCES = {
    f"rows.{column}": (0.05, "points near the end of an interval, and runs at rates that nearly diverge")
    for column in ("inside", "error", "last", "warned")
}
TABLES = {"rows": ("source", "technique", "seed", "metric", "model", "inside", "error", "last", "warned")}


@dataclass(frozen=True)
class Config:
    share: float = 0.2  # observed
    metrics: tuple[str, ...] = tuple(KINDS)
    models: tuple[str, ...] = tuple(MODELS)
    least: int = 20  # finite epochs of a run
    dropout: Fit = Fit()


SCALES = {"smoke": Config(least=5, dropout=Fit(steps=20)), "laptop": Config(), "paper": Config()}


def reads(config: Config) -> list[str]:
    return list(SOURCES)


def measure(config: Config, part: str, read: dict[str, Rows | pd.DataFrame]) -> pd.DataFrame:
    tested = [run for source in SOURCES for run in runs(source, read[source], config.metrics, config.least)]
    lines, share = [], config.share
    for model in config.models:
        dropped = model == DROPOUT
        scored = by_dropout(tested, share, config.dropout) if dropped else by_model(tested, share, model)
        lines += [run._asdict() | {"model": model} | scores for run, scores in scored]
    return pd.DataFrame(lines).drop(columns="values").replace({"metric": KINDS})


def by_technique(rows: pd.DataFrame, model: str) -> pd.DataFrame:
    """Coverage and error over both curves and all seeds; the error as a share of the last value's, curve by curve."""
    mine = where(rows, model=model)
    means = mine.groupby(["source", "technique", "metric"])[["inside", "error", "last"]].mean()
    means["ratio"] = np.log(means["error"] / means["last"])
    return means.groupby(["source", "technique"])[["inside", "ratio"]].mean()


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Coverage, and the error beside that of the last value, over both curves and all seeds; the best covered at the top."""
    order = by_technique(rows, "released")["inside"].sort_values().index
    names = [_label(*key) for key in order]
    titles = ["coverage of the 90 % interval (%)", "error / last value’s"]
    figure, (left, right) = panels(titles, (8.4, 1.4 + 0.24 * len(names)), sharey=True)
    left.axvline(90, color=style.faint(), linewidth=1, zorder=0)
    right.axvline(1, color=style.faint(), linewidth=1, zorder=0)
    for model, colour in MODELS.items():
        mean = by_technique(rows, model).reindex(order)
        look: dict[str, Any] = {"color": style.colour(colour), "markersize": 4.5, "label": WORDS[model]}
        left.plot(100 * mean["inside"], range(len(order)), "o", **look)
        right.plot(np.exp(mean["ratio"]), range(len(order)), "o", **look)
    left.set(yticks=range(len(names)), yticklabels=names, xlim=(0, 102))
    right.set_xscale("log")
    ticks(right, (0.2, 0.5, 1, 2, 5, 10), "g")
    legend(figure, [left])
    return {"coverage": figure}


def _label(source: str, technique: str) -> str:
    return f"{source}: {technique}"


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    lines = []
    for (source, technique, metric), some in rows.groupby(["source", "technique", "metric"], sort=False):
        name = _label(str(source), str(technique))
        line = {"technique": name, "curve": str(metric), "runs": str(some["seed"].nunique())}
        for model in MODELS:
            mine = where(some, model=model)
            line[f"{model}: covers"] = f"{100 * mine['inside'].mean():.0f} %"
            line[f"{model}: error / last value’s"] = f"{mine['error'].mean() / mine['last'].mean():.2f}"
            if model != DROPOUT:  # which warns of nothing
                line[f"{model}: warned of"] = f"{mine['warned'].sum():.0f}"
        lines.append(line)
    return {"techniques": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Intervals over techniques, since runs of one technique are alike."""
    stated = []
    for model, words in WORDS.items():
        mine = where(rows, model=model)
        key, kinds = model.replace("-", "_"), mine["source"] + mine["technique"]
        better = (mine["error"] < mine["last"]).astype(float) - (mine["error"] > mine["last"]).astype(float)
        for name, asks, values, needs in (
            ("covers", f"does the 90 % interval of {words} cover at least 85 % of the later points",
             mine["inside"], AtLeast(0.85)),
            ("beats_last", f"is {words} more often closer to the last epoch than the last observed value", better, Above(0)),
        ):  # fmt: skip
            found = Interval.over_clusters(values, kinds) if len(mine) else None
            stated.append(Claim(f"{key}_{name}", f"On average over techniques, {asks}?", found, needs, "%"))
    return stated
