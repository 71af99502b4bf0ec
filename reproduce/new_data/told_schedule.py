"""Does it help to be given the planned learning rate?

Measured on simulated runs, on our own real networks, whose plans we know, and on two sources of published curves. One network
is asked twice: with the plan, and without it. That with seed 0 is the one that ships; other seeds show how far an answer
about AdaBelief depends on the seed.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves.laws.planned_runs import planned_runs
from curvecast.curves.laws.rates import LEAST, SHAPES
from curvecast.ground.config import later
from curvecast.training.train import TrainConfig
from presswork import Above, AtMost, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import table
from reproduce.new_data import _beside, _forecasters, _planned_forecasts, _scores
from reproduce.new_data._beside import Answer
from reproduce.new_data._planned_forecasts import NEXT, answers, training
from reproduce.new_data._run_bank import Schedule, factors
from reproduce.pictures.panels import legend, panels
from reproduce.protocols import forecasters
from reproduce.protocols.own_runs import OwnRun, own_runs
from reproduce.protocols.real_curve import POINTS, SHARES, Trial, trial, trial_of

STAND_IN = True
METHODS = ("told", "untold", "shipped", "pow3", "pow4", "mmf4", "last")
KINDS = {"constant": ("constant", "warm-up"), "dropping": ("drops",), "annealed": ("cosine", "linear")}
ROWS = {"made": "simulated", "real": "real"}  # simulated curves, and those of our own networks
UNSEEN = 1_000_000  # added to a seed: no training has it
FEWEST = 20  # points of a simulated run


@dataclass(frozen=True)
class Config:
    size: str = NEXT
    made: int = 200  # curves
    real: int = 300  # curves of networks of ours, at most
    seed: int = 0
    own: str = later("own_curves")  # the question whose rows are the real runs
    released: bool = later(True)  # is the released model asked too? A smaller network is no match for it
    published: int = later(0)  # curves of a source that others published, at most
    trainings: tuple[int, ...] = later(())  # seeds of the networks that are asked about these


SCALES = {
    "smoke": Config("1x8", 8, 8, published=2, trainings=(0, 1)),
    "laptop": Config("1x64", 100, real=0, released=False),  # so small a network gains nothing on real runs
    "paper": Config(own="own_curves/laptop", published=180, trainings=(0, 1, 2, 3)),
}

TABLES = {
    "curves": ("row", "curve", "group", "shape", "metric", "learns"),
    "rows": ("row", "curve", "seen", "method", *_beside.SCORES),
    **_planned_forecasts.TABLES,
}
TOLERANCES = {"published.in90": (0.02, "a point near the end of an interval may fall on either side of it")}


class ChosenRun(NamedTuple):
    """A curve with its planned rate."""

    group: str  # runs that differ in the seed alone
    shape: str  # constant, warm-up (and constant after it), drops, cosine or linear
    metric: str
    trial: Trial
    rate: np.ndarray  # (n,) of each point, relative to the highest one


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """A seed is that of a network that is asked about published curves."""
    names = ("simple", "fits", "network", *["shipped"] * config.released)
    return {name: {} for name in names} | {f"seed{n}": {"seed": n} for n in config.trainings}


def needs(config: Config, part: str, seed: int | None) -> list[TrainConfig]:
    return [training(config.size, seed or 0)] if part == "network" or seed is not None else []


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, part: str, seed: int | None, read: dict[str, Rows]) -> Rows:
    if seed is not None:
        return _planned_forecasts.of_published_curves(config.size, config.published, config.seed, seed)
    runs = real(read[config.own], config.real, config.seed)
    asked = {"made": made(config.made, config.seed)} | ({"real": runs} if runs else {})
    rows = [
        _beside.scores([one.trial for one in puts], _answers(config, part, puts)).assign(row=row)
        for row, puts in asked.items()
    ]
    tables = {"rows": pd.concat(rows, ignore_index=True)[list(TABLES["rows"])]}
    if part == "simple":
        lines = [
            (row, i, one.group, one.shape, one.metric, one.trial.learns())
            for row, puts in asked.items() for i, one in enumerate(puts)
        ]  # fmt: skip
        tables["curves"] = pd.DataFrame(lines, columns=list(TABLES["curves"]))
    return tables


def _answers(config: Config, part: str, puts: list[ChosenRun]) -> dict[str, Answer]:
    if part == "network":
        return answers(config.size, [one.rate for one in puts])
    if part == "shipped":
        return {"shipped": _beside.of_values(_forecasters.the_one_that_ships())}
    asks = forecasters.fits_of_one_family() if part == "fits" else {"last": forecasters.simple()["last"]}
    return {name: _beside.of_values(ask) for name, ask in asks.items()}


def made(count: int, seed: int, length: int = POINTS) -> list[ChosenRun]:
    """Runs from the simulator of the training, up to their ends, with seeds that no training used."""
    shares = training(NEXT).prior.shares
    runs = planned_runs(shares, 2 * count, length, torch.Generator().manual_seed(UNSEEN + seed))
    rates, values = runs.rate.numpy(), runs.noisy.double().clamp(0, 1).numpy()
    each = zip(runs.end.tolist(), runs.shape.tolist(), values, rates, strict=True)
    ended = (one for one in each if one[0] >= FEWEST)
    tried = ((SHAPES[shape], trial(y[:end], 0, 1, False), rate[:end]) for end, shape, y, rate in ended)
    puts = [(shape, one, rate) for shape, one, rate in tried if one is not None][:count]
    return [ChosenRun(f"{i}", shape, "made", one, rate) for i, (shape, one, rate) in enumerate(puts)]


def real(rows: Rows, most: int, seed: int) -> list[ChosenRun]:
    """At most so many curves of networks, accuracy and log-loss of a run together, in random order."""
    by_name: dict[str, list[OwnRun]] = {}
    for run in own_runs(rows):
        if "schedule" in run.settings:
            by_name.setdefault(run.name, []).append(run)
    order = np.random.default_rng(seed).permutation(len(by_name))
    runs = [run for i in order for run in list(by_name.values())[i]]
    return [put for run in runs if (put := _put(run)) is not None][:most]


def _put(run: OwnRun) -> ChosenRun | None:
    """None where there is no unit, or more epochs than a forecaster is shown one by one."""
    one = trial_of(run)
    if one is None or len(run.values) > POINTS:
        return None
    settings = run.settings["schedule"]
    return ChosenRun(run.group, shape(settings), run.metric, one, plan(settings, len(run.values)))


def shape(settings: dict[str, Any]) -> str:
    return "warm-up" if settings["shape"] == "constant" and settings["warm_up"] else str(settings["shape"])


def plan(settings: dict[str, Any], length: int) -> np.ndarray:
    rate = factors(Schedule(**settings | {"drops": tuple(settings["drops"])}), length)
    return (rate / rate.max()).clip(LEAST)


def estimates(rows: Rows) -> Estimates:
    """{(method, row, kind of rate): CRPS over the last value's}, {(method, source, share observed): coverage on its published
    curves}, where whole groups of runs are resampled; and the others by the names of their claims."""
    scored, each = forecasts(rows), _planned_forecasts.by_seed(rows)
    made, real = (where(scored, row=row, kind="annealed") for row in ROWS)
    by_kind = _scores.over(scored, "last", "row", "kind")
    published = _scores.means(_planned_forecasts.scored(rows), "in90", "row", "seen")
    return by_kind | published | there({
        "told_made": of_groups(made, "told"), "told_annealed": of_groups(real, "told"),
        "untold_annealed": of_groups(real, "shipped"),
        "seeds_raise": Interval.of_mean(100 * (each["told"] - each["untold"])),
        "pythia_lower": _planned_forecasts.without_the_plan(rows, "pythia"),
    })  # fmt: skip


def of_groups(found: pd.DataFrame, rival: str) -> Interval | None:
    """The CRPS without the plan over the rival's: the geometric mean; a group of runs counts once."""
    both = _scores.pairs(found, "untold", rival, "crps")
    logs = _scores.log_ratio(both["own"], both["rival"]).groupby(both["group"]).mean()
    mean = Interval.of_mean(logs)
    return mean and mean.exp()


