"""Under which techniques of training do forecasts fail?

Test accuracy and test cost of every run of the chapter, forecast after a fifth of its epochs by the released model and
by the model of the paper's prior. Neither was trained on these runs, and nothing was chosen on them.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast import forecast
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.craft._logged import SOURCES, Run, runs
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import legend, panels

METRICS = {"test_accuracy": "accuracy", "test_cost": "loss"}
MODELS = {"released": "shipped", "paper-prior": "paper"}  # and their colours
FAILS = 0.5  # coverage below which a forecast has failed
TOLERANCES = {
    f"rows.{column}": ("chaotic", "some runs diverge, and their forecasts with them")
    for column in ("inside", "error", "last", "warned")
}
TABLES = {"rows": ("source", "technique", "seed", "metric", "model", "inside", "error", "last", "warned")}


@dataclass(frozen=True)
class Config:
    share: float = 0.2  # observed
    metrics: tuple[str, ...] = tuple(METRICS)
    models: tuple[str, ...] = tuple(MODELS)
    least: int = 20  # finite epochs of a run


SCALES = {"smoke": Config(least=5), "laptop": Config(), "paper": Config()}


def reads(config: Config) -> list[str]:
    return list(SOURCES)


def measure(config: Config, part: str, read: dict[str, Rows | pd.DataFrame]) -> pd.DataFrame:
    return pd.DataFrame([
        {"source": run.source, "technique": run.technique, "seed": run.seed, "metric": METRICS[run.metric], "model": model}
        | _scores(run, max(2, round(config.share * len(run.values))), model)
        for source in SOURCES for run in runs(source, read[source], config.metrics, config.least) for model in config.models
    ])  # fmt: skip


def _scores(run: Run, cutoff: int, model: str) -> dict[str, float]:
    found = forecast(run.values[:cutoff], horizon=len(run.values), metric=METRICS[run.metric], weights=model)
    ahead = run.values[np.round(found.steps).astype(int) - 1]
    low, high = found.interval(0.9)
    return {
        "inside": float(((ahead >= low) & (ahead <= high)).mean()), "error": float(abs(found.median[-1] - ahead[-1])),
        "last": float(abs(run.values[cutoff - 1] - ahead[-1])), "warned": float(bool(found.warnings)),
    }  # fmt: skip


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Coverage by technique, the best covered at the top."""
    order = (
        where(rows, model="released").groupby(["source", "technique"])["inside"].mean().sort_values().index
    )
    names = [_label(*key) for key in order]
    figure, axes = panels(["accuracy", "loss"], (8.4, 1.4 + 0.24 * len(names)), sharex=True, sharey=True)
    for axis, metric in zip(axes, METRICS.values(), strict=True):
        axis.axvline(90, color=style.faint(), linewidth=1, zorder=0)
        for model, colour in MODELS.items():
            mine = where(rows, metric=metric, model=model).set_index(["source", "technique"])["inside"]
            found = [
                Interval.exactly(100 * mine.loc[key].mean()) if key in mine.index else None for key in order
            ]
            dots(
                axis, list(enumerate(found)), fmt="o", markersize=4.5, color=style.colour(colour), label=model
            )
        axis.set(
            yticks=range(len(names)),
            yticklabels=names,
            xlim=(-3, 103),
            xlabel="coverage of the 90 % interval (%)",
        )
    legend(figure, axes[:1])
    return {"coverage": figure}


def _label(source: str, technique: str) -> str:
    return f"{source}: {technique}"


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    lines = []
    for (source, technique, metric), some in rows.groupby(["source", "technique", "metric"], sort=False):
        line = {
            "technique": _label(str(source), str(technique)),
            "curve": str(metric),
            "runs": str(some["seed"].nunique()),
        }
        for model in MODELS:
            mine = where(some, model=model)
            line |= {
                f"{model}: covers": f"{100 * mine['inside'].mean():.0f} %",
                "warned of": f"{mine['warned'].sum():.0f}",
            }
            line[f"{model}: error / last value’s"] = f"{mine['error'].mean() / mine['last'].mean():.2f}"
        lines.append(line)
    return {"techniques": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Intervals over techniques, since runs of one technique are alike."""
    stated = []
    for model, words in (
        ("released", "the released model"),
        ("paper-prior", "the model of the paper’s prior"),
    ):
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
