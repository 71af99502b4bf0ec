"""Who forecasts the scaling curves of a public benchmark best?

The benchmark of NSL-PFN: the first points of each curve are given, later ones asked for, with the last step known. Values are
as published for images, translation, language models and BIG-Bench, else over the largest that is given. A hash of the task
or of the family of models puts a curve on a side: what was chosen by real curves was chosen on the tuning side.
"""

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import gzip_table, log_axes
from curvecast.curves.log_axes import LogScale
from curvecast.curves.sources.scaling_laws import COLPRET, DOUBLE_DESCENT, NANO, ORIGIN, Scaled
from curvecast.curves.tuning_and_test import TEST, TUNING, side
from curvecast.forecasting import shipped
from curvecast.forecasting.log_steps import MOST
from reproduce._press import estimates, style
from reproduce._press.claim import AtLeast, AtMost, Below, Between, Claim
from reproduce._press.estimates import Estimates
from reproduce._press.where import where
from reproduce.pictures.panels import around, legend, panels
from reproduce.printed import numbers
from reproduce.scaling._rules import RULES, Told

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_SCALING": "`curvecast convert --list` says what to clone; convert scaling_laws makes the table of it"
}
Array = np.ndarray
OURS, RELEASED, LINEAR = "ours", "released", "linear"
TITLES = {
    OURS: "our network for scaling curves", RELEASED: "released model, log axis", LINEAR: "released model, linear axis",
    "law": "power law, least squares", "process": "Gaussian process", "last": "last value",
}  # fmt: skip
PRINTED = ("NSL-PFN", "LC-PFN", "MCMC (M4)", "M4", "BNSL")
COLOURS = {
    OURS: "shipped",
    RELEASED: "old",
    LINEAR: "paper",
    "law": "pow4",
    "process": "exact",
    "last": "last",
}
PARTS = {  # as the paper groups them, and what it does not print
    "images": "images", "translation": "language", "language models": "language", "BIG-Bench": "language", NANO: "language",
    DOUBLE_DESCENT: DOUBLE_DESCENT, COLPRET: COLPRET,
}  # fmt: skip
SHOWN = ("images", "language", DOUBLE_DESCENT, COLPRET)
RAW = ("images", "translation", "language models", "BIG-Bench")  # whose values are not divided
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
KEY = ["domain", "task", "model"]
VALUES = {"rmsle": "RMSLE", "ll": "log-likelihood (nats)", "in90": "inside the 90 % interval", "msce": "MSCE"}
TABLES = {"rows": (*KEY, "side", "method", "given", "asked", "repeated", *VALUES)}


@dataclass(frozen=True)
class Config:
    methods: tuple[str, ...] = tuple(TITLES)
    most: int | None = None  # curves of a part


SCALES = {"smoke": Config(most=2), "laptop": Config(), "paper": Config()}


def measure(config: Config, part: str) -> pd.DataFrame:
    rows = []
    for curve in _curves(config.most):
        x, z = np.log(curve.steps), np.log(curve.values / _unit(curve))
        split = x[: curve.given], z[: curve.given], x[curve.given :], z[curve.given :]
        about = curve.part, curve.task, curve.model, side(ORIGIN.source, f"{curve.part}/{family(curve)}")
        for method in config.methods:
            told = RULES[method](*split) if method in RULES else network(method, *split)
            counts = curve.given, len(split[2]), len(x) - len(set(zip(x, z, strict=True)))
            rows.append((*about, method, *counts, *scores(told, split[3])))
    return pd.DataFrame(rows, columns=list(TABLES["rows"])).round(5)


def _curves(most: int | None) -> Iterator[Scaled]:
    path = Path(os.environ["CURVECAST_SCALING"]) / ORIGIN.file
    points = gzip_table.read(path, ("part", "task", "model"), ("step", "value", "given"))
    parts: dict[str, int] = {}
    for (part, task, model), own in points.groupby(["part", "task", "model"], sort=False):
        parts[part] = parts.get(part, 0) + 1
        if most is None or parts[part] <= most:
            yield Scaled(
                part, task, model, own["step"].to_numpy(), own["value"].to_numpy(), int(own["given"].sum())
            )


def _unit(curve: Scaled) -> float:
    return 1.0 if curve.part in RAW else float(curve.values[: curve.given].max())


def family(curve: Scaled) -> str:
    """Curves of one family are alike, and lie on one side."""
    by_model = curve.part in (COLPRET, "language models", "translation")
    return re.split(r"[-_,]", curve.model if by_model else curve.task)[0]


def network(method: str, x: Array, z: Array, x_asked: Array, z_asked: Array) -> Told:
    """Ours sees logarithms of values on its own scale; the released model sees one minus the value."""
    some = np.unique(np.linspace(0, len(x) - 1, min(MOST, len(x))).round().astype(int))
    x, z = x[some], z[some]
    net = shipped.load("scaling" if method == OURS else None).network
    at, asked = (log_axes.place(part, x[0], x_asked.max()) for part in (x, x_asked))
    if method == LINEAR:
        at, asked = (np.maximum(100 * np.exp(part - x_asked.max()), 1.0) for part in (x, x_asked))
    scale = LogScale.of(z)
    seen, true = (scale.to(z), scale.to(z_asked)) if method == OURS else (1 - np.exp(z), 1 - np.exp(z_asked))
    density = net.density(at[None], seen[None], asked[None])
    middle, log_density = (
        density.quantile(0.5)[0].astype(float),
        density.log_density(true[None])[0].astype(float),
    )
    if method == OURS:
        median, slope = np.exp(scale.back(middle)), scale.log_slope(z_asked) - z_asked
    else:
        median, slope = np.maximum(1 - middle, 1e-3), 0.0
    return Told(median, log_density + slope, 1 - density.cdf(true[None])[0].astype(float))


