"""Do the paper’s 27 networks come out as printed?"""

import math
from dataclasses import dataclass, field

import pandas as pd
from matplotlib.figure import Figure

from curvecast.training.train import TrainConfig
from presswork import Above, Between, Claim, Estimates, Interval, Rows, in_cell, there, where
from presswork.estimates import of_each_end, those_of, with_errors
from reproduce.reproduction import _grid_cells
from reproduce.reproduction._grid_cells import CORNER, GRID, LARGER, Cell, lead, measured, pairs, whole_grid
from reproduce.reproduction._printed_scores import CUTOFFS, from_printed
from reproduce.reproduction.grid import beside_print
from reproduce.trainings import SMALL, TINY, TINY_PAPER

NATS = "nats per point"
RECIPES = {"paper": "the paper’s", "ours": "ours"}
WHOSE = {"paper": "the paper’s", "ours": "our"}
CELL, ABOVE = "layers × width, curves", "above print"


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=whole_grid)
    curves: int = 10_000  # all of the test set


SCALES = {
    "smoke": Config({"paper-1x16-3k": TINY_PAPER, "ours-1x16-3k": TINY["1x16"]}, curves=40),
    # even the smallest network of the grid takes too long
    "laptop": Config({"ours-2x96-60k": SMALL["2x96"], "ours-3x128-197k": SMALL["3x128"]}, curves=2000),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = {"models.precision": "in half precision, sums depend on the processor"}
NOT_TESTED = dict.fromkeys(
    ("paper_bigger_is_better", "paper_more_is_better", "ours_bigger_is_better", "ours_more_is_better"),
    "too few of the networks of paper scale have been trained",
)  # fmt: skip
TABLES = {
    "rows": (
        "recipe", "layers", "width", "curves", "parameters", "minutes", "hardware",
        "method", "cutoff", "n", "ll_even", "ll_even_se", "ll", "ll_se",
    ),
    "each": tuple(f"at{cutoff}" for cutoff in CUTOFFS),
    "history": ("curves", "loss", "seconds"),
}  # fmt: skip
STOPWATCHES = ("history.seconds", "rows.minutes", "rows.hardware")


PARTS = "{model}"


def needs(config: Config, model: str) -> list[TrainConfig]:
    """Each network waits for its own training alone."""
    return [config.models[model]]


def measure(config: Config, model: str) -> Rows:
    tables = measured(model, config.models[model], config.curves)
    rows = tables["rows"].assign(recipe=model.split("-")[0])
    return tables | {"rows": rows[list(TABLES["rows"])]}


def estimates(rows: Rows) -> Estimates:
    """{(recipe, cell, cutoff): score, in the grid or beside it; (ABOVE, cell, cutoff): how far the paper's recipe is above
    what is printed, ("reproduced", "printed", cell, cutoff); ("trained", "parameters" or "minutes", recipe, cell);
    ("done", recipe or "all"): cells of the grid}, and claims by their names."""
    found = with_errors(rows["rows"], ["recipe", "layers", "width", "curves", "cutoff"], "ll_even")
    found = {(recipe, Cell(*cell), cutoff): one for (recipe, *cell, cutoff), one in found.items()}
    for _, row in where(rows["rows"], recipe="paper").iterrows():
        cell, cutoff = Cell(row["layers"], row["width"], row["curves"]), row["cutoff"]
        if (printed := cell.printed(cutoff)) is not None:
            found[ABOVE, cell, cutoff] = from_printed(row, printed, cell.read_error)
            found["reproduced", "printed", cell, cutoff] = Interval.with_error(printed, cell.read_error)
    for _, row in rows["rows"].drop_duplicates("method").iterrows():
        which = row["recipe"], Cell(row["layers"], row["width"], row["curves"])
        found["trained", "minutes", *which] = Interval.without_ends(row["minutes"])
        found |= there({("trained", "parameters", *which): Interval.exactly(row["parameters"])})
    ahead = (Interval.of_many(lead(rows["each"], cell.part("ours"), cell.part("paper"), 10)) for cell in GRID)
    orders = {
        f"{recipe}_{step}_is_better": in_order(rows["each"], recipe, pairs(trained_with(found, recipe), step))
        for recipe in RECIPES for step in LARGER
    }  # fmt: skip
    count = {recipe: sum(cell in GRID for cell in trained_with(found, recipe)) for recipe in RECIPES}
    cells = {("done", which): Interval.exactly(n) for which, n in (count | {"all": len(GRID)}).items()}
    return found | there({"ours_ahead_at_10": of_each_end(min, filter(None, ahead))} | orders | cells)


def trained_with(found: Estimates, recipe: str) -> list[Cell]:
    return sorted({cell for cell, _ in those_of(found, recipe)})


def in_order(each: pd.DataFrame, recipe: str, neighbours: list[tuple[Cell, Cell]]) -> Interval | None:
    """Seed-to-seed variation is not known and not counted."""
    named = [(above.part(recipe), below.part(recipe)) for below, above in neighbours]
    ahead = [Interval.of_many(lead(each, *names, cutoff)) for names in named for cutoff in CUTOFFS]
    return _grid_cells.in_order([one for one in ahead if one], len(neighbours))


def draw(found: Estimates) -> dict[str, Figure]:
    return {"grid": beside_print.draw(found)}


def tabulate(rows: Rows, found: Estimates) -> Rows:
    trained = trained_here(rows["rows"], found)
    return {"reproduced": reproduced(found), "trained": trained, "done": done(found)}


def reproduced(found: Estimates) -> pd.DataFrame:
    """A row for each cell of the grid: what is printed, and what its recipe gives here: 1.241 (+0.012 ± 0.014)."""
    made = []
    for cell in GRID:
        line = {CELL: cell.label}
        for c in CUTOFFS:
            one, gap = found.get(("paper", cell, c)), found.get((ABOVE, cell, c))
            line[f"{c} %"] = cell.printed_text(c) or "–"
            beside = one and gap and f"{one.value:.3f} ({gap.plus_minus('+.3f')})"
            line[f"{c} %, here"] = beside or in_cell(one, ".3f")
        made.append(line)
    return pd.DataFrame(made)


def trained_here(rows: pd.DataFrame, found: Estimates) -> pd.DataFrame:
    """Machine, minutes and speed of each training."""
    made = []
    for _, one in rows.drop_duplicates("method").iterrows():
        recipe, cell = one["recipe"], Cell(one["layers"], one["width"], one["curves"])
        weights, minutes = (found["trained", of, recipe, cell].value for of in ("parameters", "minutes"))
        made.append({
            "network": f"{RECIPES[recipe]}: {cell.label}", "parameters": f"{weights:,.0f}", "minutes": f"{minutes:.1f}",
            "curves per second": f"{cell.curves / 60 / minutes:,.0f}", "curves scored": f"{one['n']:,.0f}",
            "machine": one["hardware"],
        })  # fmt: skip
    return pd.DataFrame(made)


def done(found: Estimates) -> pd.DataFrame:
    """How much of the grid there is."""
    made = []
    for recipe, name in RECIPES.items():
        there = [cell for cell in trained_with(found, recipe) if cell in GRID]
        minutes = sum(found["trained", "minutes", recipe, cell].value for cell in there)
        count = f"{len(there)} of {len(GRID)}"
        made.append({"recipe": name, "networks trained": count, "minutes in all": f"{minutes:.0f}"})
    return pd.DataFrame(made)


def claims(found: Estimates) -> list[Claim]:
    """Of single networks the smallest, which a laptop can train, and the cheapest that is printed as numbers."""
    million, ahead = CORNER.longer()[0], found.get("ours_ahead_at_10")
    stated = [one_as_printed(found, "corner_as_printed", CORNER, 10)]
    stated += [one_as_printed(found, f"million_as_printed_at_{c}", million, c) for c in (10, 20)]
    asks = (
        "After 10 % of the epochs, does our recipe score higher than the paper’s for every network trained once "
        f"with each ({ahead.rivals if ahead else 0} of {len(GRID)})?"
    )
    stated.append(Claim("ours_ahead_at_10", asks, ahead, Above(0), NATS))
    return [*stated, *(claim_of_order(found, recipe, step) for recipe in RECIPES for step in LARGER)]


def one_as_printed(found: Estimates, name: str, cell: Cell, cutoff: int) -> Claim:
    """One network beside its printed score; 0.05 is allowed for seed-to-seed variation."""
    printed, gap = cell.printed(cutoff) or math.nan, found.get((ABOVE, cell, cutoff))
    shown = "the paper shows in a figure" if cell.read_error else "printed"
    asks = (
        f"After {cutoff} % of the epochs, does this {cell.layers} × {cell.width} network, trained with the paper’s recipe on "
        f"{cell.amount} curves, score about as {shown}?"
    )
    near = Between(round(printed - 0.05, 3), round(printed + 0.05, 3))
    return Claim(name, asks, gap and gap.ends(*(printed + number for number in gap)), near, NATS, printed)


def claim_of_order(found: Estimates, recipe: str, step: str) -> Claim:
    neighbours = pairs(trained_with(found, recipe), step)
    return _grid_cells.claim_of_order(f"{recipe}_{step}_is_better", WHOSE[recipe], step, len(neighbours))
