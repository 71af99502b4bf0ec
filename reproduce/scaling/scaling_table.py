"""Who forecasts the scaling curves of a public benchmark best?

The benchmark of NSL-PFN: the first points of each curve are given, later ones asked for, with the last step known. Values are
as published for images, translation, language models and BIG-Bench, else over the largest given one. A hash of the task or of
the family of models puts a curve on a side; the notebook says which choices were made before there were sides.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from curvecast.curves import real_table
from curvecast.curves.real_table import TEST, side
from curvecast.curves.sources.scaling_laws import COLPRET, DOUBLE_DESCENT, NANO, ORIGIN, Scaled
from curvecast.forecasting import shipped
from curvecast.forecasting.api import forecast
from curvecast.forecasting.log_steps import thinned
from curvecast.ground import log_axes
from curvecast.ground.log_axes import LogScale
from presswork import Above, AtMost, Between, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import by_mean, leads, table
from reproduce.pictures.panels import bands, dots, legend, panels
from reproduce.printed import numbers
from reproduce.rival import time_series
from reproduce.scaling._rules import RULES, Told

STAND_IN = True
FETCHED = {
    "CURVECAST_SCALING": "`curvecast convert --list` says what to clone; convert scaling_laws reads it"
}
Array = np.ndarray
OURS, RELEASED, LINEAR, FRACAST = "ours", "released", "linear", "fracast"
HELD_OUT = "held out"
TITLES = {
    OURS: "our network for scaling curves", RELEASED: "released model, log axis", LINEAR: "released model, linear axis",
    "law": "power law, least squares", "process": "Gaussian process", "last": "last value", FRACAST: "Fracast-0",
}  # fmt: skip
PRINTED = ("NSL-PFN", "LC-PFN", "MCMC (M4)", "M4", "BNSL")
COLOURS = {
    OURS: "shipped", RELEASED: "old", LINEAR: "paper", "law": "pow4", "process": "exact", "last": "last",
}  # fmt: skip
QUICK = {method: title for method, title in TITLES.items() if method != FRACAST}
NOT_AT_SMOKE_SCALE = {"methods": "Fracast-0 is a package that only the published answer needs"}
DOMAINS = {  # as the paper groups them, and what it does not print
    "images": "images", "translation": "language", "language models": "language", "BIG-Bench": "language", NANO: "language",
    DOUBLE_DESCENT: DOUBLE_DESCENT, COLPRET: COLPRET,
}  # fmt: skip
SHOWN = ("images", "language", DOUBLE_DESCENT, COLPRET)
RAW = ("images", "translation", "language models", "BIG-Bench")  # whose values are not divided
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
KEY = ["domain", "task", "model"]
VALUES = {"rmsle": "RMSLE", "ll": "log-likelihood"}
EXAMPLES = ("images", "language models", DOUBLE_DESCENT, COLPRET)  # the first curve of each, on the test side
TABLES = {
    "rows": (*KEY, "side", "method", "given", "asked", "repeated", "rmsle", "ll", "in90", "msce"),
    "examples": (*KEY, "step", "kind", "value", "low", "high"),  # given, asked, or forecast
}


@dataclass(frozen=True)
class Config:
    methods: tuple[str, ...] = tuple(QUICK)
    most: int | None = None  # curves of a part


SCALES = {"smoke": Config(most=2), "laptop": Config(), "paper": Config((*QUICK, FRACAST))}


def measure(config: Config) -> Rows:
    rows, examples = [], {}
    methods = [method for method in config.methods if method != FRACAST or time_series.installed()]
    for curve in _curves(config.most):
        unit = 1.0 if curve.part in RAW else float(curve.values[: curve.given].max())
        x, z = np.log(curve.steps), np.log(curve.values / unit)
        split = x[: curve.given], z[: curve.given], x[curve.given :], z[curve.given :]
        about = curve.part, curve.task, curve.model, side(ORIGIN.source, f"{curve.part}/{family(curve)}")
        for method in methods:
            told = RULES[method](*split) if method in RULES else network(method, *split)
            counts = curve.given, len(split[2]), len(x) - len(set(zip(x, z, strict=True)))
            rows.append((*about, method, *counts, *scores(told, split[3])))
        if curve.part in EXAMPLES and curve.part not in examples and about[-1] == TEST:
            examples[curve.part] = example(curve)
    none = [pd.DataFrame(columns=list(TABLES["examples"]))]
    made = {"rows": pd.DataFrame(rows, columns=list(TABLES["rows"])).round(5)}
    return made | {"examples": pd.concat([*examples.values()] or none)}


def example(curve: Scaled) -> pd.DataFrame:
    """Its points, each step once, and our forecast of it with the 90 % interval."""
    steps, first = np.unique(curve.steps, return_index=True)
    values, given = curve.values[first], first < curve.given
    run = forecast(values[given], steps[given], steps[-1], "loss", scale="log", check=False)
    points = pd.DataFrame({"step": steps, "kind": np.where(given, "given", "asked"), "value": values})
    low, high = run.interval(0.9)
    ahead = pd.DataFrame({"step": run.steps, "value": run.median, "low": low, "high": high})
    both = pd.concat([points, ahead.assign(kind="forecast")])
    return both.assign(**dict(zip(KEY, curve[:3], strict=True)))[list(TABLES["examples"])]


def _curves(most: int | None) -> Iterator[Scaled]:
    path = Path(os.environ["CURVECAST_SCALING"]) / ORIGIN.file
    points = real_table.table(path, ("part", "task", "model"), ("step", "value", "given"))
    parts = Counter[str]()
    for (part, task, model), own in points.groupby(["part", "task", "model"], sort=False):
        if part == COLPRET and model.startswith("lambda"):
            continue  # these five are the curves of the language models
        parts[part] += 1
        if most is None or parts[part] <= most:
            steps, values = own["step"].to_numpy(), own["value"].to_numpy()
            yield Scaled(part, task, model, steps, values, int(own["given"].sum()))


def family(curve: Scaled) -> str:
    """Curves of one family are alike, and lie on one side."""
    by_model = curve.part in (COLPRET, "language models", "translation")
    return re.split(r"[-_,]", curve.model if by_model else curve.task)[0]


def network(method: str, x: Array, z: Array, x_asked: Array, z_asked: Array) -> Told:
    """Ours sees logarithms of values on its own scale; the released model sees one minus the value."""
    some = thinned(np.exp(x))
    x, z = x[some], z[some]
    net = shipped.load("scaling" if method == OURS else None).network
    at, asked = (log_axes.place(part, x[0], x_asked.max()) for part in (x, x_asked))
    if method == LINEAR:
        at, asked = (np.maximum(100 * np.exp(part - x_asked.max()), 1.0) for part in (x, x_asked))
    scale = LogScale.of(z)
    seen, true = (scale.to(z), scale.to(z_asked)) if method == OURS else (1 - np.exp(z), 1 - np.exp(z_asked))
    density = net.density(at[None], seen[None], asked[None])
    middle = density.quantile(0.5)[0].astype(float)
    if method == OURS:
        median, slope = np.exp(scale.back(middle)), scale.log_slope(z_asked) - z_asked
    else:
        median, slope = np.maximum(1 - middle, 1e-3), 0.0
    log_density, cdf = (told(true[None])[0].astype(float) for told in (density.log_density, density.cdf))
    return Told(median, log_density + slope, 1 - cdf)


def scores(told: Told, z: Array) -> tuple[float, ...]:
    """RMSLE and mean log density; how much lies in the 90 % interval; mean squared error of the coverage of seven."""
    rmsle = math.sqrt(np.square(np.log(told.median) - z).mean())
    inside = [float((np.abs(told.level - 0.5) <= level / 2).mean()) for level in LEVELS]
    if np.isnan(told.level).any():
        return rmsle, math.nan, math.nan, math.nan
    off = float(np.square(np.array(inside) - LEVELS).mean())
    return rmsle, float(told.log_density.mean()), inside[LEVELS.index(0.9)], off


# ------------------------------------------------------------------------------------------------- estimates


def alike(domain: str, task: str, model: str) -> str:
    """Curves that count once: of an architecture, of an experiment and its repetitions, or of a family."""
    if domain == "images":
        return model
    if domain == DOUBLE_DESCENT:
        return re.sub(r"-rep\d+$", "", task)
    none = np.empty(0)
    return f"{domain}, {family(Scaled(domain, task, model, none, none, 0))}"


def sets(values: pd.Series) -> pd.Series:
    """Of which set of alike curves each is; the index is KEY."""
    return pd.Series([alike(*key) for key in values.index], values.index, name="family")


def of_curves(values: pd.Series) -> Interval | None:
    """Their mean, as printed ones are; sets of alike curves vary."""
    return Interval.over_clusters(values, sets(values))


def one_vote(values: pd.Series) -> Interval | None:
    """Each set of alike curves counts once."""
    return Interval.of_mean(values.groupby(sets(values)).mean())


def estimates(rows: Rows) -> Estimates:
    """{(score, method, part): mean, and what is printed; (HELD_OUT, method, part): how much likelier ours is, on the test
    side}"""
    every, found = rows["rows"].assign(part=rows["rows"]["domain"].map(DOMAINS)), Estimates()
    for score in (*VALUES, "in90"):
        known = every.dropna(subset=[score])
        curves = known.groupby(["method", "part"])[score].transform("size")
        known = known[curves == curves.groupby(known["part"]).transform("max")]  # else of longer ones alone
        means = by_mean(known.set_index(KEY), ["method", "part"], score, of_curves)
        found |= {(score, *key): one for key, one in means.items()}
    for part, own in where(every, side=TEST).dropna(subset=["ll"]).groupby("part"):
        below = leads(own, "method", OURS, "ll", KEY, one_vote)
        found |= {(HELD_OUT, method, part): lead.negated() for method, lead in below.items()}
    return found | there({
        (value, f"{method}, printed", part): Interval.exactly(printed(method, value, part))
        for value, method, part in product(VALUES, PRINTED, SHOWN)
    })  # fmt: skip


def printed(method: str, value: str, part: str) -> float | None:
    return numbers.value(method, f"{VALUES[value]}, {part}")


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    return {"examples": _draw_examples(rows["examples"]), "parts": _draw_parts(found)}


def _draw_examples(examples: pd.DataFrame) -> Figure:
    figure, axes = panels(EXAMPLES, (9.6, 2.9), across="examples, tokens or parameters", up="loss or error")
    for axis, part in zip(axes, EXAMPLES, strict=True):
        own = where(examples, domain=part)
        if own.empty:
            continue
        for kind, colour in (("given", style.ink()), ("asked", style.colour("new"))):
            some = where(own, kind=kind)
            axis.plot(some["step"], some["value"], ".", color=colour, markersize=3, label=f"{kind} points")
        ahead, ours = where(own, kind="forecast"), style.colour("shipped")
        axis.plot(ahead["step"], ahead["value"], color=ours, label="forecast, median")
        bands(axis, ahead["step"], ahead, ours, {("low", "high"): 0.25})
        axis.set(xscale="log", yscale="log")
        axis.tick_params(which="both", labelsize=7)
        axis.yaxis.set_minor_formatter(NullFormatter())
    legend(figure, axes[:1], 3)
    return figure


def _draw_parts(found: Estimates) -> Figure:
    """By part the error of each method, and printed ones as crosses; Fracast-0 would lie far off."""
    names = [*(f"{name}, printed" for name in reversed(PRINTED)), *reversed(QUICK.values())]
    figure, axes = panels(SHOWN, (9.6, 3.6), across="RMSLE", sharey=True)
    for axis, part in zip(axes, SHOWN, strict=True):
        for method, title in QUICK.items():
            error, colour = found.get(("rmsle", method, part)), style.colour(COLOURS[method])
            dots(axis, [(names.index(title), error)], fmt="o", color=colour, markersize=5)
        for method in PRINTED:
            if told := found.get(("rmsle", f"{method}, printed", part)):
                axis.plot(told.value, names.index(f"{method}, printed"), "x", color=style.ink())
        axis.set_yticks(range(len(names)), names)
        axis.set_xlim(0, 0.13)
    return figure


def tabulate(found: Estimates) -> Rows:
    """Error and likelihood by part, and the printed ones."""
    names, tables = [f"{method}, printed" for method in PRINTED], {}
    for value, form in (("rmsle", ".4f"), ("ll", ".3f")):
        there = {name: name for name in names if any((value, name, part) in found for part in SHOWN)}
        columns = {(value, ..., part): part for part in SHOWN}
        tables[value] = table(found, "method", TITLES | there, columns, form)
    return tables


def claims() -> list[Claim]:
    """Over sets of curves that are alike."""
    words = {"law": "a fitted power law", RELEASED: "the released model on a logarithmic axis"}
    likelier = (("images", RELEASED), (DOUBLE_DESCENT, "law"), (DOUBLE_DESCENT, RELEASED))

    def name(part: str) -> str:
        return part.replace(" ", "_").lower()

    return [
        *(Claim(f"{name(part)}_rmsle", f"On {part}, is the RMSLE at most that of the best printed row?",
                ("rmsle", OURS, part), AtMost(best), "", best)
          for part in SHOWN if (best := printed("NSL-PFN", "rmsle", part)) is not None),
        Claim("images_coverage", "On images, is the coverage of the 90 % interval near nominal, mean over curves?",
              ("in90", OURS, "images"), Between(0.85, 0.95), "%"),
        *(Claim(f"{name(part)}_likelier_than_{method}_held_out",
                f"On the test side of {part}, is the likelihood above that of {words[method]}?",
                (HELD_OUT, method, part), Above(0), "nats per point")
          for part, method in likelier),
    ]  # fmt: skip
