"""Step by step with an encoding: figures, tables, claims. Cells that were not trained are left out."""

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.style import line
from reproduce.encoding import _cell_differences
from reproduce.encoding._cell_differences import scores
from reproduce.encoding._cell_names import CELLS, Cell
from reproduce.encoding._figures_and_tables import FED, effects, horizon

Rows = dict[str, pd.DataFrame]
Which = tuple[str, str, bool]  # network, name of an encoding, is the epoch fed?

RAW: Which = ("free", "none", True)
SHOT: Which = ("pfn", "none", True)
ERRORS = {  # column: title
    "near": "1 to 10 ahead", "far": "71 to 80 ahead", "longer": "epochs 151 to 200", "irregular": "gaps at random",
    "geometric": "growing gaps",
}  # fmt: skip


def found_cells(rows: Rows) -> list[Which]:
    cells = [Cell.of(part) for part in dict.fromkeys(rows["each"]["part"])]
    return list(dict.fromkeys((cell.network, cell.name, cell.fed) for cell in cells))


def gap(rows: Rows, ours: Which, theirs: Which, column: str) -> Interval | None:
    return _cell_differences.gap(rows, ours[1:], theirs[1:], [column], networks=(ours[0], theirs[0]))


def figures(rows: Rows) -> dict[str, Figure]:
    """The next value, given true ones; and the error by distance, beside LC-PFN's own way, in one shot."""
    names = list(dict.fromkeys(name for network, name, _ in found_cells(rows) if network == "free"))
    label = "the next value, against the epoch as a number, nats"
    beside = {SHOT: {"marker": "x"} | line("one shot", label="in one shot, epoch fed")}
    return {
        "effects": effects(names, lambda name, fed: gap(rows, ("free", name, fed), RAW, "next"), label),
        "horizon": horizon(rows["horizon"], "free", beside, ncols=3),
    }


def tables(rows: Rows) -> Rows:
    return {"likelihood": _likelihood(rows), "errors": _errors(rows)}


def title(which: Which) -> str:
    network, name, fed = which
    return "in one shot, epoch fed" if network == "pfn" else f"{CELLS[name].title}, {FED[fed]}"


def _mean(rows: Rows, which: Which, column: str) -> float:
    network, name, fed = which
    return float(scores(rows, (name, fed), [column], network).mean().mean())


def _likelihood(rows: Rows) -> pd.DataFrame:
    """The next value given true ones, and all later values given its own."""
    cells = []
    for which in found_cells(rows):
        told, path = _mean(rows, which, "next"), _mean(rows, which, "path")
        cells.append({"forecaster": title(which), "next value": "–" if told != told else f"{told:.3f}",
                      "all later values": f"{path:.3f}"})  # fmt: skip
    return pd.DataFrame(cells)


def _errors(rows: Rows) -> pd.DataFrame:
    cells = []
    for which in found_cells(rows):
        means = {heading: 100 * _mean(rows, which, column) for column, heading in ERRORS.items()}
        shown = {heading: "–" if mean != mean else f"{mean:.2f}" for heading, mean in means.items()}
        cells.append({"forecaster": title(which)} | shown)
    return pd.DataFrame(cells)


def claims(rows: Rows) -> list[Claim]:
    blind = (
        "Told neither the epoch nor a place, a network with a causal mask loses less than {most} nats on the next "
        "value: {value:.3f}."
    )
    path = (
        "Reading its own medians, with the epoch fed, it loses on the later values, beside one shot: {value:.2f} nats a "
        "point."
    )
    unfed = (
        "Without the epoch it loses there as well: {value:.2f} nats a point below one shot, which is fed it."
    )
    near = "Over the next ten epochs the error of its median is less than {most} above that of one shot: {value:+.4f}."
    far = "The error seventy epochs on is larger than that of one shot: it differs by {value:+.4f}."
    stated = [
        claim("mask_tells_the_order", blind, gap(rows, RAW, ("free", "none", False), "next"), "< 0.1"),
        claim("own_path_costs", path, gap(rows, SHOT, RAW, "path"), "> 0"),
        claim("own_path_costs_unfed", unfed, gap(rows, SHOT, ("free", "none", False), "path"), "> 0"),
        claim("near_as_good", near, gap(rows, RAW, SHOT, "near"), "< 0.002"),
        claim("far_worse", far, gap(rows, RAW, SHOT, "far"), "> 0"),
    ]
    for name in ("sincos", "rope"):
        adds = (
            f"Where the epoch is fed, {CELLS[name].title} on top changes the next value’s score by at most "
            f"{{most}} nats: {{value:+.3f}}."
        )
        instead = (
            f"In place of the epoch, {CELLS[name].title} changes it by at most {{most}} nats: {{value:+.3f}}."
        )
        alike = "between -0.05 and 0.05"
        stated.append(claim(f"{name}_adds", adds, gap(rows, ("free", name, True), RAW, "next"), alike))
        stated.append(
            claim(f"{name}_replaces", instead, gap(rows, ("free", name, False), RAW, "next"), alike)
        )
    return stated
