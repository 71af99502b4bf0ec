"""Under which techniques of training do forecasts fail?

Test accuracy and test cost of every run of the chapter, forecast after a fifth of its epochs by the released model and
by the model of the paper's prior. Neither was trained on these runs, and nothing was chosen on them.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, Between, Claim
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.craft._logged import SOURCES, runs
from reproduce.craft.craft_forecasts.scored import KINDS, by_model, observed
from reproduce.craft.craft_forecasts.shapes import SHAPES, shape
from reproduce.pictures.panels import legend, panels, ticks

MODELS = {"released": "shipped", "paper-prior": "paper"}  # and their colours
WORDS = {"released": "the released model", "paper-prior": "the model of the paper’s prior"}
GROUPS = {
    "rates": "learning rates and schedules", "ladder": "the ladder of networks", "steppers": "optimisers",
    "overfitting": "regularisers", "starts": "first weights and norms", "cliff": "a recurrent network",
}  # fmt: skip
CURVES = {"accuracy": "accuracy", "loss": "cost"}
PLATEAUS = {  # which a trial had shown before these runs were made
    "tanh": ("five tanh layers from N(0, 1)", "5 tanh, N(0, 1), rate 0.1"),
    "sigmoids": ("three sigmoid layers from torch’s first weights", "3 sigmoid, torch, rate 0.5"),
}
RULE = Between(0.85, 0.95)
TOLERANCES = {
    f"{table}.{column}": (0.05, "points near the end of an interval, and runs at rates that nearly diverge")
    for table, columns in (("rows", ("inside", "error", "last", "warned")), ("shapes", SHAPES))
    for column in columns
}
RUN = ("source", "technique", "seed", "metric")
TABLES = {"rows": (*RUN, "model", "inside", "error", "last", "warned"), "shapes": (*RUN, *SHAPES)}


@dataclass(frozen=True)
class Config:
    share: float = 0.2  # observed
    metrics: tuple[str, ...] = tuple(KINDS)
    models: tuple[str, ...] = tuple(MODELS)
    least: int = 20  # finite epochs of a run
    sources: tuple[str, ...] = tuple(SOURCES)


SCALES = {"smoke": Config(least=8), "laptop": Config(), "paper": Config()}


def reads(config: Config) -> list[str]:
    return list(config.sources)


def measure(config: Config, part: str, read: dict[str, Rows | pd.DataFrame]) -> dict[str, pd.DataFrame]:
    tested = [run for source in read for run in runs(source, read[source], config.metrics, config.least)]
    share = config.share
    lines = [
        run._asdict() | {"model": model} | scores
        for model in config.models for run, scores in by_model(tested, share, model)
    ]  # fmt: skip
    shapes = [
        run._asdict() | shape(run.values, len(observed(run, share)), 1 if KINDS[run.metric] == "accuracy" else -1)
        for run in tested
    ]  # fmt: skip
    found = {"rows": lines, "shapes": shapes}
    return {
        name: pd.DataFrame(some).drop(columns="values").replace({"metric": KINDS}) for name, some in found.items()
    }  # fmt: skip


def by_technique(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds, for each technique, curve and model; `ratio` is the error over that of the last value."""
    means = rows.groupby(["source", "technique", "metric", "model"], sort=False)
    table = means[["inside", "error", "last"]].mean().assign(warned=means["warned"].sum())
    return table.assign(ratio=table["error"] / table["last"]).reset_index()


