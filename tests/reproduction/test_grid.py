"""Guards reproduce/reproduction/grid/question.py: honest differences, how much of the grid there is, and what its claims do
with the rows."""

import numpy as np
import pandas as pd
import pytest

from reproduce.reproduction._grid_cells import CORNER, CURVES, GRID, Cell, training, whole_grid
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.reproduction.grid import question as grid
from reproduce.trainings import LARGE, SMALL

CONFIG = grid.SCALES["paper"]
NOISE = np.random.default_rng(0).normal(size=10_000)


def rows(levels: dict[tuple[str, Cell], float], own_noise: float = 0.1) -> dict[str, pd.DataFrame]:
    """Every curve of a training scores its level, noise that all trainings share, and some of its own."""
    table, each, history = [], [], []
    for number, ((recipe, cell), level) in enumerate(levels.items()):
        own = np.random.default_rng(number + 1).normal(size=len(NOISE))
        scores = level + NOISE + own_noise * (own - own.mean())
        part = cell.part(recipe)
        each.append(pd.DataFrame({f"at{c}": scores for c in CUTOFFS}).assign(part=part))
        history.append(
            pd.DataFrame({"part": part, "curves": [100, 200], "loss": [1.0, 0.5], "seconds": [1, 2]})
        )
        table += [
            {"part": part, "recipe": recipe, "layers": cell.layers, "width": cell.width, "curves": cell.curves,
             "parameters": 1e6, "minutes": 2.0, "hardware": "a machine", "method": part, "cutoff": cutoff,
             "n": len(NOISE), "ll_even": level, "ll_even_se": 0.001, "ll": level, "ll_se": 0.01}
            for cutoff in CUTOFFS
        ]  # fmt: skip
    return {"rows": pd.DataFrame(table), "each": pd.concat(each), "history": pd.concat(history)}


def claims(levels: dict[tuple[str, Cell], float], **noise: float) -> dict:
    return {claim.name: claim for claim in grid.claims(rows(levels, **noise))}


def paper(*cells: Cell, off: float = 0.0) -> dict[tuple[str, Cell], float]:
    """Cells that come out as printed at a cutoff of 10 %, or off by so much."""
    return {("paper", cell): cell.printed(10) + off for cell in cells}


# ---------------------------------------------------------------------------------------------- the cells


def test_the_trainings_that_other_questions_share_are_the_same():
    """P1, P2, ours and P3 come first and are exactly those of trainings.py: no GPU minute is spent twice."""
    first = ["paper-3x128-10M", "paper-3x256-10M", "ours-6x256-10M", "paper-12x512-10M"]
    every = whole_grid()
    assert list(every)[:4] == first and len(every) == 54
    assert [every[name] for name in first] == list(LARGE.values())


def test_after_the_first_four_the_cheapest_come_first():
    """Layers, width squared and curves make the cost."""
    costs = [c.model.layers * c.model.width**2 * c.curves for c in list(whole_grid().values())[4:]]
    assert costs == sorted(costs)


def test_our_recipe_is_one_for_few_curves_and_one_for_a_gpu():
    """At 100k curves the settings of the small models, beyond them those of the large one."""
    few, many = training("ours", CORNER), training("ours", CORNER._replace(curves=CURVES[1]))
    assert (few.batch, few.precision) == (SMALL["3x128"].batch, SMALL["3x128"].precision)
    assert (many.batch, many.cutoffs, many.precision) == (250, 250, "bf16")
    assert {c.model.heads for name, c in whole_grid().items() if name.startswith("ours")} == {4}


def test_every_cell_is_printed_or_read_off_a_figure_with_an_error():
    """25 in Table 5 at every cutoff; two more are read off at 10 % alone."""
    printed, read = ([c for c in GRID if (c.printed(80) is not None) is there] for there in (True, False))
    assert len(printed) == 25 and {cell.read_error for cell in printed} == {0.0}
    assert len(read) == 2 and {cell.read_error for cell in read} == {0.003}
    assert all(cell.printed(10) for cell in GRID) and Cell(12, 512, CURVES[2]).printed(10) == 1.758


# ---------------------------------------------------------------------------------------------- tables


def test_an_incomplete_grid_says_how_much_of_it_there_is():
    """n of 27 counts cells of the grid alone; what was not run is an ellipsis beside what is printed."""
    beside = Cell(3, 128, 196_608)
    tables = grid.tabulate(rows(paper(*GRID[:2]) | {("ours", beside): 1.6}), CONFIG)
    done = tables["done"].set_index("recipe")["networks trained"]
    assert list(done) == ["2 of 27", "0 of 27"]
    table = tables["reproduced"].set_index("layers × width, curves")
    assert len(table) == 27
    assert table.loc["3 × 128, 100k", "10 %, here"] == "1.229 (+0.000 ± 0.021)"
    assert table.loc["3 × 128, 100k", "20 %"] == "–"  # not printed, but run
    assert table.loc["3 × 128, 100k", "20 %, here"] == "1.229 ± 0.002"
    assert table.loc["3 × 512, 100k", "10 %, here"] == "…"
    ours = tables["ours"].set_index("layers × width, curves")
    assert list(ours.index) == ["3 × 128, 197k"] and ours.loc["3 × 128, 197k", "10 %, lead"] == "…"


