"""Scores of forecasts by method, benchmark and share observed: estimated once, and shown in panels and tables.

`found` has a line for each forecast; `titles` are those of the benchmarks.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.estimates import Estimates, grouped
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data._factors import FAR, forecasts, in_one_cell, over_groups
from reproduce.pictures.panels import around, legend, panels
from reproduce.protocols.real_curve import SHARES

OURS = "shipped"  # the released model, which the claims are about
SIMPLE = ("last", "best", "steps", "pow3", "pow4", "mmf4", "sum")
OLD = "old"  # the previous release, trained on the paper's prior
METHODS = ("shipped", "old", "new", "ours", "paper", "exact", "vector", *SIMPLE)
DRAWN = ("paper", "old", "shipped", "exact")
EARLY = SHARES[:3]  # of the cells that are counted
AT = 20  # per cent observed, of the calibration

Titles = dict[str, str]


def each(rows: Rows) -> pd.DataFrame:
    """A line for each forecast: scores, `ratio` of its error to the last value's, and the curve."""
    last = where(rows["rows"], method="last").set_index(["row", "curve", "seen"])["error"].rename("last")
    scored = forecasts(rows).dropna(subset=["crps"]).join(last, on=["row", "curve", "seen"])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (scored["error"] / scored["last"]).fillna(1.0)  # neither has any error
    return scored.assign(ratio=ratio.clip(1 / FAR, FAR))


def methods(found: pd.DataFrame) -> list[str]:
    return [name for name in METHODS if (found["method"] == name).any()]


# ------------------------------------------------------------------------------------------------- estimates


def cells(found: pd.DataFrame, score: str, names: tuple[str, ...] = (OURS,)) -> Estimates:
    """By method, benchmark and share observed: the mean over curves, of `ratio` the median; groups are resampled."""

    def cell(own: pd.DataFrame) -> Interval:
        if score == "ratio":
            return over_groups(np.log(own[score]), own["group"], "median").exp()
        return over_groups(own[score], own["group"])

    return grouped(found[found["method"].isin(names)], ["method", "row", "seen"], cell)


def crps_ratio(found: pd.DataFrame, row: str, method: str, rival: str) -> float:
    """Ratio of the mean CRPS of two methods, on the curves that both forecast, over all shares observed."""
    both = where(found, row=row).pivot_table(index=["curve", "seen"], columns="method", values="crps")
    if not {method, rival} <= set(both):
        return float("nan")
    means = both[[method, rival]].dropna().mean()
    return float(means.iloc[0] / means.iloc[-1]) if len(both) and means.iloc[-1] > 0 else float("nan")


def ranks(found: pd.DataFrame, row: str) -> pd.Series:
    """As in the paper: the mean rank by log-likelihood, on the curves that every method forecast; 1 is best."""
    wide = where(found, row=row).pivot_table(index=["curve", "seen"], columns="method", values="ll").dropna()
    return wide.rank(axis=1, ascending=False).mean()


# ---------------------------------------------------------------------------------------------------- figures


def figures(rows: Rows, titles: Titles) -> dict[str, Figure]:
    """A small panel for each benchmark, by share observed; and whether quantiles are honest."""
    scored = each(rows)
    covered, errors = (cells(scored, score, DRAWN) for score in ("in90", "ratio"))

    def coverage(ax: Axes, row: str) -> None:
        ax.axhspan(0.85, 0.95, color=style.faint(), alpha=0.5, linewidth=0)
        _lines(ax, covered, row)
        ax.set_ylim(0, 1.03)

    def error(ax: Axes, row: str) -> None:
        ax.axhline(1, color=style.ink(), linewidth=1, linestyle=":")
        _lines(ax, errors, row)
        ax.set_yscale("log")
        ax.set_yticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
        ax.minorticks_off()

    def calibration(ax: Axes, row: str) -> None:
        ax.plot([0, 1], [0, 1], color=style.ink(), linewidth=1, linestyle=":")
        for method in DRAWN:
            own = where(rows["below"], row=row, seen=AT, method=method)
            if len(own):
                ax.plot(own["level"], own["below"], **style.line(method))

    seen = "share of the curve observed, %"
    return {
        "coverage": _panels(titles, coverage, seen, "coverage of the 90 % interval"),
        "error": _panels(titles, error, seen, "error relative to the last value’s (lower is better)"),
        "calibration": _panels(
            titles, calibration, "level of the quantile", "share of future points below it"
        ),
    }


