"""Under which techniques of training do forecasts fail?

Test accuracy and test cost of every run of the chapter, forecast after a fifth of its epochs by the released model and
by the model of the paper's prior. Neither was trained on these runs, and nothing was chosen on them.

What a technique does to its curve is told in a few numbers:

half_way      the epoch by which half of the progress from the first value to the best is made: late after a plateau
late          the share of this progress that is made after the observed epochs
jump          the largest step backwards from one epoch to the next
kink          the step of the epoch after the middle of the training, beyond the mean step of the five epochs before
noise_before  standard deviation of the steps from the end of the observed epochs to the middle
noise_after   and from the middle to the end
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from string import Formatter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast import forecast
from presswork import Above, Between, Claim, Estimates, Interval, Rows, style, where
from presswork.estimates import by_mean, grouped
from reproduce.pictures.panels import legend, panels, ticks

SOURCES = {  # a question, its table, and the name of a technique, from the columns that tell its techniques apart
    "overfitting": ("overfitting", "rows", "{technique}"),
    "rates": ("rates", "rows", "rate {rate:g}, {schedule}, batch {batch}"),
    "ladder": ("ladder", "rows", "{rung}"),
    "starts": ("steppers", "runs", "{depth} {unit}, {start}, {norm} norm, rate {rate:g}"),
    "steppers": ("steppers", "network", "{method}"),
}
KINDS = {"test_accuracy": "accuracy", "test_cost": "loss"}  # of curves
MODELS = {"released": "shipped", "paper-prior": "paper"}  # and their colours
WORDS = {"released": "the released model", "paper-prior": "the model of the paper’s prior"}
GROUPS = {
    "rates": "learning rates and schedules", "ladder": "the ladder of networks", "steppers": "optimisers",
    "overfitting": "regularisers", "starts": "first weights and norms",
}  # fmt: skip
CURVES = {"accuracy": "accuracy", "loss": "cost"}
PLATEAUS = {  # which a trial had shown before these runs were made
    "tanh": ("five tanh layers from N(0, 1)", "5 tanh, N(0, 1), rate 0.1"),
    "sigmoids": ("three sigmoid layers from torch’s first weights", "3 sigmoid, torch, rate 0.5"),
}
RUN = ("source", "technique", "seed", "metric")
SHAPES = ("half_way", "late", "jump", "kink", "noise_before", "noise_after")
SPAN = 5


@dataclass(frozen=True)
class Config:
    share: float = 0.2  # observed
    metrics: tuple[str, ...] = tuple(KINDS)
    models: tuple[str, ...] = tuple(MODELS)
    least: int = 20  # finite epochs of a run
    sources: tuple[str, ...] = tuple(SOURCES)


SCALES = {"smoke": Config(least=8), "laptop": Config(), "paper": Config()}
TABLES = {"rows": (*RUN, "model", "inside", "error", "last", "warned"), "shapes": (*RUN, *SHAPES)}
TOLERANCES = {
    f"{table}.{column}": (0.05, "points near the end of an interval, and runs at rates that nearly diverge")
    for table, columns in (("rows", ("inside", "error", "last", "warned")), ("shapes", SHAPES))
    for column in columns
}


def reads(config: Config) -> list[str]:
    return list(dict.fromkeys(SOURCES[source][0] for source in config.sources))


def measure(config: Config, read: dict[str, Rows | pd.DataFrame]) -> Rows:
    every = [run for source in config.sources for run in runs(source, read, config.metrics, config.least)]
    tested = [(run, run.values[: max(2, round(config.share * len(run.values)))]) for run in every]
    pairs = product(config.models, tested)
    forecasts = [about(run) | {"model": model} | scores(run, seen, model) for model, (run, seen) in pairs]
    better = {"test_accuracy": 1, "test_cost": -1}
    shapes = [about(run) | shape(run.values, len(seen), better[run.metric]) for run, seen in tested]
    return {"rows": pd.DataFrame(forecasts), "shapes": pd.DataFrame(shapes)}


class Run(NamedTuple):
    source: str
    technique: str
    seed: int
    metric: str
    values: np.ndarray  # (epochs,), finite


def runs(source: str, read: Mapping[str, Any], metrics: tuple[str, ...], least: int) -> Iterator[Run]:
    """From the first epoch to where a run diverges, if these are enough; of a vote, its first network alone."""
    question, table, name = SOURCES[source]
    rows = read[question][table] if isinstance(read[question], dict) else read[question]
    rows = where(rows, member=0) if "member" in rows else rows
    columns = [column for _, column, _, _ in Formatter().parse(name) if column]
    for technique, some in rows[rows["epoch"] > 0].groupby(columns, sort=False):
        named = name.format(**dict(zip(columns, technique, strict=True)))
        for seed, one in some.groupby("seed"):
            for metric in (metric for metric in metrics if metric in one):
                values = one.sort_values("epoch")[metric].to_numpy()
                bad = np.flatnonzero(~np.isfinite(values))
                values = values[: bad[0]] if len(bad) else values
                if len(values) >= least:
                    yield Run(source, named.replace(", none norm", ""), int(str(seed)), metric, values)


def about(run: Run) -> dict[str, object]:
    return {"source": run.source, "technique": run.technique, "seed": run.seed, "metric": KINDS[run.metric]}


def scores(run: Run, seen: np.ndarray, model: str) -> dict[str, float]:
    """Coverage of the later points; in the last epoch, the error of the median and of the last observed value."""
    with warnings.catch_warnings(action="ignore"):  # they are counted
        answer = forecast(seen, horizon=len(run.values), metric=KINDS[run.metric], weights=model)
    ahead, (low, high) = run.values[np.round(answer.steps).astype(int) - 1], answer.interval(0.9)
    return {
        "inside": float(((ahead >= low) & (ahead <= high)).mean()),
        "error": float(abs(answer.median[-1] - ahead[-1])),
        "last": float(abs(seen[-1] - ahead[-1])),
        "warned": float(bool(answer.warnings)),
    }


def shape(values: np.ndarray, cutoff: int, better: int) -> dict[str, float]:
    """By names of SHAPES; `better` is 1 where more is better, as an accuracy, and -1 where less is, as a cost."""
    progress = better * (values - values[0])
    steps, middle, most = np.diff(values), len(values) // 2, progress.max()
    usual = steps[max(0, middle - 1 - SPAN) : middle - 1].mean()
    return {
        "half_way": float(np.argmax(progress >= most / 2) + 1),
        "late": float(1 - progress[:cutoff].max() / most) if most > 0 else 0.0,
        "jump": float(max(0.0, (-better * steps).max())),
        "kink": float(steps[middle - 1] - usual),
        "noise_before": float(steps[cutoff - 1 : middle - 1].std()),
        "noise_after": float(steps[middle:].std()),
    }


def estimates(tables: Rows) -> Estimates:
    """{(model, technique): coverage of the 90 % interval over its seeds}, {source: mean sign}, 1 where the median of the
    released model ends closer than the last observed value, -1 where it does not, and {("techniques", "warned", source,
    technique): how many of its forecasts come with a warning}."""
    rows = tables["rows"]
    by_seed = rows.groupby(["model", "technique", "seed"])["inside"].mean().reset_index()
    covered = by_mean(by_seed, ["model", "technique"], "inside")
    mine = where(rows, model="released")
    signs = mine.assign(closer=np.sign(mine["last"] - mine["error"]))
    closer = grouped(signs, "source", lambda some: Interval.over_clusters(some["closer"], some["technique"]))
    warned = grouped(mine, ["source", "technique"], lambda some: Interval.exactly(some["warned"].sum()))
    counts = {("techniques", "warned", *key): one for key, one in warned.items()}
    return {key: one.of_share() for key, one in covered.items()} | closer | counts


def by_technique(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds, for each technique, curve and model; `ratio` is the error over that of the last value."""
    by = ["source", "technique", "metric", "model"]
    table = rows.groupby(by, sort=False)[["inside", "error", "last"]].mean()
    return table.assign(ratio=table["error"] / table["last"]).reset_index()