def scores(told: Told, z: Array) -> tuple[float, ...]:
    """RMSLE and mean log density; how much lies in the 90 % interval; mean squared error of the coverage of seven."""
    rmsle = math.sqrt(np.square(np.log(told.median) - z).mean())
    inside = [float((np.abs(told.level - 0.5) <= level / 2).mean()) for level in LEVELS]
    if np.isnan(told.level).any():
        return rmsle, math.nan, math.nan, math.nan
    off = float(np.square(np.array(inside) - LEVELS).mean())
    return rmsle, float(told.log_density.mean()), inside[LEVELS.index(0.9)], off


# ------------------------------------------------------------------------------------------------- estimates


def of_parts(rows: pd.DataFrame, value: str) -> Estimates:
    """Keys (method, part): over curves."""
    return estimates.by_mean(
        rows.assign(part=rows["domain"].map(PARTS)).dropna(subset=[value]), ["method", "part"], value
    )


def leads(rows: pd.DataFrame, value: str) -> Estimates:
    """Keys (part, method): what ours has above each other, on the same curves."""
    found: Estimates = {}
    for part, own in rows.assign(group=rows["domain"].map(PARTS)).dropna(subset=[value]).groupby("group"):
        below = estimates.leads(own, "method", OURS, value, KEY)
        found |= {(part, method): lead.negated() for method, lead in below.items()}
    return found


def printed(method: str, value: str, part: str) -> float | None:
    return numbers.value(method, f"{VALUES[value].split(' (')[0]}, {part}")


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """By part: the error and the likelihood of each method, and what is printed as crosses."""
    figure, axes = panels(SHOWN, (9.6, 3.4))
    found, likelihoods = of_parts(rows, "rmsle"), of_parts(rows, "ll")
    for axis, part in zip(axes, SHOWN, strict=True):
        for method, title in TITLES.items():
            one, other = found.get((method, part)), likelihoods.get((method, part))
            if one and other:
                axis.plot(one.value, other.value, "o", color=style.colour(COLOURS[method]), label=title)
        for method in PRINTED:
            error, likelihood = printed(method, "rmsle", part), printed(method, "ll", part)
            if error is not None and likelihood is not None:
                axis.plot(error, likelihood, "x", color=style.ink(), label="printed")
                axis.annotate(f" {method}", (error, likelihood), fontsize=7, va="center")
        axis.set_xscale("log")
    legend(figure, axes, 4)
    around(figure, "RMSLE", "nats per point")
    return {"parts": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    columns = {part: part for part in SHOWN}
    tables = {}
    for value, form in (("rmsle", ".4f"), ("ll", ".3f"), ("in90", ".3f"), ("msce", ".3f")):
        made = estimates.table(of_parts(rows, value), "method", TITLES, columns, form)
        lines = [
            {"method": f"{method}, printed"}
            | {p: "–" if (one := printed(method, value, p)) is None else f"{one:{form}}" for p in columns}
            for method in PRINTED
        ]
        some = [line for line in lines if set(line.values()) - {line["method"], "–"}]
        tables[value] = pd.concat([made, pd.DataFrame(some, columns=made.columns)], ignore_index=True)
    halves = {
        (method, part, which): one
        for which in (TUNING, TEST)
        for (method, part), one in of_parts(where(rows, side=which), "rmsle").items()
    }
    both = {
        (part, which): f"{part}, {name}"
        for part in columns
        for which, name in ((TUNING, "tuning side"), (TEST, "test side"))
    }
    by_line = {(method, rest): one for (method, *key), one in halves.items() if (rest := tuple(key))}
    once = where(rows, method=OURS).groupby("domain", sort=False)
    repeated = pd.DataFrame({
        "part": [*once.groups], "curves": once.size().to_numpy(),
        "points": once[["given", "asked"]].sum().sum(axis=1).to_numpy(),
        "points there twice": once["repeated"].sum().to_numpy(),
    })  # fmt: skip
    tables["repeated"] = repeated.astype(str)
    return tables | {"sides": estimates.table(by_line, "method", TITLES, both, ".4f")}


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Over curves; those of one task are alike, which these intervals do not count."""
    held_out = where(rows, side=TEST)
    found: list[Claim] = []
    for name, part in (("images", "images"), ("language", "language"), ("double_descent", DOUBLE_DESCENT)):
        for value, ask, need in (("rmsle", "RMSLE at most", AtMost), ("ll", "likelihood at least", AtLeast)):
            best = printed("NSL-PFN", value, part)
            assert best is not None  # it stands in printed.csv
            found.append(
                Claim(f"{name}_{value}", f"On {part}, is the {ask} that of the best printed row?",
                      of_parts(rows, value).get((OURS, part)), need(best), "nats" if value == "ll" else "", best)
            )  # fmt: skip
    return [
        *found,
        Claim("images_coverage", "On images, does the 90 % interval cover 85 to 95 % of the points?",
              of_parts(rows, "in90").get((OURS, "images")), Between(0.85, 0.95), "%"),
        *(Claim(f"{name}_beats_law_held_out", f"On the test side of {part}, is the RMSLE below that of a fitted power law?",
                leads(held_out, "rmsle").get((part, "law")), Below(0))
          for name, part in (("images", "images"), ("double_descent", DOUBLE_DESCENT), ("colpret", COLPRET))),
        Claim("images_likelier_than_law_held_out", "On the test side of images, is the likelihood above the power law’s?",
              leads(held_out, "ll").get(("images", "law")), AtLeast(0), "nats"),
    ]  # fmt: skip
