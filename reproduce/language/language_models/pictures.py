"""The ladder and the distance further ahead; sampled curves beside fresh ones; and the tables."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.language.language_models.tails import LAST, MIXED, SAMPLED
from reproduce.language.language_models.told_apart import CONTROL, LANGUAGE
from reproduce.language.language_models.trained import COUNTS, CUTOFFS, ORACLE, PFN, TIED, UNIFORM
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import around, panels, ticks

LADDER = {
    UNIFORM: "last", COUNTS: "steps", "feed-forward": "convolution", "LSTM": "recurrent", "transformer": "attention",
    TIED: "attention", PFN: "ours", ORACLE: "oracle",
}  # fmt: skip
AHEAD = {LAST: "last", SAMPLED: "recurrent", PFN: "ours", MIXED: "new"}


def draw(rows: Rows) -> dict[str, Figure]:
    figure, (left, right) = panels(["the next point", "each later epoch by itself"], (8.8, 3.8))
    _ladder(left, rows["rows"])
    right.set_visible("tails" in rows)
    if "tails" in rows:
        _further(right, rows["tails"])
    return {"ladder": figure} | ({"sampled": _curves(rows["shown"])} if "shown" in rows else {})


def _ladder(axis: Axes, rows: pd.DataFrame) -> None:
    names = [
        name for name in LADDER if name in set(rows["model"]) and name != UNIFORM
    ]  # which is far to the left
    for place, name in enumerate(names):
        ll = where(rows, model=name).groupby("seed")["ll"].mean()
        found = Interval.of_mean(ll) or Interval.exactly(float(ll.mean()))
        dots(axis, [(place, found)], fmt="o", color=style.colour(LADDER[name]), capsize=3)
        at = (ll.mean(), place)
        axis.annotate(f"{ll.mean():.2f}", at, (0, 5), textcoords="offset points", fontsize=8.5, ha="center")
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel("nats per point (right is better)")


def _further(axis: Axes, tails: pd.DataFrame) -> None:
    for name, colour in AHEAD.items():
        mean = where(tails, method=name).groupby("cutoff")["lost"].mean()
        axis.plot(mean.index, mean, "o-", color=style.colour(colour), label=name, markersize=4)
    axis.axhline(0, color=style.colour("exact"))
    look: dict[str, Any] = {"color": style.colour("exact"), "fontsize": 8.5, "va": "top", "ha": "right"}
    axis.annotate("exact posterior", (CUTOFFS[-1], 0), (0, -3), textcoords="offset points", **look)
    axis.set_xscale("log")
    axis.set_yscale("symlog", linthresh=0.2)
    ticks(axis, CUTOFFS)
    ticks(axis, (0, 0.1, 0.2, 0.5, 1, 2), "g", "y")
    axis.set(xlabel="epochs observed", ylabel="nats per point below exact")
    axis.set_ylim(-0.04, 5)
    axis.legend(fontsize=8.5, loc="upper right", ncols=2)


def _curves(shown: pd.DataFrame) -> Figure:
    names = {LANGUAGE: "sampled by the LSTM, word by word", CONTROL: "fresh from the prior"}
    figure, axes = panels(list(names.values()), (8.4, 3.4), sharey=True)
    first = where(shown, seed=shown["seed"].min())
    for axis, (kind, colour) in zip(axes, ((LANGUAGE, "recurrent"), (CONTROL, "ours")), strict=True):
        for _, one in where(first, kind=kind).groupby("curve"):
            axis.plot(one["epoch"], one["value"], color=style.colour(colour), linewidth=0.9)
        axis.set_ylim(-0.1, 1.15)
    around(figure, "epoch", "value")
    return figure


def tabulate(rows: Rows) -> dict[str, pd.DataFrame]:
    tables = {"models": _models(rows["rows"])}
    more = (("tails", _tails), ("highest", _highest), ("rates", _rates))
    return tables | {name: made(rows[name]) for name, made in more if len(rows.get(name, ()))}


def _models(rows: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for name in LADDER:
        if (one := where(rows, model=name)).empty:
            continue
        about = name
        if name == COUNTS:
            about = f"{int(one['order'].iloc[0])}-gram, discount {one['discount'].iloc[0]:g}"
        own, near = (one[column].mean() for column in ("own_perplexity", "near"))
        seconds = one["seconds"].median()
        lines.append({
            "model": about, "curves": f"{int(one['curves'].iloc[0]):,}",
            "seconds": "" if pd.isna(seconds) else f"{seconds:.0f}",
            "nats per point": in_cell(Interval.of_mean(one.groupby("seed")["ll"].mean()), ".3f", f"{one['ll'].mean():.3f}"),
            "bits per word": f"{one['bits'].mean():.2f}", "perplexity": f"{2 ** one['bits'].mean():.1f}",
            "of its own entropy": "" if pd.isna(own) else f"{own:.1f}",
            "nearest word within two": "" if pd.isna(near) else f"{100 * near:.0f} %",
        })  # fmt: skip
    return pd.DataFrame(lines)


def _tails(tails: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for name in AHEAD:
        one = where(tails, method=name)
        by_cutoff = {f"after {c}": f"{where(one, cutoff=c)['ll'].mean():.3f}" for c in CUTOFFS}
        cover = one["cover"].mean()
        lines.append({"method": name} | by_cutoff | {
            "below exact": f"{one['lost'].mean():.3f}", "coverage": "" if pd.isna(cover) else f"{100 * cover:.0f} %",
        })  # fmt: skip
    return pd.DataFrame(lines)


def _highest(highest: pd.DataFrame) -> pd.DataFrame:
    """CRPS in thousandths, by method: the mean over seeds and curves."""
    mean = 1000 * highest.pivot_table("crps", "method", ["cutoff", "words"], sort=False)
    mean.columns = [f"after {cutoff}, {words}" for cutoff, words in mean]
    return mean.map("{:.1f}".format).reset_index()


def _rates(rates: pd.DataFrame) -> pd.DataFrame:
    table = rates.pivot_table("ll", "model", "rate", sort=False).sort_index(axis=1)
    return table.map("{:.3f}".format).rename(columns="{:g}".format).rename_axis(columns=None).reset_index()
