"""Figures and tables of the grid: scores as printed, with the paper's recipe trained here, and with ours."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style as looks
from reproduce._press.intervals import Interval
from reproduce.reproduction._grid_cells import CORNER, CURVES, GRID, Cell
from reproduce.reproduction._grid_rows import CUTOFFS, cells, from_printed, lead, score

RECIPES = {"paper": "the paper’s", "ours": "ours"}
CELL = "layers × width, curves"
FEW = 8  # trainings that one figure can name
SMALL: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8}


def grid(rows: pd.DataFrame) -> Figure:
    """From the fewest to the most weights. Hollow: printed; filled: trained here."""
    here = {(int(r.layers), int(r.width)) for r in rows.itertuples()}
    sizes = sorted({cell[:2] for cell in GRID} | here, key=lambda size: (size[0] * size[1] ** 2, size))
    figure, axes = plt.subplots(2, 1, figsize=(7.0, 6.2), sharex=True)
    for axis, cutoff in zip(axes, (10, 40), strict=True):
        _printed(axis, sizes, cutoff)
        for recipe, label in (("paper", "the paper’s recipe, trained here"), ("ours", "our recipe")):
            mine = rows[(rows["recipe"] == recipe) & (rows["cutoff"] == cutoff)]
            if len(mine):
                _trained_here(axis, sizes, mine, looks.line(recipe, label=label, linestyle="none"))
        title = f"after {cutoff} % of the epochs (higher is better)"
        axis.set(ylabel="log-likelihood, nats per point", title=title)
    axes[1].set_xticks(range(len(sizes)), [f"{layers} × {width}" for layers, width in sizes], fontsize=8.5)
    axes[1].set(xlabel="layers × width, from the fewest to the most weights", xlim=(-0.5, len(sizes) + 0.9))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _printed(axis: Axes, sizes: Sequence[tuple[int, ...]], cutoff: int) -> None:
    """A line for each number of curves, named where it ends."""
    colour, place = looks.colour("paper"), {size: x for x, size in enumerate(sizes)}
    for n in CURVES:
        found = {place[cell[:2]]: cell.printed(cutoff) for cell in GRID if cell.curves == n}
        known = sorted((x, value) for x, value in found.items() if value is not None)
        axis.plot(*zip(*known, strict=True), color=colour, linewidth=0.6, marker="o", markersize=8, fillstyle="none",
                  label="as printed" if n == CURVES[0] else None)  # fmt: skip
        amount = CORNER._replace(curves=n).amount
        axis.annotate(
            f"{amount} training curves", known[-1], xytext=(9, 0), va="center", color=colour, **SMALL
        )


def _trained_here(
    axis: Axes, sizes: Sequence[tuple[int, ...]], mine: pd.DataFrame, style: dict[str, Any]
) -> None:
    """Filled points, with the number of training curves where no line says it."""
    x = [sizes.index((r.layers, r.width)) for r in mine.itertuples()]
    axis.errorbar(x, mine["ll_even"], yerr=1.96 * mine["ll_even_se"], marker="o", markersize=4.5, **style)
    for at, r in zip(x, mine.itertuples(), strict=True):
        if r.curves not in CURVES:
            text = f"{Cell(r.layers, r.width, r.curves).amount} curves"
            axis.annotate(text, (at, r.ll_even), xytext=(-4, 7), color=style["color"], **SMALL)


def training(history: pd.DataFrame) -> Figure:
    """A line for each training: named where they are few, else by recipe alone."""
    figure, axis = plt.subplots()
    parts = list(dict.fromkeys(history["part"]))
    few, drawn = len(parts) <= FEW, dict.fromkeys(RECIPES, 0)
    for part in parts:
        recipe, _, size = part.partition("-")
        label = f"{RECIPES[recipe]}: " + size.replace("x", " × ").replace("-", ", ")
        style: dict[str, Any] = {"linewidth": 0.7, "label": None if drawn[recipe] else RECIPES[recipe]}
        if few:
            style = {"linestyle": ("-", "--", ":", "-.")[drawn[recipe] % 4], "label": label}
        mine = history[history["part"] == part]
        smooth = mine["loss"].rolling(12, min_periods=1).mean()
        axis.plot(mine["curves"], smooth, **{"color": looks.colour(recipe), **style})
        drawn[recipe] += 1
    axis.set(xscale="log", xlabel="training curves", ylim=(None, 0.5))
    axis.set_ylabel("training loss, nats per point (lower is better)")
    if parts:
        figure.legend(loc="outside upper center", ncols=2)
    return figure


def reproduced(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell of the grid: what is printed, and what its recipe gives here."""
    here, table = cells(rows, "paper"), []
    for cell in GRID:
        line = {CELL: cell.label}
        for cutoff in CUTOFFS:
            printed = cell.printed(cutoff)
            line[f"{cutoff} %"] = cell.printed_text(cutoff) or "–"
            line[f"{cutoff} %, here"] = "…"
            if cell in here:
                line[f"{cutoff} %, here"] = _beside(
                    score(rows, "paper", cell, cutoff), printed, cell.read_error
                )
        table.append(line)
    return pd.DataFrame(table)