def test_a_printed_number_keeps_the_luck_of_its_curves():
    """Ours has its luck taken out, theirs has not: the error of the difference is at least theirs."""
    gap = grid.from_printed(rows(paper(CORNER, off=0.1))["rows"].iloc[0], CORNER.printed(10))
    assert gap.value == pytest.approx(0.1)
    assert gap.half == pytest.approx(1.96 * np.hypot(0.01, 0.001) + 0.0005)


@pytest.mark.parametrize("cells", [GRID[:1], GRID[:4], GRID])
def test_figures_are_drawn_from_whatever_there_is(cells):
    """One cell, a few, or all with both recipes."""
    levels = paper(*cells) | {("ours", cell): 2.0 for cell in cells}
    assert set(grid.draw(rows(levels))) == {"grid", "training"}


def test_a_history_is_thinned_without_losing_its_end():
    """At most 200 rows; the last one still says how many curves were seen."""
    history = [{"curves": 10.0 * i, "loss": 1.0, "seconds": float(i)} for i in range(1, 502)]
    thin = grid._thin(history)
    assert len(thin) <= 200 and thin["curves"].iloc[-1] == 5010 and thin["loss"].eq(1).all()


# ---------------------------------------------------------------------------------------------- claims


def test_the_corner_agrees_fails_or_is_untested():
    """Within 0.05 it agrees; clearly outside it does not; at the edge it is open; without the cell nothing is said."""
    name = "corner_as_printed"
    assert claims(paper(CORNER))[name].holds() is True
    assert claims(paper(CORNER, off=-0.2))[name].holds() is False
    assert claims(paper(CORNER, off=0.045))[name].holds() is None
    assert claims(paper(GRID[2]))[name].value is None


def test_a_mean_gap_needs_three_networks_and_counts_their_luck():
    """Two say nothing; three that agree hold; three that scatter leave it open; three that are off fail."""
    name = "as_printed_at_10"
    assert claims(paper(*GRID[:2]))[name].value is None
    assert claims(paper(*GRID[:3]))[name].holds() is True
    assert claims(paper(*GRID[:3], off=-0.1))[name].holds() is False
    scattered = paper(GRID[0], off=0.1) | paper(GRID[1], off=-0.1) | paper(GRID[2])
    assert claims(scattered)[name].holds() is None
    assert "3 of 27" in claims(paper(*GRID[:3]))[name].asks


def test_our_recipe_is_judged_by_its_smallest_lead():
    """A cell where ours is behind is not hidden by one where it is far ahead, nor by one that has no partner."""
    theirs = paper(*GRID[:2])
    ahead = theirs | {("ours", GRID[0]): 2.0, ("ours", GRID[1]): 1.3, ("ours", GRID[2]): 0.0}
    claim = claims(ahead)["ours_ahead_at_10"]
    assert claim.holds() is True and claim.value == pytest.approx(1.3 - 1.228, abs=0.005)
    assert claims(ahead | {("ours", GRID[1]): 1.1})["ours_ahead_at_10"].holds() is False
    assert claims(theirs | {("ours", Cell(3, 128, 196_608)): 2.0})["ours_ahead_at_10"].value is None


def test_neighbours_are_one_step_apart_in_one_thing():
    """Of four corners of a square of sizes there are four pairs; a cell two steps away is nobody's neighbour."""
    square = paper(*(Cell(layers, width, CURVES[0]) for layers in (3, 6) for width in (128, 256)))
    assert (
        "(here 4 pairs of networks, compared 16 times)" in claims(square)["paper_bigger_is_better"].asks
    )  # at four cutoffs
    assert claims(paper(GRID[0], GRID[2]))["paper_bigger_is_better"].value is None
    assert claims(square)["paper_more_is_better"].value is None
    assert claims(square)["ours_bigger_is_better"].value is None
    beside = {("ours", Cell(3, 128, 196_608)): 1.0, ("ours", Cell(3, 128, CURVES[1])): 2.0}
    assert claims(beside)["ours_more_is_better"].value is None  # five times the curves are not a step


def test_order_holds_fails_or_is_open_as_the_pairs_are_sure():
    """A pair counts as ordered only if its interval says so; as reversed only if its interval says that."""

    def told(small: float, large: float, sizes: int = 3, **noise: float):
        levels = {("ours", cell): small for cell in GRID[:sizes]}
        levels |= {("ours", cell._replace(curves=CURVES[1])): large for cell in GRID[:sizes]}
        return claims(levels, **noise)["ours_more_is_better"]

    assert told(1.0, 1.5).holds() is True
    assert told(1.5, 1.0).holds() is False
    unsure = told(1.0, 1.001, own_noise=1.0)
    assert unsure.found[1:] == (0, 1) and unsure.holds() is None
    two = told(1.0, 1.5, sizes=2)
    assert two.value == 1 and not two.tested()  # three pairs are the fewest
    one = told(1.0, 1.5, sizes=1)
    assert one.value == 1 and not one.tested() and "(here 1 pair of networks, compared 4 times)" in one.asks
