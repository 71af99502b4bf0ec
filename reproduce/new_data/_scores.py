"""Scores of forecasts by method, benchmark and share observed: estimated once, and shown in panels and tables.

A DataFrame has a line for each forecast: row, curve, seen, method, group and scores; `titles` are those of the benchmarks.
The ratio of two methods on the same forecasts is the geometric mean, which does not depend on units.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from presswork import Estimates, Interval, Rows, style, there, where
from presswork.estimates import cells, grouped
from reproduce.pictures.panels import legend, panels
from reproduce.protocols.benchmarks import ROWS
from reproduce.protocols.real_curve import SHARES

OURS = "shipped"  # the released model, which the claims are about
SIMPLE = ("last", "best", "steps", "pow3", "pow4", "mmf4", "sum")
OLD = "old"  # the previous release, trained on the paper's prior
METHODS = ("shipped", "old", "new", "ours", "paper", "exact", "vector", *SIMPLE)
DRAWN = ("paper", "old", "shipped", "exact")
EARLY = SHARES[:3]  # of the cells that are counted
FAR = 100.0  # ratios are clipped here: on a flat curve a score may be zero
NOTHING = 1e-6  # added to a score: a flat curve may be forecast without any error

Titles = dict[str, str]


def forecasts(rows: Rows, scores: str = "rows", about: str = "curves") -> pd.DataFrame:
    """A line for each: scores, and what is known of the curve; from these two tables."""
    scored, curves = (rows[name].drop(columns="part", errors="ignore") for name in (scores, about))
    return scored.merge(curves, on=["row", "curve"])


def each(rows: Rows) -> pd.DataFrame:
    """A line for each forecast: scores, `ratio` of its error to the last value's, and the curve."""
    last = where(rows["rows"], method="last").set_index(["row", "curve", "seen"])["error"].rename("last")
    scored = forecasts(rows).dropna(subset=["crps"]).join(last, on=["row", "curve", "seen"])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (scored["error"] / scored["last"]).fillna(1.0)  # neither has any error
    return scored.assign(ratio=ratio.clip(1 / FAR, FAR))


# ------------------------------------------------------------------------------------------------- estimates


def factor(found: pd.DataFrame, method: str, rival: str, score: str = "crps") -> Interval | None:
    """Below 1 the method is better than its rival; whole groups of curves are resampled."""
    both = pairs(found, method, rival, score)
    if both.empty:
        return None
    return over_groups(log_ratio(both["own"], both["rival"]), both["group"]).exp()


def pairs(found: pd.DataFrame, method: str, rival: str, score: str) -> pd.DataFrame:
    """A line for each forecast that both gave: group, own, rival."""
    keys = ["row", "curve", "seen", "group"]
    own, other = (where(found, method=name)[[*keys, score]] for name in (method, rival))
    return own.rename(columns={score: "own"}).merge(other.rename(columns={score: "rival"}), on=keys)


def over(found: pd.DataFrame, rival: str, *columns: str) -> Estimates:
    """The factor of each method by these columns."""
    return there({
        (method, *key): factor(own, method, rival, "crps")
        for key, own in found.groupby([*columns])
        for method in own["method"].unique()
    })  # fmt: skip


def means(found: pd.DataFrame, score: str, *columns: str) -> Estimates:
    """The mean score of each method by these columns."""
    return grouped(found, ["method", *columns], lambda own: over_groups(own[score], own["group"]))


def log_ratio(own: pd.Series, rival: pd.Series) -> pd.Series:
    return np.log((own + NOTHING) / (rival + NOTHING)).clip(-np.log(FAR), np.log(FAR))


def over_groups(values: pd.Series, groups: pd.Series, what: str = "mean") -> Interval:
    """Their mean or median; without ends where all are of one group."""
    return Interval.over_clusters(values, groups, what) or Interval.without_ends(getattr(values, what)())


def by_cell(found: pd.DataFrame, score: str, names: tuple[str, ...]) -> Estimates:
    """By method, benchmark and share observed: the mean over curves, of `ratio` the median; groups are resampled."""

    def cell(own: pd.DataFrame) -> Interval:
        if score == "ratio":
            return over_groups(np.log(own[score]), own["group"], "median").exp()
        return over_groups(own[score], own["group"])

    return grouped(found[found["method"].isin(names)], ["method", "row", "seen"], cell)