def draw(rows: Rows) -> dict[str, Figure]:
    """A dot for each technique, by groups; accuracy and cost apart."""
    frame = by_technique(rows["rows"])
    columns = {"inside": "coverage of the 90 % interval (%)", "ratio": "error / last value’s"}
    titles = [f"{words}: {what}" for what in columns.values() for words in CURVES.values()]
    figure, axes = panels(titles, (8.4, 6.6), columns=2, sharey=True)
    for axis, (column, metric) in zip(axes, product(columns, CURVES), strict=True):
        for offset, (model, colour) in zip((0.15, -0.15), MODELS.items(), strict=True):
            some = where(frame, metric=metric, model=model)
            places = [list(reversed(GROUPS)).index(source) + offset for source in some["source"]]
            values = 100 * some["inside"] if column == "inside" else some["ratio"].clip(0.03, 30)
            look: dict[str, Any] = {"color": style.colour(colour), "label": WORDS[model]}
            axis.plot(values, places, "o", alpha=0.7, markersize=4.5, **look)
        axis.axvline(90 if column == "inside" else 1, color=style.faint(), linewidth=1, zorder=0)
        if column == "inside":
            axis.set_xlim(-2, 102)
        else:
            axis.set_xscale("log")
            ticks(axis, (0.03, 0.1, 0.3, 1, 3, 10, 30), "g")
    axes[0].set(yticks=range(len(GROUPS)), yticklabels=list(reversed(GROUPS.values())))
    legend(figure, axes[:1])
    return {"coverage": figure}


