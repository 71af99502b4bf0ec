"""The experiment with encodings as figures and tables. Cells that were not trained are left out."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.intervals import Interval
from reproduce._press.style import faint, ink, line
from reproduce._press.where import Rows
from reproduce.encoding._cell_differences import RAW, Kind, gap, kinds, scores
from reproduce.encoding._cell_names import CELLS, Cell
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import legend, panels, ticks

FED = {True: "epoch given", False: "epoch not given"}
LINES = ("none", "sincos", "rope", "learned", "alibi")  # drawn in a colour each; the others are in the tables
DIFFERENCE = "difference in log-likelihood from the epoch as a number"
GRIDS = {
    "within": "epochs 41 to 100, 40 observed",
    "beyond": "epochs 101 to 200, 40 observed",
    "longer": "epochs 151 to 200, 150 observed",
    "irregular_epoch": "random gaps, by epoch",
    "irregular_index": "random gaps, by index",
    "geometric_epoch": "growing gaps, by epoch",
    "geometric_index": "growing gaps, by index",
}


def figures(rows: Rows, cutoffs: tuple[int, ...]) -> dict[str, Figure]:
    names = list(dict.fromkeys(name for name, _ in kinds(rows)))
    label = f"{DIFFERENCE}\n(nats per point, higher is better)"
    return {
        "effects": effects(names, lambda name, fed: gap(rows, (name, fed), RAW, usual(cutoffs)), label),
        "horizon": horizon(rows["horizon"], "pfn", {}, ncols=5), "elsewhere": _elsewhere(rows),
    }  # fmt: skip


def usual(cutoffs: tuple[int, ...]) -> list[str]:
    return [f"at{cutoff}" for cutoff in cutoffs]


def effects(names: list[str], gain: Callable[[str, bool], Interval | None], label: str) -> Figure:
    """A row for each encoding, with what it gains where the epoch is given and where it is not."""
    figure, axis = plt.subplots(figsize=(7.4, 0.36 * len(names) + 1.6))
    axis.axvline(0, color=ink(), linewidth=1, linestyle=":")
    for fed, shift in ((True, 0.12), (False, -0.12)):
        found = [(place + shift, gain(name, fed)) for place, name in enumerate(names[::-1])]
        dots(axis, found, fmt="o" if fed else "s", markersize=5, **line(FED[fed], linestyle="none"))
    axis.set_yticks(range(len(names)), [CELLS[name].title for name in names[::-1]])
    axis.set(xlabel=label, ylim=(-0.6, len(names) - 0.4))
    axis.grid(axis="y", visible=False)
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def horizon(
    table: pd.DataFrame, network: str, beside: dict[tuple[str, str, bool], dict[str, Any]], ncols: int
) -> Figure:
    """Error by distance: a line for each encoding of this network, and in both panels the cells of `beside`."""
    cells = table["part"].map(lambda part: tuple(Cell.of(part)[:3]))
    figure, axes = panels(FED.values(), (8.4, 3.6), sharey=True)
    for axis, fed in zip(axes, FED, strict=True):
        lines = {(network, name, fed): {"marker": "."} | line(f"encoding {name}") for name in LINES}
        for cell, style in (lines | beside).items():
            mine = table[cells == cell]
            if len(mine):
                error = 100 * mine.groupby("ahead")["error"].mean()
                axis.plot(error.index, error, **style)
        axis.set(xscale="log", xlabel="epochs ahead of the 20th")
        ticks(axis, sorted(table["ahead"].unique()))
    axes[0].set(ylabel="mean error of the median × 100\n(lower is better)", ylim=(0, None))
    legend(figure, axes[:1], ncols)
    return figure


def _elsewhere(rows: Rows) -> Figure:
    """On each grid of epochs, cells against the epoch as a number on the same grid."""
    there = [kind for kind in kinds(rows) if kind[0] in LINES and kind != ("none", False)]
    figure, axes = panels(FED.values(), (9, 4.4), sharey=True)
    for axis, fed in zip(axes, FED, strict=True):
        axis.axvline(0, color=ink(), linewidth=1, linestyle=":")
        names = [name for name, told in there if told == fed and (name, told) != RAW]
        for number, name in enumerate(names):
            shift = 0.5 * (number + 0.5) / len(names) - 0.25
            found = [
                (-place - shift, gap(rows, (name, fed), RAW, [grid])) for place, grid in enumerate(GRIDS)
            ]
            dots(axis, found, fmt="o", markersize=4, **line(f"encoding {name}", linestyle="none"))
        axis.set(xlabel="difference from the epoch as a number\n(nats per point, higher is better)")
        axis.set_xscale("symlog", linthresh=0.1)
        axis.grid(axis="y", visible=False)
        axis.axhline(-2.5, color=faint(), linewidth=1)
    axes[0].set_yticks([-place for place in range(len(GRIDS))], list(GRIDS.values()))
    if there:
        legend(figure, axes, 4)
    return figure


def tables(rows: Rows, cutoffs: tuple[int, ...], curves: int) -> dict[str, pd.DataFrame]:
    """`curves`: on how many each network was trained."""
    found = kinds(rows)
    return {
        "likelihood": _levels(
            rows, found, {f"{c} %": [f"at{c}"] for c in cutoffs} | {"mean": usual(cutoffs)}
        ),
        "gaps": _gaps(rows, cutoffs),
        "elsewhere": _levels(rows, found, {title: [grid] for grid, title in GRIDS.items()}),
        "trained": _trained(rows, found, curves),
    }


def title(kind: Kind) -> str:
    return f"{CELLS[kind[0]].title}, {FED[kind[1]]}"


def _levels(rows: Rows, found: list[Kind], columns: dict[str, list[str]]) -> pd.DataFrame:
    """Mean log-likelihood over curves and seeds; no error, since differences are taken curve by curve."""
    cells: dict[str, list[str]] = {"encoding": [title(kind) for kind in found]}
    for name, tasks in columns.items():
        levels = [scores(rows, kind, tasks).mean().mean() for kind in found]
        cells[name] = ["–" if level != level else f"{level:.3f}" for level in levels]
    return pd.DataFrame(cells)


def _gaps(rows: Rows, cutoffs: tuple[int, ...]) -> pd.DataFrame:
    """Differences from the epoch as a number, with 95 % intervals; bold where zero lies outside."""
    names = list(dict.fromkeys(name for name, _ in kinds(rows)))
    cells = {"encoding": [CELLS[name].title for name in names]}
    for fed in (True, False):
        cells[FED[fed]] = [
            "0" if (name, fed) == RAW else _signed(gap(rows, (name, fed), RAW, usual(cutoffs)))
            for name in names
        ]
    return pd.DataFrame(cells)


def _signed(found: Interval | None) -> str:
    if found is None:
        return "…"
    text = found.plus_minus("+.3f")
    return f"**{text}**" if found.low > 0 or found.high < 0 else text


def _trained(rows: Rows, found: list[Kind], curves: int) -> pd.DataFrame:
    """How each cell was trained, and on how many curves it was tested."""
    training, scored, cells = rows["training"], rows["each"]["curve"].nunique(), []
    for kind in found:
        mine = training[[(c.name, c.fed) == kind for c in training["part"].map(Cell.of)]]
        cells.append({
            "encoding": title(kind), "seeds": str(len(mine)), "parameters of the encoding": f"{mine['parameters'].iloc[0]:,}",
            "final loss": f"{mine['loss'].mean():.3f}", "seconds per training": f"{mine['seconds'].mean():.0f}",
            "training curves": f"{curves:,}", "test curves": f"{scored:,}",
        })  # fmt: skip
    return pd.DataFrame(cells)