def _beside(ours: pd.Series, printed: float | None, read_error: float) -> str:
    """1.241 (+0.012 ± 0.014): the value, and its distance from what is printed."""
    if printed is None:
        return Interval.with_error(ours["ll_even"], ours["ll_even_se"]).plus_minus(".3f")
    gap = from_printed(ours, printed, read_error)
    return f"{ours['ll_even']:.3f} ({gap.plus_minus('+.3f')})"


def ours(rows: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Our recipe, and its lead over the paper's recipe, paired by curve."""
    theirs, table = cells(rows["rows"], "paper"), []
    for cell in cells(rows["rows"], "ours"):
        line = {CELL: cell.label}
        for cutoff in CUTOFFS:
            value = score(rows["rows"], "ours", cell, cutoff)
            line[f"{cutoff} %"] = Interval.with_error(value["ll_even"], value["ll_even_se"]).plus_minus(".3f")
            line[f"{cutoff} %, lead"] = "…"
            if cell in theirs:
                ahead = lead(rows["each"], cell.part("ours"), cell.part("paper"), cutoff)
                line[f"{cutoff} %, lead"] = ahead.plus_minus("+.3f")
        table.append(line)
    columns = [name for cutoff in CUTOFFS for name in (f"{cutoff} %", f"{cutoff} %, lead")]
    return pd.DataFrame(table, columns=[CELL, *columns])


def trained(rows: pd.DataFrame, parts: list[str]) -> pd.DataFrame:
    """Machine, minutes and speed of each training."""
    table = []
    for part in parts:
        mine = rows[rows["method"] == part]
        if len(mine):
            one = mine.iloc[0]
            cell = Cell(int(one["layers"]), int(one["width"]), int(one["curves"]))
            table.append({
                "network": f"{RECIPES[one['recipe']]}: {cell.label}", "parameters": f"{one['parameters']:,.0f}",
                "minutes": f"{one['minutes']:.1f}", "curves per second": f"{cell.curves / 60 / one['minutes']:,.0f}",
                "curves scored": f"{one['n']:,.0f}", "machine": one["hardware"],
            })  # fmt: skip
    return pd.DataFrame(table)


def done(rows: pd.DataFrame) -> pd.DataFrame:
    """How much of the grid there is."""
    table = []
    for recipe, name in RECIPES.items():
        there = [cell for cell in cells(rows, recipe) if cell in GRID]
        minutes = sum(score(rows, recipe, cell, CUTOFFS[0])["minutes"] for cell in there)
        count = f"{len(there)} of {len(GRID)}"
        table.append({"recipe": name, "networks trained": count, "minutes in all": f"{minutes:.0f}"})
    return pd.DataFrame(table)