def forecasts(rows: Rows) -> pd.DataFrame:
    """A line for each: scores, the curve, and the kind of its rate."""
    scored, kinds = _scores.forecasts(rows), {shape: kind for kind, own in KINDS.items() for shape in own}
    return scored.assign(kind=scored["shape"].map(kinds))


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    return {"ends": _ends(forecasts(rows)), "coverage": _planned_forecasts.coverage(found)}


def _ends(scored: pd.DataFrame) -> Figure:
    """How far the median of each method is below the true end, by schedule."""
    each = list(product(ROWS, KINDS))
    titles = [f"{kind} rate, {ROWS[row]}" for row, kind in each]
    across = "share of the curve observed, %"
    figure, axes = panels(titles, (8, 4.4), len(KINDS), across, sharex=True, sharey="row")
    for ax, (row, kind) in zip(axes, each, strict=True):
        ax.axhline(0, color=style.ink(), linewidth=1, linestyle=":")
        low = where(scored, row=row, kind=kind).groupby(["method", "seen"])["low"].mean()
        for method in (name for name in METHODS if name in low):
            ax.plot(low[method].index, low[method], marker="o", markersize=3, **style.line(method))
        ax.set_xticks(SHARES)
    for ax in axes[:: len(KINDS)]:
        ax.set_ylabel("true end − median")
    legend(figure, axes, 3)
    return figure


def tabulate(found: Estimates) -> Rows:
    """By method: the CRPS by schedule."""
    columns = {(..., row, kind): f"{kind}, {ROWS[row]}" for row, kind in product(ROWS, KINDS)}
    methods = {method: style.name(method) for method in METHODS}
    return {"crps": table(found, "CRPS / last value’s", methods, columns, only_measured=True)}


def claims() -> list[Claim]:
    lower = "does giving the planned rate to the network lower its CRPS?"
    return [
        Claim("told_made", f"On simulated annealed runs, {lower}", "told_made", Above(1), "×"),
        Claim("told_annealed", f"On our own annealed runs, {lower}", "told_annealed", Above(1), "×"),
        Claim("untold_annealed", "On our own runs with an annealed rate, is the CRPS of the network without the plan at most "
              "that of the released model?", "untold_annealed", AtMost(1), "×"),
        Claim("seeds_raise", "On AdaBelief with 70 % observed, does giving the plan raise the coverage, on average over "
              "trainings that differ only in their seed?", "seeds_raise", Above(0), "points"),
        Claim("pythia_lower", "On Pythia, does giving the plan lower the CRPS?", "pythia_lower", Above(1), "×"),
    ]  # fmt: skip
