"""Guards what is asked of the paper's recipe and of ours where no published answer holds the arithmetic."""

import numpy as np
import pandas as pd
import pytest

from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import accuracy
from reproduce.reproduction._grid_cells import CURVES, GRID, Cell
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.reproduction.grid import question as grid

NEAR = dict.fromkeys(CUTOFFS, (-0.01, 0.002))


def as_printed(method: str, printed: str, leads: dict[int, tuple[float, float]], luck: float = 0.0):
    """The claim about rows in which a method lies (lead, standard error) away from what is printed."""
    rows = [
        {"method": method, "cutoff": c, "ll_even": log_likelihood(printed, c) + lead, "ll_even_se": se, "ll_se": luck,
         "n": 10_000}
        for c, (lead, se) in leads.items()
    ]  # fmt: skip
    found = accuracy.farthest_from_printed(pd.DataFrame(rows))
    (claim,) = (one for one in accuracy.trained_as_printed(found) if one.tested())
    return claim


def test_the_largest_gap_counts_on_either_side():
    """Reproduced means near: too good is as far off as too bad; a wide interval or the luck of curves leaves it open."""
    near = as_printed("P1", "P1", NEAR)
    assert near.name == "reproduces_p1" and near.value == pytest.approx(0.01) and near.holds() is True
    for far in (0.05, -0.05):
        assert as_printed("P1", "P1", NEAR | {20: (far, 0.002)}).holds() is False
    assert as_printed("P1", "P1", NEAR | {10: (-0.01, 0.015)}).holds() is None
    assert as_printed("P1", "P1", NEAR, luck=0.02).holds() is None


NOISE = np.random.default_rng(0).normal(size=2000)


def grid_rows(levels: dict[tuple[str, Cell], float], own_noise: float = 0.1) -> dict[str, pd.DataFrame]:
    """Every curve of a training scores its level, noise that all trainings share, and some of its own."""
    rows, each = [], []
    for number, ((recipe, cell), level) in enumerate(levels.items()):
        own = np.random.default_rng(number + 1).normal(size=len(NOISE))
        scores = level + NOISE + own_noise * (own - own.mean())
        each.append(pd.DataFrame({f"at{c}": scores for c in CUTOFFS}).assign(part=cell.part(recipe)))
        about = {
            "recipe": recipe,
            **cell._asdict(),
            "n": 10_000,
            "ll_even": level,
            "ll_even_se": 0.001,
            "ll_se": 0.01,
        }
        rows += [about | {"cutoff": c} for c in CUTOFFS]
    return {"rows": pd.DataFrame(rows), "each": pd.concat(each)}


def order(levels: dict[tuple[str, Cell], float], recipe: str, step: str, **noise: float):
    return grid.claim_of_order(grid.estimates(grid_rows(levels, **noise)), recipe, step)


def test_order_holds_fails_or_is_open_as_the_pairs_are_sure():
    """A pair counts as ordered only if its interval says so, as reversed only if it says that; three pairs are the fewest."""

    def more_is_better(few: float, many: float, sizes: int = 3, **noise: float):
        levels = {("ours", cell): few for cell in GRID[:sizes]}
        levels |= {("ours", cell._replace(curves=CURVES[1])): many for cell in GRID[:sizes]}
        return order(levels, "ours", "more", **noise)

    assert more_is_better(1.0, 1.5).holds() is True
    assert more_is_better(1.5, 1.0).holds() is False
    unsure = more_is_better(1.0, 1.001, own_noise=1.0)
    assert unsure.found[1:] == (0, 1) and unsure.holds() is None
    for sizes, said in (
        (2, "2 pairs of networks, compared 8 times"),
        (1, "1 pair of networks, compared 4 times"),
    ):
        some = more_is_better(1.0, 1.5, sizes)
        assert some.value == 1 and not some.tested() and f"(here {said})" in some.asks


def test_neighbours_are_one_step_apart_in_one_thing():
    """Of four corners of a square of sizes there are four pairs; two steps, or five times the curves, are not a step."""
    square = {("paper", Cell(layers, width, CURVES[0])): 1.0 for layers in (3, 6) for width in (128, 256)}
    assert "4 pairs of networks, compared 16 times" in order(square, "paper", "bigger").asks
    assert order(square, "paper", "more").value is None
    apart = {("paper", GRID[0]): 1.0, ("paper", GRID[2]): 2.0}
    assert order(apart, "paper", "bigger").value is None
    beside = {("ours", Cell(3, 128, 196_608)): 1.0, ("ours", Cell(3, 128, CURVES[1])): 2.0}
    assert order(beside, "ours", "more").value is None
