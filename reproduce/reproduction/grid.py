"""Do the paper’s 27 networks come out as printed, trained again on curves that are the same on every machine?"""

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from curvecast.training.train import TrainConfig
from presswork import Above, AtMost, Claim, Estimates, Interval, Rows, in_cell, there, where
from presswork.estimates import those_of
from presswork.intervals import fewest, named
from reproduce.reproduction import _grid_pictures
from reproduce.reproduction._grid_cells import (
    CELL,
    GRID,
    SINGLE,
    STEPS,
    Cell,
    Luck,
    below_print,
    claim_of_order,
    farthest_from_print,
    in_order,
    lead,
    luck,
    mean_score,
    measured,
    neighbours,
    pairs,
)
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.trainings import TINY_PAPER

# In the order in which hours are best spent: what is tested per hour. Three seeds go to cells whose printed scores differ so
# little from their neighbours’ that seeds decide which is ahead, and to two larger ones, whose seeds may lie farther apart.
FIRST = [Cell(*size, 100_000) for size in ((3, 128), (6, 128), (3, 256), (12, 128), (6, 256))]
THEN = [Cell(3, 128, 1_000_000), Cell(6, 128, 1_000_000), Cell(3, 512, 100_000), Cell(12, 256, 100_000),
        Cell(3, 256, 1_000_000), Cell(12, 128, 1_000_000), Cell(6, 512, 100_000), Cell(6, 256, 1_000_000),
        Cell(12, 512, 100_000)]  # fmt: skip
AGAIN = [Cell(3, 512, 100_000), Cell(12, 256, 100_000), Cell(6, 128, 1_000_000), Cell(12, 128, 1_000_000)]
SEEDS = (1, 2)
NATS = "nats per point"
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
LABEL_FREE = {"as_printed": "a training is known by its layers, its width and its curves, which are numbers"}
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
    """{(cell, cutoff): score, over seeds and test curves; ("below print", *cell, cutoff); ("a seed below print",
    *cell, cutoff, seed); (step, below, above, cutoff): how far a cell is ahead of its neighbour; ("seed", step, below, above,
    cutoff, seed): of one seed; ("of a seed", width, cutoff): standard deviation of a network’s score from seed to seed;
    (PRECISION, layers, width, cutoff): how far half precision is above single precision, from the same seed; ("parameters",
    layers, width); ("cells", "trained" or "all"); those of `counted`}, and claims by name."""
    found, made = Estimates(), rows["rows"][~rows["rows"]["method"].isin(SINGLE)]
    variation = {key: luck(own) for key, own in made.groupby(["width", "cutoff"])}
    for (*size, cutoff), own in made.groupby([*CELL, "cutoff"]):
        cell = Cell(*size)
        score = found[cell, cutoff] = variation[cell.width, cutoff].widened(mean_score(own), len(own))
        found |= there({("below print", *cell, cutoff): below_print(cell, own, score)})
        for seed, one in own.groupby("seed"):
            apart = below_print(cell, one, mean_score(one))
            found |= there({("a seed below print", *cell, cutoff, seed): apart})
    for key, of in ((key, of) for key, of in variation.items() if of.free):
        found["of a seed", *key] = Interval.of_sd(of.sd, int(of.free), named("training", of.trainings))
    cells: dict[Cell, dict[int, str]] = {}  # the names of its trainings, by seed
    for _, one in made.iterrows():
        cell = Cell(one["layers"], one["width"], one["curves"])
        cells.setdefault(cell, {})[one["seed"]] = one["method"]
        found |= there({("parameters", *cell[:2]): Interval.exactly(one["parameters"])})
    for step in STEPS:
        found |= compared(rows["each"], cells, step, variation)
    for step, claim in CLAIMS.items():
        found |= there({claim: in_order([*those_of(found, step).values()], len(neighbours(found, step)))})
    found |= there({claim: of_new_pairs(found, step) for step, (claim, _) in PLANNED.items()})
    above = {
        (PRECISION, *cell[:2], c): Interval.of_many(lead(rows["each"], cell.part(0), name, c))
        for name, cell in SINGLE.items()
        for c in CUTOFFS
    }
    trained = Interval.exactly(sum(cell in GRID for cell in cells))
    count = {("cells", "trained"): trained, ("cells", "all"): Interval.exactly(len(GRID))}
    return found | there({"as_printed": farthest_from_print(rows["rows"])} | above | count) | counted(found)


def of_new_pairs(found: Estimates, step: str) -> Interval | None:
    """The smallest late lead of the pairs that did not suggest the test. Each is corrected for all of them already."""
    all_leads = those_of(found, step).items()
    leads = [one for (_, above, c), one in all_leads if above != SEEN_ON and c in LATE]
    if not leads:
        return None
    value, low, high = map(min, zip(*leads, strict=True))
    return Interval(value, low, high, fewest(*leads), len(leads))


def counted(found: Estimates) -> Estimates:
    """Pairs, comparisons, and those in which the second network is ahead, or clearly so."""
    numbers: dict[Any, float] = {}
    for step in STEPS:
        leads = those_of(found, step).values()
        numbers["pairs", step], numbers["compared", step] = len(neighbours(found, step)), len(leads)
        numbers["ahead", step] = sum(one.value > 0 for one in leads)
        numbers["clear", step] = sum(one.low > 0 for one in leads)
    return there({key: Interval.exactly(number) for key, number in numbers.items()})


def compared(
    each: pd.DataFrame, cells: dict[Cell, dict[int, str]], step: str, variation: dict[tuple[int, int], Luck]
) -> Estimates:
    """How far the second of two neighbours is ahead, from the seeds that both have, corrected for all that are compared."""
    seeds = {pair: cells[pair[0]].keys() & cells[pair[1]].keys() for pair in pairs(cells, step)}
    keys = [(*pair, c) for pair, both in seeds.items() if both for c in CUTOFFS]
    apart = {
        key: variation[key[0].width, key[-1]].of_difference(variation[key[1].width, key[-1]]) for key in keys
    }
    tested = [key for key in keys if apart[key].free]
    found: dict[Any, Interval | None] = {}
    for key in tested:
        below, above, cutoff = key
        both = {seed: (cells[above][seed], cells[below][seed]) for seed in sorted(seeds[below, above])}
        by_seed = {seed: lead(each, *names, cutoff) for seed, names in both.items()}
        mean = Interval.of_many(pd.DataFrame(by_seed).mean(axis=1).rename_axis("curve"))
        found[step, *key] = mean and apart[key].widened(mean, len(both), among=len(tested))
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


def draw(found: Estimates) -> dict[str, Figure]:
    return {"sizes": _grid_pictures.sizes(found), "pairs": _grid_pictures.pairs(found)}


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
