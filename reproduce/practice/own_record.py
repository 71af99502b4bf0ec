"""Are smooth runs forecast better when their own record narrows the intervals?"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.real_table import TEST
from curvecast.forecasting.api import forecast
from curvecast.forecasting.forecast import Forecast
from presswork import AtMost, Below, Between, Claim, Estimates, Interval, Rows, style
from presswork.estimates import cells, line, of_each_end, there
from reproduce.pictures.panels import legend, panels, ticks
from reproduce.protocols import benchmarks
from reproduce.protocols.benchmarks import ROWS, SOURCES, chosen
from reproduce.protocols.real_curve import SHARES

OWN, PROMISED, LAST = "own", "promised", "last"
NAMES = {OWN: "narrowed by its own record", PROMISED: "as the network says"}
LOOKS = {OWN: "shipped", PROMISED: "paper"}
ALL = "all"
Array = np.ndarray
LEVELS = np.arange(1, 10) / 10
BANDS = {"in50": (0.25, 0.75), "in90": (0.05, 0.95)}
LEAST = 1e-6  # of the way from the first value to the best one: no loss counts as less
STAND_IN = True
FETCHED = {"CURVECAST_DATA": "`curvecast convert --list` says what to clone, --help how to make the tables"}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = tuple(ROWS)
    side: str = TEST
    curves: int = 20  # of a benchmark, at most
    shares: tuple[int, ...] = SHARES  # per cent of a run that is observed
    seed: int = 0


SCALES = {"smoke": Config(curves=1), "laptop": Config(), "paper": Config(curves=120)}
PARTS = "{row}"
TABLES = {
    "rows": ("source", "row", "group", "curve", "seen", "method", "log_loss", *BANDS),
    "read": benchmarks.READ,
}


def measure(config: Config, row: str) -> Rows:
    found = chosen(row, config.side, config.curves, config.seed)
    lines: list[tuple[object, ...]] = []
    for number, (curve, trial) in enumerate(found):
        metric, values = trial.scale.metric, trial.values
        bounds, falls = (metric.low, metric.high), metric.minimise
        for share in config.shares:
            cutoff = trial.cutoff(share)
            if cutoff + 1 < len(values):
                seen, later = values[:cutoff], values[cutoff:]
                run = forecast(seen, horizon=len(values), bounds=bounds, minimise=falls, check=False)
                about = ROWS[row].source, row, curve.group, number, share
                lines += [(*about, name, *one) for name, one in worth(run, later).items()]
    return {
        "rows": pd.DataFrame(lines, columns=list(TABLES["rows"])).round(4),
        "read": benchmarks.listed(row, config.side, found)["read"],
    }


def worth(run: Forecast, later: Array) -> dict[str, list[float]]:
    """By method: the logarithm of the pinball loss, mean over nine levels and the later values (Q,); the share of these
    within each of BANDS."""
    assert run.row is not None
    density, way = run.row.density, abs(run.observed[0] - run.bounds[0 if run.minimise else 1])

    def promised(q: float) -> Array:
        level = np.full(len(later), 1 - q if run.minimise else q)
        return run._scale.back(density.quantile(level).astype(float))

    def again(q: float) -> Array:
        return np.full(len(later), run.observed[-1])

    told = {}
    for name, quantile in ((OWN, run.quantile), (PROMISED, promised), (LAST, again)):
        off = later - np.stack([quantile(q) for q in LEVELS])  # (L, Q)
        loss = np.maximum(LEVELS[:, None] * off, (LEVELS[:, None] - 1) * off).mean()
        told[name] = [float(np.log(max(loss, LEAST * (way if 0 < way < np.inf else 1))))]
        for low, high in BANDS.values():
            inside = (later >= quantile(low) - 1e-9) & (later <= quantile(high) + 1e-9)
            told[name].append(float(inside.mean()))
    return told


# ------------------------------------------------------------------------------------------------- estimates


def estimates(rows: Rows) -> Estimates:
    """{(band, method, share seen): coverage, mean over sources, each of which counts once; (over, share seen): the loss by
    own record over the other method's, a geometric mean over sources}; with "all" for the mean over shares, and with a
    source in place of the share for that of its curves; ("worst", over): of the source with the largest one}"""
    each = rows["rows"]
    if each.empty:
        return {}
    means = each.groupby(["method", "seen", "source"])[["log_loss", *BANDS]].mean()  # curves count alike
    found: dict[Any, Interval | None] = {}
    for band, method, seen in product(BANDS, (OWN, PROMISED), (*SHARES, ALL)):
        own = means.loc[method] if seen == ALL else means.loc[method].xs(seen, drop_level=False)
        found[band, method, seen] = Interval.of_mean(own[band].groupby("source").mean())
    for (method, source), own in means.groupby(["method", "source"]):
        told = {} if method == LAST else own[[*BANDS]].mean()
        found |= {(band, method, source): Interval.without_ends(share) for band, share in told.items()}
    names = ["source", "row", "group", "curve"]
    curves = each.pivot_table(index=names, columns="method", values="log_loss").reset_index()
    for over in (PROMISED, LAST):
        ratio = (means.loc[OWN] - means.loc[over])["log_loss"]
        logs: dict[Any, Interval | None] = {}
        for seen in (*SHARES, ALL):
            own = ratio if seen == ALL else ratio.xs(seen, drop_level=False)
            logs[seen] = Interval.of_mean(own.groupby("source").mean())
        # the seeds of one setting, or the runs of one folder, hang together
        for source, own in curves.groupby("source"):
            logs[source] = Interval.over_clusters(own[OWN] - own[over], own["group"])
        by_key = {key: one.exp() for key, one in there(logs).items()}
        found |= {(over, key): one for key, one in by_key.items()}
        found["worst", over] = of_each_end(max, (by_key[source] for source in SOURCES if source in by_key))
    return there(found)


def draw(found: Estimates) -> dict[str, Figure]:
    """Coverage by share observed; dotted: what was promised."""
    titles, across = ("50 % interval", "90 % interval"), "share of the run observed, %"
    figure, axes = panels(titles, (7, 3), across=across, up="coverage, %")
    for axis, band, promised in zip(axes, BANDS, (50, 90), strict=True):
        axis.axhline(promised, color=style.ink(), linewidth=1, linestyle=":")
        for method, look in LOOKS.items():
            here = there({seen: found.get((band, method, seen)) for seen in SHARES})
            points = {seen + (method == OWN): one.times(100) for seen, one in here.items()}
            line(axis, points, color=style.colour(look), marker="o", markersize=4, label=NAMES[method])
        ticks(axis, SHARES)
    legend(figure, axes)
    return {"coverage": figure}


def tabulate(rows: Rows, found: Estimates) -> Rows:
    measured = {*rows["rows"]["source"]}
    titles = {source: title for source, title in SOURCES.items() if source in measured}
    lines = titles | {seen: f"{seen} % observed" for seen in SHARES} | {ALL: "mean of sources"}
    losses = {(PROMISED, ...): "loss, over the network’s own", (LAST, ...): "over the last value’s"}
    covers = {
        ("in90", PROMISED, ...): "90 % interval covers, network alone, %",
        ("in90", OWN, ...): "narrowed, %",
    }
    made = [
        {"by own record": title} | cells(found, key, losses) | cells(found, key, covers, ".0f", times=100)
        for key, title in lines.items()
    ]
    return {"loss": pd.DataFrame(made)}


def claims() -> list[Claim]:
    narrowed = "interval that a run’s own record narrows cover"
    return [
        Claim("half", f"On real runs, does the 50 % {narrowed} 42 to 58 % of the later values, on average over sources?",
              ("in50", OWN, ALL), Between(0.42, 0.58), "%"),
        Claim("ninety", f"On real runs, does the 90 % {narrowed} 85 to 95 % of the later values, on average over sources?",
              ("in90", OWN, ALL), Between(0.85, 0.95), "%"),
        Claim("sharper", "Does the own record lower the pinball loss of the network’s forecasts, on average over sources?",
              (PROMISED, ALL), Below(1), "×"),
        Claim("no_source_worse", "Is the loss on no source raised by more than 3 % by the own record, in the mean over the "
              "shares observed?", ("worst", PROMISED), AtMost(1.03), "×"),
        Claim("last_value", "With the own record, is the loss on no source more than 5 % above that of repeating the last "
              "value?", ("worst", LAST), AtMost(1.05), "×"),
    ]  # fmt: skip
