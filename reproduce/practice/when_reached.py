"""When will a run reach a value, and how far can the answer be trusted?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.curves.real_table import TEST
from curvecast.forecasting.api import forecast
from curvecast.forecasting.forecast import Forecast
from presswork import AtLeast, AtMost, Between, Claim, Estimates, Interval, Rows, style
from presswork.estimates import table, there, where
from reproduce.pictures.panels import legend, panels
from reproduce.protocols import benchmarks
from reproduce.protocols.benchmarks import ROWS, SOURCES, chosen

PRIOR, REAL = "prior", "real"
TITLES = {PRIOR: "curves of the prior", REAL: "real runs"}
WHOLE, APART = "whole", "apart"  # futures whose steps are drawn together, and one by one
LOOKS = {WHOLE: "shipped", APART: "last"}
NAMES = {WHOLE: "futures that keep their rank", APART: "each step drawn by itself"}
# targets lie this far on the way from the best value seen to the upper end of the 90 % interval at the horizon
TARGETS = (0.02, 1.2)
LEAST = 0.02  # the way is at least this share of the distance from the first value to that end
BINS = 5
STAND_IN = True
FETCHED = {"CURVECAST_DATA": "`curvecast convert --list` says what to clone, --help how to make the tables"}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = tuple(ROWS)
    side: str = TEST
    curves: int = 30  # of a benchmark, at most
    shares: tuple[int, ...] = (20, 40)  # per cent of a real run that is observed
    priors: int = 300  # curves of the prior
    cutoffs: tuple[int, ...] = (5, 10, 20, 40)  # of these, one after another
    futures: int = 500
    seed: int = 0


SCALES = {
    "smoke": Config(curves=1, priors=4, futures=50),
    "laptop": Config(),
    "paper": Config(curves=120, priors=2000),
}
PARTS = ("prior", "{row}")
TABLES = {
    "rows": ("source", "curve", "seen", "target", "whole", "apart", "reached", "half"),
    "read": benchmarks.READ,
}


def measure(config: Config, row: str | None) -> Rows:
    if row is None:
        lines = [asked(config, PRIOR, number, *one) for number, one in enumerate(beginnings(config))]
        return {"rows": pd.DataFrame(lines)}
    found = chosen(row, config.side, config.curves, config.seed)
    lines = []
    for number, (_, trial) in enumerate(found):
        metric, values = trial.scale.metric, trial.values
        for share in config.shares:
            cutoff = max(2, trial.cutoff(share))
            if cutoff + 2 < len(values):
                run = forecast_run(values[:cutoff], len(values), metric.low, metric.high, metric.minimise)
                lines.append(asked(config, ROWS[row].source, number, run, values[cutoff:], share))
    return {
        "rows": pd.DataFrame(lines, columns=list(TABLES["rows"])),
        "read": benchmarks.listed(row, config.side, found)["read"],
    }


def beginnings(config: Config) -> Iterator[tuple[Forecast, np.ndarray, int]]:
    """Of curves of the prior that stay between 0 and 1, as an accuracy does."""
    noisy = prior.second_test_set(config.priors).noisy.numpy()
    inside = noisy[(noisy.min(1) >= 0) & (noisy.max(1) <= 1)]
    for number, values in enumerate(inside):
        cutoff = config.cutoffs[number % len(config.cutoffs)]
        yield forecast_run(values[:cutoff], len(values), 0, 1, False), values[cutoff:], cutoff


def forecast_run(values: np.ndarray, horizon: int, low: float, high: float, minimise: bool) -> Forecast:
    run: Forecast = forecast(values, horizon=horizon, bounds=(low, high), minimise=minimise, check=False)
    return run


def asked(
    config: Config, source: str, number: int, run: Forecast, rest: np.ndarray, seen: int
) -> dict[str, object]:
    """A target that knows nothing of the rest, what is said of it, and when it was reached."""
    rng = np.random.default_rng([config.seed, number, seen])
    sign = -1 if run.minimise else 1
    best, end = run.best, float(run.quantile(0.05 if run.minimise else 0.95)[-1])
    way = max(sign * (end - best), LEAST * abs(end - run.observed[0]), 1e-6)
    target = float(np.clip(best + sign * way * rng.uniform(*TARGETS), *run.bounds))
    when = run.when(target, config.futures, config.seed)
    reaches, half = sign * rest >= sign * target, when.by(0.5)
    return {
        "source": source, "curve": number, "seen": seen, "target": target, "whole": when.chance,
        "apart": float((sign * run.sample(config.futures, config.seed) >= sign * target).any(1).mean()),
        "reached": int(reaches.any()),
        "half": np.nan if half is None else float(reaches[run.steps <= half].any()),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------- estimates


def estimates(rows: Rows) -> Estimates:
    """{(measure, "prior" or "real"): mean over curves, or over sources, each of which counts once}, {(measure, source): mean
    alone}, {"each off": how many points the told chance is off in a source, in either direction, mean over sources}

    measures   "reached"; "half", reached by the step for 50 %, of curves for which one is told; the chances "whole" and
               "apart", each "off" by how many points too high
    """
    off = {f"{how} off": 100 * (rows["rows"][how] - rows["rows"]["reached"]) for how in LOOKS}
    each = rows["rows"].assign(**off)
    of_prior = where(each, source=PRIOR).set_index("curve")
    real = each[each["source"] != PRIOR].groupby("source")
    found: dict[Any, Interval | None] = {}
    for measure in ("reached", "half", *LOOKS, *(f"{how} off" for how in LOOKS)):
        means = real[measure].mean()
        found[measure, PRIOR] = Interval.of_mean(of_prior[measure].dropna())
        found[measure, REAL] = Interval.of_mean(means)
        found |= {(measure, source): Interval.without_ends(mean) for source, mean in means.dropna().items()}
    return there(found | {"each off": Interval.of_mean(real["whole off"].mean().abs())})


def draw(rows: Rows) -> dict[str, Figure]:
    """How often the target was reached, by the chance that was told."""
    across, up = "forecast chance that the target is reached, %", "reached, %"
    figure, axes = panels(TITLES.values(), (8, 3.8), across=across, up=up, sharey=True)
    every = rows["rows"]
    groups = where(every, source=PRIOR), every[every["source"] != PRIOR]
    for axis, own in zip(axes, groups, strict=True):
        axis.plot([0, 100], [0, 100], color=style.ink(), linewidth=1, linestyle=":")
        for how, look in LOOKS.items():
            weight = 100 / own.groupby("source")["source"].transform("size")  # sources count alike
            bins = np.minimum((own[how] * BINS).astype(int), BINS - 1)
            each = {"told": weight * own[how], "reached": weight * own["reached"], "all": weight}
            sums = pd.DataFrame(each).groupby(bins).sum()
            places = (100 * sums[what] / sums["all"] for what in ("told", "reached"))
            axis.plot(*places, "o-", color=style.colour(look), label=NAMES[how])
    legend(figure, axes)
    return {"told": figure}


def tabulate(rows: Rows, found: Estimates) -> Rows:
    measured = {*rows["rows"]["source"]}
    lines = {source: title for source, title in SOURCES.items() if source in measured}
    columns = {
        ("reached", ...): "reached, %", ("whole", ...): "chance, %", ("apart", ...): "each step drawn by itself, %",
        ("half", ...): "by the step for 50 %, %",
    }  # fmt: skip
    lines = {PRIOR: TITLES[PRIOR]} | lines | {REAL: "mean of sources"}
    return {"told": table(found, "curves", lines, columns, ".0f", times=100)}


def claims() -> list[Claim]:
    chance = "is the chance that a run reaches a target, as told by `when`,"
    return [
        Claim("prior_chance", f"On curves of the prior, {chance} within three points of how often it does, on average?",
              ("whole off", PRIOR), Between(-3, 3), "points"),
        Claim("each_source", f"On real runs, {chance} within ten points of how often it does, either way, in the mean "
              "source?", "each off", AtMost(10), "points"),
        Claim("prior_half", "Do 45 to 55 % of the curves of the prior for which a step with 50 % is told reach the target "
              "by then?", ("half", PRIOR), Between(0.45, 0.55), "%"),
        Claim("real_half", "Do 40 to 60 % of the real runs for which a step with 50 % is told reach the target by then, on "
              "average over sources?", ("half", REAL), Between(0.4, 0.6), "%"),
        Claim("apart", "Would the chance be at least twenty points too high on real runs, on average over sources, if each "
              "step were drawn apart?", ("apart off", REAL), AtLeast(20), "points"),
    ]  # fmt: skip