def tabulate(rows: Rows, found: Estimates) -> Rows:
    """A line for each technique: what its curve does, and how well it is forecast."""
    released, lines = where(by_technique(rows["rows"]), model="released"), []
    for (source, technique), some in released.groupby(["source", "technique"], sort=False):
        own = where(rows["shapes"], source=source, technique=technique)
        right, cost = (where(own, metric=key)[list(SHAPES)].mean() for key in CURVES)
        lines.append({
            "technique": f"{source}: {technique}", "half-way in epoch": f"{right['half_way']:.0f}",
            "progress after a fifth": f"{100 * right['late']:.0f} %", "largest jump of the cost": f"{cost['jump']:.2g}",
            "noise before → after half": f"{right['noise_before']:.2g} → {right['noise_after']:.2g}",
            "covered": both_curves(some, "inside", 100, ".0f", " %"),
            "error / last value’s": both_curves(some, "ratio", 1, ".2f"),
            "warned of": f"{found['techniques', 'warned', source, technique].value:.0f}",
        })  # fmt: skip
    return {"techniques": pd.DataFrame(lines)}


def both_curves(some: pd.DataFrame, column: str, times: int, form: str, unit: str = "") -> str:
    values = some.set_index("metric")[column].reindex(list(CURVES))
    return ", ".join("–" if np.isnan(value) else f"{times * value:{form}}{unit}" for value in values)


def claims() -> list[Claim]:
    plateaus = (("released", "tanh"), ("released", "sigmoids"), ("paper-prior", "tanh"))
    return [
        *(Claim(f"{model.replace('-', '_')}_covers_{name}",
                f"For {PLATEAUS[name][0]}, "
                f"does the 90 % interval of {WORDS[model]} cover about nine tenths of the later points?",
                (model, PLATEAUS[name][1]), Between(0.85, 0.95), "%")
          for model, name in plateaus),
        *(Claim(f"closer_{source}",
                f"With {GROUPS[source]}, "
                "is the released model more often closer to the last epoch than the last observed value?",
                source, Above(0), "%")
          for source in ("rates", "overfitting")),
    ]  # fmt: skip
