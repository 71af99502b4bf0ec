"""Do the paper’s 27 networks come out as printed, trained again on curves that are the same on every machine?"""

from dataclasses import dataclass, field, replace
from itertools import product

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from curvecast.training.train import TrainConfig
from presswork import Estimates, Interval, Rows, in_cell, style, there, where
from presswork.estimates import line
from reproduce.reproduction._grid_cells import CURVES, GRID, LAYERS, WIDTHS, Cell, measured
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.trainings import TINY_PAPER

# In the order in which hours are best spent: what is tested per hour. Of the neighbours among the first five and of the last
# two, the printed scores differ by so little that seeds decide which is ahead: these are trained with three.
FIRST = [Cell(*size, 100_000) for size in ((3, 128), (6, 128), (3, 256), (12, 128), (6, 256))]
THEN = [Cell(3, 128, 1_000_000), Cell(6, 128, 1_000_000), Cell(3, 512, 100_000), Cell(12, 256, 100_000),
        Cell(3, 256, 1_000_000), Cell(12, 128, 1_000_000), Cell(6, 512, 100_000), Cell(6, 256, 1_000_000),
        Cell(12, 512, 100_000)]  # fmt: skip
AGAIN = [Cell(6, 128, 1_000_000), Cell(12, 128, 1_000_000)]
SEEDS = (1, 2)
PRECISION = "half − single"


def part(cell: Cell, seed: int) -> str:
    """3x128-100k-0: the name of a training."""
    return f"{cell.part('paper').removeprefix('paper-')}-{seed}"


def whole_grid() -> dict[str, TrainConfig]:
    """Every cell once, and some with further seeds. Cells of one seed see the same curves, on any device."""
    order = [(cell, 0) for cell in FIRST] + [(cell, seed) for seed in SEEDS for cell in FIRST]
    order += [(cell, 0) for cell in THEN] + [(cell, seed) for seed in SEEDS for cell in AGAIN]
    order += [(cell, 0) for cell in sorted(GRID, key=lambda cell: cell.cost)]
    trainings = {part(cell, seed): recipe(cell, seed) for cell, seed in order}
    first = part(FIRST[0], 0)
    return trainings | {f"{first}-fp32": replace(trainings[first], precision="fp32")}


def recipe(cell: Cell, seed: int) -> TrainConfig:
    """The paper's, with curves by their number and products in half precision, which takes 0.7 of the time on a processor."""
    paper = TrainConfig.paper(cell.width, cell.layers, cell.curves, seed)
    return replace(paper, draws="number", precision="bf16")


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=whole_grid)
    curves: int = 10_000  # all of the test set


TINY = {f"1x16-3k-{seed}": replace(TINY_PAPER, draws="number", seed=seed) for seed in (0, 1)}
SCALES = {
    "smoke": Config(TINY, curves=40),
    "laptop": Config(TINY, curves=500),  # even the smallest network of the grid takes too long
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = {"models.precision": "in half precision, sums depend on the processor"}
ON_REQUEST = "python -m reproduce train --queue paper_grid"
TABLES = {
    "rows": (
        "layers", "width", "curves", "seed", "precision", "parameters", "core_minutes", "hardware",
        "method", "cutoff", "n", "ll_even", "ll_even_se", "ll", "ll_se",
    ),
    "each": tuple(f"at{cutoff}" for cutoff in CUTOFFS),
    "history": ("curves", "loss", "seconds"),
}  # fmt: skip
STOPWATCHES = ("history.seconds", "rows.core_minutes", "rows.hardware")


PARTS = "{model}"


def needs(config: Config, model: str) -> list[TrainConfig]:
    """Each network waits for its own training alone."""
    return [config.models[model]]


def measure(config: Config, model: str) -> Rows:
    tables = measured(model, config.models[model], config.curves)
    return tables | {"rows": tables["rows"][list(TABLES["rows"])]}


def estimates(rows: Rows) -> Estimates:
    """{(cell, cutoff): score}, over seeds where there are several, else over test curves; {(PRECISION, cutoff): how far half
    precision is above single precision}, from the same seed, curve by curve."""
    first, found = part(FIRST[0], 0), {}
    cells = where(rows["rows"], precision="bf16").groupby(["layers", "width", "curves", "cutoff"])
    for (*cell, cutoff), own in cells:
        over_curves = Interval.with_error(own["ll_even"].mean(), own["ll_even_se"].iloc[0])
        found[Cell(*cell), cutoff] = Interval.of_mean(own["ll_even"]) or over_curves
    names = (first, f"{first}-fp32")
    half, single = (where(rows["each"], part=name).reset_index(drop=True) for name in names)
    above = {(PRECISION, c): (half[f"at{c}"] - single[f"at{c}"]).dropna() for c in CUTOFFS}
    return found | there({key: Interval.of_many(values) for key, values in above.items()})


def draw(found: Estimates) -> dict[str, Figure]:
    """A panel a size of the network, a line a cutoff. Hollow: as printed; filled: as trained here."""
    figure, axes = plt.subplots(3, 3, figsize=(7.0, 6.6), sharex=True, sharey=True)
    for axis, (layers, width) in zip(axes.flat, product(LAYERS, WIDTHS), strict=True):
        for cutoff in CUTOFFS:
            cells = [Cell(layers, width, n) for n in CURVES]
            printed = {cell.curves: value for cell in cells if (value := cell.printed(cutoff)) is not None}
            look = {"linewidth": 0.6, "marker": "o", "markersize": 6, "fillstyle": "none"}
            axis.plot([*printed], [*printed.values()], color=style.colour("paper"), **look)
            here = there({cell.curves: found.get((cell, cutoff)) for cell in cells})
            line(axis, here, color=style.colour("ours"), marker="o", markersize=3.5, linestyle="none")
            if (layers, width) == (3, 128) and printed:
                axis.annotate(f"{cutoff} %", (CURVES[-1], printed[CURVES[-1]]), xytext=(7, 0), va="center",
                              textcoords="offset points", fontsize=8)  # fmt: skip
        axis.set(xscale="log", title=f"{layers} × {width}", xlim=(6e4, 4e7))
    figure.supxlabel("training curves", fontsize=9)
    figure.supylabel("log-likelihood, nats per point (higher is better)", fontsize=9)
    return {"sizes": figure}


def tabulate(rows: Rows, found: Estimates) -> Rows:
    """Of each cell that is trained: what is printed, and what its recipe gives here, with the number of seeds."""
    made = []
    for cell in dict.fromkeys(cell for cell, _ in found if cell != PRECISION):
        seeds = where(rows["rows"], **cell._asdict())["seed"].nunique()
        numbers = {f"{c} %, {whose}": text for c in CUTOFFS for whose, text in
                   (("printed", cell.printed_text(c) or "–"), ("here", in_cell(found.get((cell, c)), ".3f")))}  # fmt: skip
        made.append({"layers × width, curves": cell.label, "seeds": seeds} | numbers)
    return {"cells": pd.DataFrame(made)}