def over_sources(by_row: pd.Series) -> Interval | None:
    """The mean of numbers of benchmarks; a source counts once, whatever its metrics."""
    by_source = by_row.groupby([ROWS[row].source for row in by_row.index]).mean()
    return Interval.of_mean(by_source.rename_axis("source"))


def crps_ratio(found: pd.DataFrame, row: str, method: str, rival: str) -> float:
    """Ratio of the mean CRPS of two methods, on the curves that both forecast, over all shares observed."""
    both = where(found, row=row).pivot_table(index=["curve", "seen"], columns="method", values="crps")
    if not {method, rival} <= set(both):
        return float("nan")
    means = both[[method, rival]].dropna().mean()
    return float(means.iloc[0] / means.iloc[-1]) if len(both) and means.iloc[-1] > 0 else float("nan")


# ---------------------------------------------------------------------------------------------------- figures


def coverage(found: Estimates, titles: Titles) -> Figure:
    """Of the 90 % interval, by method, benchmark and share observed: a small panel for each benchmark."""
    figure, axes = _panels(titles, "coverage of the 90 % interval")
    for ax, row in zip(axes, titles, strict=True):
        ax.axhspan(0.85, 0.95, color=style.faint(), alpha=0.5, linewidth=0)
        _lines(ax, found, row)
        ax.set_ylim(0, 1.03)
    legend(figure, axes, 3)
    return figure


def error(found: Estimates, titles: Titles) -> Figure:
    """Of the median, divided by the last value's, by the same three."""
    figure, axes = _panels(titles, "error relative to the last value’s (lower is better)")
    for ax, row in zip(axes, titles, strict=True):
        ax.axhline(1, color=style.ink(), linewidth=1, linestyle=":")
        _lines(ax, found, row)
        ax.set_yscale("log")
        ax.set_yticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
        ax.minorticks_off()
    legend(figure, axes, 3)
    return figure


def _panels(titles: Titles, up: str) -> tuple[Figure, list[Axes]]:
    columns = min(3, len(titles))
    size = (1 + 2.7 * columns, 0.7 + 2.1 * -(-len(titles) // columns))
    across = "share of the curve observed, %"
    return panels(titles.values(), size, columns, across, up, sharex=True, sharey=True)


def _lines(ax: Axes, found: Estimates, row: str) -> None:
    for method in DRAWN:
        known = {seen: found[method, row, seen].value for seen in SHARES if (method, row, seen) in found}
        if known:
            ax.plot([*known], [*known.values()], marker="o", markersize=3, **style.line(method))
    ax.set_xticks(SHARES)


# ----------------------------------------------------------------------------------------------------- tables


def bands(found: Estimates, titles: Titles) -> pd.DataFrame:
    """Of the released model, in the form in which the goal was set."""
    shown = f"{' / '.join(map(str, SHARES))} % observed"

    def by_share(score: str, row: str) -> str:
        return " / ".join(cells(found, (score, OURS, row), SHARES, "{0.value:.2f}".format).values())

    return pd.DataFrame([
        {"benchmark": title, f"coverage of the 90 % interval at {shown}": by_share("in90", row),
         "± at 40 %": number((one.high - one.low) / 2) if (one := found.get(("in90", OURS, row, 40))) else "–",
         f"coverage of the 50 % interval at {shown}": by_share("in50", row),
         f"error divided by last value’s at {shown}": by_share("ratio", row)}
        for row, title in titles.items()
    ])  # fmt: skip


def crps(scored: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    """Relative to the last value’s: below 1 is better than repeating the last value."""
    return pd.DataFrame([
        {"mean CRPS / last value’s (lower is better)": style.name(method)}
        | {title: number(crps_ratio(scored, row, method, "last")) for row, title in titles.items()}
        for method in METHODS if (scored["method"] == method).any()
    ])  # fmt: skip


def number(value: float, digits: int = 2) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"