def draw(rows: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    """A dot for each technique, by groups; accuracy and cost apart."""
    found = by_technique(rows["rows"])
    columns = {"inside": "coverage of the 90 % interval (%)", "ratio": "error / last value’s"}
    titles = [f"{words}: {what}" for what in columns.values() for words in CURVES.values()]
    figure, axes = panels(titles, (8.4, 6.6), columns=2, sharey=True)
    sides = [(column, metric) for column in columns for metric in CURVES]
    for axis, (column, metric) in zip(axes, sides, strict=True):
        for offset, (model, colour) in zip((0.15, -0.15), MODELS.items(), strict=True):
            some = where(found, metric=metric, model=model)
            places = [list(reversed(GROUPS)).index(source) + offset for source in some["source"]]
            values = 100 * some["inside"] if column == "inside" else some["ratio"].clip(0.03, 30)
            axis.plot(
                values, places, "o", color=style.colour(colour), alpha=0.7, markersize=4.5, label=WORDS[model]
            )
        axis.axvline(90 if column == "inside" else 1, color=style.faint(), linewidth=1, zorder=0)
        if column == "inside":
            axis.set_xlim(-2, 102)
        else:
            axis.set_xscale("log")
            ticks(axis, (0.03, 0.1, 0.3, 1, 3, 10, 30), "g")
    axes[0].set(yticks=range(len(GROUPS)), yticklabels=list(reversed(GROUPS.values())))
    legend(figure, axes[:1])
    return {"coverage": figure}


def tabulate(rows: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """A line for each technique: what its curve does, and how well it is forecast."""
    found, shapes = by_technique(rows["rows"]), rows["shapes"]
    lines = []
    for (source, technique), some in found.groupby(["source", "technique"], sort=False):
        curves = {
            key: where(shapes, source=source, technique=technique, metric=key)[list(SHAPES)].mean()
            for key in CURVES
        }
        right, cost = (curves[key] if len(curves[key].dropna()) else curves["loss"] for key in CURVES)
        line = {
            "technique": f"{source}: {technique}", "half-way in epoch": f"{right['half_way']:.0f}",
            "progress after a fifth": f"{100 * right['late']:.0f} %", "largest jump of the cost": f"{cost['jump']:.2g}",
            "kink of the cost": f"{cost['kink']:+.2g}",
            "noise before → after half": f"{right['noise_before']:.2g} → {right['noise_after']:.2g}",
        }  # fmt: skip
        for model in MODELS:
            line[f"{model} covers"] = _both(where(some, model=model), "inside", 100, ".0f", " %")
            line[f"{model}: error / last value’s"] = _both(where(some, model=model), "ratio", 1, ".2f")
            line[f"{model}: warned of"] = f"{where(some, model=model)['warned'].sum():.0f}"
        lines.append(line)
    return {"techniques": pd.DataFrame(lines), "groups": pd.DataFrame(_groups(rows["rows"]))}


def _both(some: pd.DataFrame, column: str, times: int, form: str, unit: str = "") -> str:
    values = some.set_index("metric")[column].reindex(list(CURVES))
    return ", ".join("–" if np.isnan(value) else f"{times * value:{form}}{unit}" for value in values)


def _groups(rows: pd.DataFrame) -> list[dict[str, str]]:
    lines = []
    for source, words in GROUPS.items():
        for metric, curve in CURVES.items():
            some = where(rows, source=source, metric=metric)
            if len(some):
                line = {"group": f"{words}: {curve}", "techniques": str(some["technique"].nunique())}
                for model in MODELS:
                    mine = where(some, model=model)
                    covers = Interval.over_clusters(mine["inside"], mine["technique"])
                    percent = covers and Interval(*(100 * end for end in covers.of_share()))
                    line[f"{model} covers (%)"] = in_cell(percent, ".0f")
                mine = where(some, model="released")
                line["released: closer than the last value"] = (
                    f"{100 * (mine['error'] < mine['last']).mean():.0f} %"
                )
                line["released: error / last value’s"] = f"{mine['error'].mean() / mine['last'].mean():.2f}"
                lines.append(line)
    return lines


def _share(found: Interval | None) -> Interval | None:
    return found and found.of_share()


def claims(tables: dict[str, pd.DataFrame]) -> list[Claim]:
    """Intervals over techniques, since runs of one technique are alike; about a single technique over its seeds."""
    stated, rows = [], tables["rows"]
    for model, words in WORDS.items():
        mine, key = where(rows, model=model), model.replace("-", "_")
        asks = f"does the 90 % interval of {words} cover about nine tenths of the later points?"
        over = (
            Interval.over_clusters(mine["inside"], mine["source"] + mine["technique"]) if len(mine) else None
        )
        stated.append(Claim(f"{key}_covers", f"On average over techniques, {asks}", _share(over), RULE, "%"))
        for name, (network, technique) in PLATEAUS.items():
            over = Interval.of_mean(where(mine, technique=technique).groupby("seed")["inside"].mean())
            stated.append(Claim(f"{key}_covers_{name}", f"For {network}, {asks}", _share(over), RULE, "%"))
    for source, words in GROUPS.items():
        mine = where(rows, model="released", source=source)
        closer = np.sign(mine["last"] - mine["error"])  # -1 where the median is further away
        found = Interval.over_clusters(closer, mine["technique"]) if len(mine) else None
        asks = f"With {words}, is the released model more often closer to the last epoch than the last observed value?"
        stated.append(Claim(f"closer_{source}", asks, found, Above(0), "%"))
    return stated
