"""Where the network stops working, as figures. A part that was not measured is left out."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press.intervals import Interval
from reproduce._press.style import colour, faint, ink
from reproduce._press.where import Rows, where
from reproduce.limits.limits.case_titles import COVERAGE, named
from reproduce.pictures.bands import bands
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import legend, panels


def figures(rows: Rows) -> dict[str, Figure]:
    rows, made = named(rows), {}
    if "strange" in rows:
        made["strange"] = _strange(rows["strange"], rows["example"])
    if "gaps" in rows:
        made["gaps"] = _gaps(rows["gaps"])
    if "best" in rows:
        made["best"] = _best(rows["best"])
    return made


def _strange(rows: pd.DataFrame, examples: pd.DataFrame) -> Figure:
    shares = where(rows, cutoff=20).groupby("case")["cover90"].mean()
    cases = list(dict.fromkeys(examples["case"]))
    titles = [f"{case}: coverage {100 * shares[case]:.0f} %" for case in cases]
    figure, axes = panels(titles, (9, 9), 3, sharex=True)
    for axis, case in zip(axes, cases, strict=True):
        _panel(axis, where(examples, case=case))
    for axis in axes[-3:]:
        axis.set_xlabel("epoch")
    figure.supylabel("value of the curve", fontsize=10)
    legend(figure, axes, 4)
    return figure


def _panel(axis: Axes, curve: pd.DataFrame) -> None:
    """Points and interval; the axis is cut where the interval has far outliers, never where points lie."""
    seen, later = curve[curve["q50"].isna()], curve[curve["q50"].notna()]
    bands(axis, later["epoch"], later, colour("ours"), {("q05", "q95"): 0.25}, "90 % interval")
    axis.plot(later["epoch"], later["q50"], color=colour("ours"), label="median")
    axis.plot(later["epoch"], later["y"], ".", color=ink(), markersize=2.5, label="future points")
    axis.plot(seen["epoch"], seen["y"], ".", color=colour("paper"), markersize=4, label="observed points")
    axis.axvline(20.5, color=faint(), linewidth=1)
    axis.set_xlim(0, 101)


def _gaps(rows: pd.DataFrame) -> Figure:
    cases = list(dict.fromkeys(rows["case"]))[::-1]
    found = [(case, Interval.of_many(where(rows, case=case)["cover90"])) for case in cases]
    figure, axis = plt.subplots(figsize=(7.4, 4.2))
    axis.axvline(0.9, color=ink(), linewidth=1, linestyle=":")
    axis.annotate("90 %", (0.9, 1), xycoords=("data", "axes fraction"), xytext=(0, 4),
                  textcoords="offset points", ha="center")  # fmt: skip
    dots(axis, found, fmt="o", color=colour("ours"), markersize=5)
    axis.set(xlabel=COVERAGE, xlim=(0, 1))
    axis.grid(axis="y", visible=False)
    return figure


def _best(rows: pd.DataFrame) -> Figure:
    cutoffs = sorted(rows["cutoff"].unique())
    figure, axes = panels([f"{cutoff} epochs observed" for cutoff in cutoffs], (9, 3.4), sharey=True)
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        by_margin = where(rows, cutoff=cutoff).groupby("margin")
        said = by_margin[["independent", "largest"]].mean()
        ours = colour("ours")
        axis.plot(said.index, said["independent"], color=ours, label="forecast, epochs independent")
        axis.plot(
            said.index, said["largest"], color=ours, linestyle="--", label="forecast, likeliest epoch alone"
        )
        found = {margin: told for margin, mine in by_margin if (told := Interval.of_many(mine["happened"]))}
        axis.errorbar(list(found), [e.value for e in found.values()], yerr=[e.half for e in found.values()],
                      fmt="o", color=ink(), markersize=4, label="share of curves on which it happened")  # fmt: skip
        axis.set(xlabel="margin over the best so far", ylim=(0, 1.02))
    axes[0].set_ylabel("chance of a better later value")
    legend(figure, axes, 3)
    return figure
