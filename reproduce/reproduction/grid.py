"""Do the paper’s 27 networks come out as printed, trained again on curves that are the same on every machine?"""

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.training.train import TrainConfig
from presswork import Above, AtMost, Claim, Estimates, Interval, Rows, in_cell, style, there, where
from presswork.estimates import line, those_of
from presswork.intervals import fewest, named
from reproduce.pictures.panels import dots, legend
from reproduce.reproduction._grid_cells import (
    CELL,
    CURVES,
    GRID,
    LAYERS,
    STEPS,
    WIDTHS,
    Cell,
    Luck,
    below_print,
    between,
    claim_of_order,
    farthest_from_print,
    in_order,
    lead,
    luck,
    measured,
    pairs,
)
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.trainings import TINY_PAPER

# In the order in which hours are best spent: what is tested per hour. Three seeds have those whose printed scores differ by so
# little from their neighbours’ that seeds decide which is ahead, and two larger ones, whose seeds may lie farther apart.
FIRST = [Cell(*size, 100_000) for size in ((3, 128), (6, 128), (3, 256), (12, 128), (6, 256))]
THEN = [Cell(3, 128, 1_000_000), Cell(6, 128, 1_000_000), Cell(3, 512, 100_000), Cell(12, 256, 100_000),
        Cell(3, 256, 1_000_000), Cell(12, 128, 1_000_000), Cell(6, 512, 100_000), Cell(6, 256, 1_000_000),
        Cell(12, 512, 100_000)]  # fmt: skip
AGAIN = [Cell(3, 512, 100_000), Cell(12, 256, 100_000), Cell(6, 128, 1_000_000), Cell(12, 128, 1_000_000)]
SEEDS = (1, 2)
NATS = "nats per point"
# In single precision as well: the smallest, and the one that is farthest from print.
SINGLE = {f"{cell.part(0)}-fp32": cell for cell in (Cell(3, 128, 100_000), Cell(3, 512, 100_000))}
PRECISION = "half − single"


def whole_grid() -> dict[str, TrainConfig]:
    """Every cell once, and some with further seeds. Cells of one seed see the same curves, on any device."""
    order = [(cell, 0) for cell in FIRST] + [(cell, seed) for seed in SEEDS for cell in FIRST]
    order += [(cell, 0) for cell in THEN] + [(cell, seed) for seed in SEEDS for cell in AGAIN]
    order += [(cell, 0) for cell in sorted(GRID, key=lambda cell: cell.cost)]
    trainings = {cell.part(seed): recipe(cell, seed) for cell, seed in order}
    return trainings | {name: replace(recipe(cell, 0), precision="fp32") for name, cell in SINGLE.items()}


def recipe(cell: Cell, seed: int) -> TrainConfig:
    """The paper’s, with curves by their number and products in half precision, which some processors compute faster."""
    paper = TrainConfig.paper(cell.width, cell.layers, cell.curves, seed)
    return replace(paper, draws="number", precision="bf16")


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=whole_grid)
    curves: int = 10_000  # all of the test set


def tiny(layers: int, width: int, curves: int, seed: int) -> TrainConfig:
    model = replace(TINY_PAPER.model, layers=layers, width=width)
    return replace(TINY_PAPER, model=model, curves=curves, draws="number", seed=seed)