def _panels(titles: Titles, draw: Callable[[Axes, str], None], across: str, up: str) -> Figure:
    columns = min(3, len(titles))
    size = (1 + 2.7 * columns, 0.7 + 2.1 * -(-len(titles) // columns))
    figure, axes = panels(titles.values(), size, columns, sharex=True, sharey=True)
    for ax, row in zip(axes, titles, strict=True):
        draw(ax, row)
    around(figure, across, up)
    legend(figure, axes, 3)
    return figure


def _lines(ax: Axes, found: Estimates, row: str) -> None:
    for method in DRAWN:
        there = {seen: found[method, row, seen].value for seen in SHARES if (method, row, seen) in found}
        if there:
            ax.plot([*there], [*there.values()], marker="o", markersize=3, **style.line(method))
    ax.set_xticks(SHARES)


# ----------------------------------------------------------------------------------------------------- tables


def tables(rows: Rows, titles: Titles) -> Rows:
    """A line for each benchmark, or for each method."""
    scored = each(rows)
    return {
        "bands": _bands(scored, titles),
        "crps": _crps(scored, titles),
        "ranks": _ranks(scored, titles),
        "learning": _learning(scored, titles),
    }


def _bands(scored: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    """Of the released model, in the form in which the goal was set."""
    shown = f"{' / '.join(map(str, SHARES))} % observed"
    wide, half, errors = (cells(scored, score) for score in ("in90", "in50", "ratio"))
    return pd.DataFrame([
        {"benchmark": title, f"coverage of the 90 % interval at {shown}": in_one_cell(wide, (OURS, row), SHARES),
         "± at 40 %": _half(wide.get((OURS, row, 40))),
         f"coverage of the 50 % interval at {shown}": in_one_cell(half, (OURS, row), SHARES),
         f"error divided by last value’s at {shown}": in_one_cell(errors, (OURS, row), SHARES)}
        for row, title in titles.items()
    ])  # fmt: skip


def _half(one: Interval | None) -> str:
    """Half of the width; a dash for a single group, from which no interval follows."""
    return number((one.high - one.low) / 2) if one else "–"


def _crps(scored: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    """Relative to the last value’s: below 1 is better than repeating the last value."""
    return pd.DataFrame([
        {"mean CRPS / last value’s (lower is better)": style.name(method)}
        | {title: number(crps_ratio(scored, row, method, "last")) for row, title in titles.items()}
        for method in methods(scored)
    ])  # fmt: skip


def _ranks(scored: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    ranked = {title: ranks(scored, row) for row, title in titles.items()}
    return pd.DataFrame([
        {"mean rank by log-likelihood (1 is best)": style.name(method)}
        | {title: number(rank.get(method, np.nan), 1) for title, rank in ranked.items()}
        for method in methods(scored)
    ])  # fmt: skip


def _learning(scored: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    """Curves that learn and those that do not, separately: most curves of some sources never leave chance."""
    at, lines = "at 10 / 20 / 40 / 70 % observed", []
    for row, learns in product(titles, (True, False)):
        if len(own := where(scored, row=row, learns=learns)):
            covered, errors = cells(own, "in90"), cells(own, "ratio")
            lines.append({
                "benchmark": titles[row],
                "curves": f"{own['curve'].nunique()} {'learning' if learns else 'not learning'}",
                f"coverage of the 90 % interval {at}": in_one_cell(covered, (OURS, row), SHARES),
                f"error divided by last value’s {at}": in_one_cell(errors, (OURS, row), SHARES),
                "CRPS / last value’s": number(crps_ratio(own, row, OURS, "last")),
            })  # fmt: skip
    return pd.DataFrame(lines)


def number(value: float, digits: int = 2) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"