TINY = {f"1x16-3k-{seed}": tiny(1, 16, 3200, seed) for seed in (0, 1)} | {
    f"{layers}x{width}-320-{seed}": tiny(layers, width, 320, seed)
    for layers, width, seed in ((1, 16, 0), (1, 16, 1), (1, 32, 0), (1, 32, 1), (2, 16, 0), (2, 32, 0))
}  # neighbours in size and in curves, with two seeds and with one
SCALES = {
    "smoke": Config(TINY, curves=40),
    "laptop": Config(TINY, curves=500),  # even the smallest network of the grid takes too long
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = {"models.precision": "in half precision, sums depend on the processor"}
NOT_TESTED = {"more_is_better": "too few of the networks of paper scale have been trained"}
ON_REQUEST = "python -m reproduce train --queue grid"
TABLES = {
    "rows": (
        "layers", "width", "curves", "seed", "precision", "parameters", "core_minutes", "hardware",
        "method", "cutoff", "n", "ll_even", "ll_even_se", "ll", "ll_se",
    ),
    "each": tuple(f"at{cutoff}" for cutoff in CUTOFFS),
    "history": ("curves", "loss", "seconds"),
}  # fmt: skip
STOPWATCHES = ("history.seconds", "rows.core_minutes", "rows.hardware")


CLAIMS = {"bigger": "larger_is_better", "more": "more_is_better"}
DRAWN = ("bigger", "wider", "more")
# That width brings more than depth, late in a curve, was seen on the first of these pairs: the others have to show it.
SEEN_ON, LATE = Cell(3, 256, 100_000), CUTOFFS[1:]
PLANNED = {
    "wider": ("width_beats_depth", "twice the width score higher than twice the depth"),
    "equal": (
        "width_beats_equal_weights",
        "twice the width score higher than four times the depth at similar size",
    ),
}
PARTS = "{model}"


def needs(config: Config, model: str) -> list[TrainConfig]:
    """Each network waits for its own training alone."""
    return [config.models[model]]


def measure(config: Config, model: str) -> Rows:
    tables = measured(model, config.models[model], config.curves)
    return tables | {"rows": tables["rows"][list(TABLES["rows"])]}


def estimates(rows: Rows) -> Estimates:
    """{(cell, cutoff): score, over seeds and test curves; (step, below, above, cutoff): how far a cell is ahead of its
    neighbour; ("seed", step, below, above, cutoff, seed): of one seed; ("of a seed", cutoff): the standard deviation of a
    network’s score from seed to seed; (PRECISION, layers, width, cutoff): how far half precision is above single precision,
    from the same seed; ("below print", *cell, cutoff); ("parameters", layers, width); ("cells", "trained" or "all"); those
    of `counted`}, and claims by name."""
    found, made = Estimates(), rows["rows"][~rows["rows"]["method"].isin(SINGLE)]
    alone, apart = (
        {c: luck(own, *paired) for c, own in made.groupby("cutoff")} for paired in ((), ("seed",))
    )
    for (*cell, cutoff), own in made.groupby([*CELL, "cutoff"]):
        curves = Interval.with_error(
            own["ll_even"].mean(), own["ll_even_se"].iloc[0], (("curves", int(own["n"].iloc[0])),)
        )
        score = found[Cell(*cell), cutoff] = alone[cutoff].widened(curves, len(own))
        found |= there({("below print", *cell, cutoff): below_print(Cell(*cell), own, score)})
    for c, of in ((c, of) for c, of in alone.items() if of.free):
        found["of a seed", c] = Interval.of_sd(of.sd, of.free, named("training", of.trainings))
    cells: dict[Cell, dict[int, str]] = {}  # the names of its trainings, by seed
    for _, one in made.iterrows():
        cell = Cell(one["layers"], one["width"], one["curves"])
        cells.setdefault(cell, {})[one["seed"]] = one["method"]
        found |= there({("parameters", *cell[:2]): Interval.exactly(one["parameters"])})
    for step in STEPS:
        found |= compared(rows["each"], cells, step, apart)
    for step, claim in CLAIMS.items():
        found |= there({claim: in_order([*those_of(found, step).values()], len(neighbours(found, step)))})
    found |= there({claim: of_new_pairs(found, step) for step, (claim, _) in PLANNED.items()})
    both = [(name, cell, c) for name, cell in SINGLE.items() for c in CUTOFFS]
    half = {(*cell[:2], c): lead(rows["each"], cell.part(0), name, c) for name, cell, c in both}
    above = {(PRECISION, *key): Interval.of_many(curves) for key, curves in half.items()}
    trained = Interval.exactly(sum(cell in GRID for cell in cells))
    count = {("cells", "trained"): trained, ("cells", "all"): Interval.exactly(len(GRID))}
    return found | there({"as_printed": farthest_from_print(made)} | above | count) | counted(found)


def of_new_pairs(found: Estimates, step: str) -> Interval | None:
    """The smallest late lead of the pairs that did not suggest the test. Each is corrected for all of them already."""
    all_leads = those_of(found, step).items()
    leads = [one for (_, above, c), one in all_leads if above != SEEN_ON and c in LATE]
    if not leads:
        return None
    value, low, high = map(min, zip(*leads, strict=True))
    return Interval(value, low, high, fewest(*leads), len(leads))


def counted(found: Estimates) -> Estimates:
    """Pairs, comparisons, and those in which the second network is ahead, or clearly so; by what factor weights differ."""
    numbers: dict[Any, float] = {}
    for step in STEPS:
        leads = those_of(found, step)
        numbers["pairs", step], numbers["compared", step] = len(neighbours(found, step)), len(leads)
        numbers["ahead", step] = sum(one.value > 0 for one in leads.values())
        clear = [pair for (*pair, _), one in leads.items() if one.low > 0]
        numbers["clear", step] = len(clear)
        numbers["clear in depth", step] = sum(below.layers < above.layers for below, above in clear)
        for pair in neighbours(found, step):
            below, above = (found["parameters", *cell[:2]].value for cell in pair)
            numbers["weights", step, *pair] = above / below
    return there({key: Interval.exactly(number) for key, number in numbers.items()})


def compared(
    each: pd.DataFrame, cells: dict[Cell, dict[int, str]], step: str, apart: dict[int, Luck]
) -> Estimates:
    """How far the second of two neighbours is ahead, from the seeds that both have, corrected for all that are compared."""
    seeds = {pair: cells[pair[0]].keys() & cells[pair[1]].keys() for pair in pairs(cells, step)}
    tested = [(*pair, cutoff) for pair in seeds if seeds[pair] for cutoff in CUTOFFS if apart[cutoff].free]
    found: dict[Any, Interval | None] = {}
    for key in tested:
        below, above, cutoff = key
        both = {seed: (cells[above][seed], cells[below][seed]) for seed in sorted(seeds[below, above])}
        by_seed = {seed: lead(each, *names, cutoff) for seed, names in both.items()}
        mean = Interval.of_many(pd.DataFrame(by_seed).mean(axis=1).rename_axis("curve"))
        found[step, *key] = mean and apart[cutoff].widened(mean, len(both), networks=2, among=len(tested))
        found |= {("seed", step, *key, seed): Interval.of_many(curves) for seed, curves in by_seed.items()}
    return there(found)


def claims(found: Estimates) -> list[Claim]:
    count = {step: len(neighbours(found, step)) for step in CLAIMS}
    asks = "Do all networks trained here score within a twentieth of a nat of what the paper prints for them?"
    near = Claim("as_printed", asks, "as_printed", AtMost(0.05), NATS)
    planned = []
    for step, (name, what) in PLANNED.items():
        new = sum(above != SEEN_ON for _, above in neighbours(found, step))
        asks = f"From 20 % of the epochs on, does {what} in all pairs but the one that suggested it (so far {new})?"
        planned.append(Claim(name, asks, name, Above(0), NATS))
    return [near, *planned] + [claim_of_order(name, step, count[step]) for step, name in CLAIMS.items()]


def neighbours(found: Estimates, step: str) -> list[tuple[Cell, Cell]]:
    return list(dict.fromkeys((below, above) for below, above, _ in those_of(found, step)))


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
    return {"sizes": figure, "pairs": draw_pairs(found)}


def draw_pairs(found: Estimates) -> Figure:
    """A panel a cutoff, a row a pair of neighbours. Bars that are wider than the panel leave it."""
    rows = {step: some for step in DRAWN if (some := neighbours(found, step))} or {"bigger": []}
    heights = [max(1, len(some)) for some in rows.values()]
    figure, axes = plt.subplots(len(rows), len(CUTOFFS), squeeze=False, sharex="row", sharey="row", height_ratios=heights,
                                figsize=(7.0, 1.4 + 0.44 * sum(heights)))  # fmt: skip
    for line_of_axes, (step, some) in zip(axes, rows.items(), strict=True):
        for axis, cutoff in zip(line_of_axes, CUTOFFS, strict=True):
            axis.axvline(0, color=style.ink(), linewidth=0.8)
            for y, pair in enumerate(some):
                draw_lead(axis, found, y, step, *pair, cutoff)
        printed = [
            one for pair in some for cutoff in CUTOFFS if (one := printed_lead(*pair, cutoff)) is not None
        ]
        values = [0.0, *printed, *(one.value for one in those_of(found, step).values())]
        axis.set(xlim=(min(values) - 0.08, max(values) + 0.08), ylim=(max(1, len(some)) - 0.5, -0.5))
        axis.set_yticks(range(len(some)), [labelled(found, step, *pair) for pair in some], fontsize=8.5)
    for axis, cutoff in zip(axes[0], CUTOFFS, strict=True):
        axis.set_title(f"after {cutoff} %")
    figure.supxlabel("score of the second minus score of the first, nats per point", fontsize=9)
    legend(figure, axes[0])
    return figure


def draw_lead(axis: Axes, found: Estimates, y: int, step: str, below: Cell, above: Cell, cutoff: int) -> None:
    """The printed difference, below it ours, and where there are several seeds a mark for each."""
    ours: dict[str, Any] = {"color": style.colour("ours")}
    if (printed := printed_lead(below, above, cutoff)) is not None:
        hollow: dict[str, Any] = {"color": style.colour("paper"), "markersize": 6, "fillstyle": "none"}
        axis.plot(printed, y - 0.16, "o", label="as printed", **hollow)
    seeds = those_of(those_of(found, "seed"), step)
    each = [mine.value for (*key, _), mine in seeds.items() if key == [below, above, cutoff]]
    if len(each) > 1:
        axis.plot(each, [y + 0.16] * len(each), "|", markersize=9, label="one seed of several", **ours)
    ours |= {"linestyle": "none", "elinewidth": 1.2, "marker": "o", "markersize": 4.5}
    dots(axis, [(y + 0.16, found.get((step, below, above, cutoff)))], label="trained here", **ours)


def printed_lead(below: Cell, above: Cell, cutoff: int) -> float | None:
    one, other = above.printed(cutoff), below.printed(cutoff)
    return None if one is None or other is None else one - other


def labelled(found: Estimates, step: str, below: Cell, above: Cell) -> str:
    """A pair, and how many seeds it has in common."""
    n = dict(found[step, below, above, CUTOFFS[0]].over).get("seeds", 1)
    return f"{between(below, above)}\n{n} seed{'s' * (n > 1)}"


def tabulate(rows: Rows, found: Estimates) -> Rows:
    """Of each cell that is trained: what is printed, and what its recipe gives here, with the number of seeds."""
    made = []
    for cell in dict.fromkeys(key[0] for key in found if isinstance(key[0], Cell)):
        seeds = where(rows["rows"], **cell._asdict())["seed"].nunique()
        numbers = {f"{c} %, {whose}": text for c in CUTOFFS for whose, text in
                   (("printed", cell.printed_text(c) or "–"), ("here", in_cell(found.get((cell, c)), ".3f")))}  # fmt: skip
        millions = found["parameters", *cell[:2]].value / 1e6
        about = {"layers × width, curves": cell.label, "million weights": f"{millions:.1f}", "seeds": seeds}
        made.append(about | numbers)
    return {"cells": pd.DataFrame(made)}
