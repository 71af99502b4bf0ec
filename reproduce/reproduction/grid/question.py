"""Do the paper’s 27 networks come out as printed?"""

import math
from dataclasses import dataclass, field

import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce._press import machine
from reproduce._press.claim import Above, AtLeast, Between, Claim
from reproduce._press.intervals import Interval, student
from reproduce.reproduction import _method_scores
from reproduce.reproduction._grid_cells import CORNER, GRID, Cell, whole_grid
from reproduce.reproduction._grid_rows import CUTOFFS, cells, from_printed, lead, pairs, score
from reproduce.reproduction.grid import figures_and_tables
from reproduce.trainings import SMALL, TINY, TINY_PAPER

NATS = "nats per point"
WHOSE = {"paper": "the paper’s", "ours": "our"}
FEWEST = 3  # pairs of networks that a share needs
AT_ONCE = 20  # curves: the logits of a thousand buckets for each of their points stay in the cache
STOPWATCHES = ("history.seconds", "rows.minutes", "rows.hardware")


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=whole_grid)
    curves: int = 10_000  # all of the test set


SCALES = {
    "smoke": Config({"paper-1x16-3k": TINY_PAPER, "ours-1x16-3k": TINY["1x16"]}, curves=40),
    "laptop": Config(  # even the smallest network of the grid takes too long
        {"ours-2x96-60k": SMALL["2x96"], "ours-3x128-197k": SMALL["3x128"]}, curves=2000
    ),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = {"models.precision": "half precision is for a GPU, which smoke scale does without"}


def parts(config: Config) -> list[str]:
    return list(config.models)


def models(config: Config) -> list[TrainConfig]:
    return list(config.models.values())


def needs(config: Config, part: str) -> list[TrainConfig]:
    """Each network waits for its own training alone."""
    return [config.models[part]]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    train, curves = config.models[part], prior.test_set(config.curves)
    forecaster = trained(train)
    found = {cutoff: _likelihood(forecaster, curves.noisy, cutoff) for cutoff in CUTOFFS}
    hardware = machine.hardware()
    about = {
        "recipe": part.split("-")[0], "layers": train.model.layers, "width": train.model.width, "curves": train.curves,
        "parameters": sum(p.numel() for p in forecaster.model.parameters()),
        "minutes": forecaster.history[-1]["seconds"] / 60,
        "hardware": hardware["gpu"] or f"{hardware['cores']} cores of {hardware['cpu']}",
    }  # fmt: skip
    rows = [about | _method_scores.row(part, cutoff, curves, {"ll": ll}) for cutoff, ll in found.items()]
    each = {f"at{cutoff}": ll.numpy().round(2) for cutoff, ll in found.items()}
    return {"rows": pd.DataFrame(rows), "each": pd.DataFrame(each), "history": _thin(forecaster.history)}


def _likelihood(forecaster: Forecaster, noisy: torch.Tensor, cutoff: int) -> torch.Tensor:
    """Per-curve log-likelihood (n,), on the GPU where there is one: the largest network is slow without."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    forecaster.model.to(device)
    with torch.device(device):  # where `evaluate` makes its epochs
        parts = [evaluate.likelihood(forecaster, y, cutoff) for y in noisy.to(device).split(AT_ONCE)]
    return torch.cat(parts).cpu()


def _thin(history: list[dict[str, float]]) -> pd.DataFrame:
    """At most 200 rows: neighbours become their mean."""
    table = pd.DataFrame(history)
    group = table.index // math.ceil(len(table) / 200)
    return table.groupby(group).agg({"curves": "last", "loss": "mean", "seconds": "last"})


def draw(rows: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    return {
        "grid": figures_and_tables.grid(rows["rows"]),
        "training": figures_and_tables.training(rows["history"]),
    }


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    return {
        "reproduced": figures_and_tables.reproduced(rows["rows"]),
        "ours": figures_and_tables.ours(rows),
        "trained": figures_and_tables.trained(rows["rows"], parts(config)),
        "done": figures_and_tables.done(rows["rows"]),
    }


def claims(rows: dict[str, pd.DataFrame]) -> list[Claim]:
    """Of single networks the smallest, which a laptop can train, and the cheapest that is printed as numbers."""
    stated = [_one(rows["rows"], "corner_as_printed", CORNER, 10)]
    stated += [
        _one(rows["rows"], f"million_as_printed_at_{cutoff}", CORNER.longer()[0], cutoff)
        for cutoff in CUTOFFS
    ]
    stated += [_as_printed(rows["rows"], cutoff) for cutoff in (10, 40)]
    stated += [_ahead(rows, cutoff) for cutoff in (10, 40)]
    for recipe in ("paper", "ours"):
        there = cells(rows["rows"], recipe)
        stated += [_ordered(rows["each"], there, recipe, step) for step in ("bigger", "more")]
    return stated


def _one(rows: pd.DataFrame, name: str, cell: Cell, cutoff: int) -> Claim:
    """One network beside its printed score; 0.05 is allowed for seed-to-seed variation."""
    printed, found = cell.printed(cutoff) or math.nan, None
    if cell in cells(rows, "paper"):
        gap = from_printed(score(rows, "paper", cell, cutoff), printed, cell.read_error)
        found = Interval(*(printed + number for number in gap))
    shown = "the paper shows in a figure" if cell.read_error else "printed"
    question = (
        f"After {cutoff} % of the epochs, does this {cell.layers} × {cell.width} network, trained with the paper’s recipe on "
        f"{cell.amount} curves, score about as {shown}?"
    )
    near = Between(round(printed - 0.05, 3), round(printed + 0.05, 3))
    return Claim(name, question, found, near, NATS, printed)


def _as_printed(rows: pd.DataFrame, cutoff: int) -> Claim:
    """The mean gap; its interval counts the trainings (Student's t) and the test curves that all share."""
    there = [cell for cell in cells(rows, "paper") if cell in GRID]
    known = [(cell, printed) for cell in there if (printed := cell.printed(cutoff)) is not None]
    gaps = [
        from_printed(score(rows, "paper", cell, cutoff), printed, cell.read_error) for cell, printed in known
    ]
    found = None
    if len(gaps) > 2:
        values, shared = pd.Series([gap.value for gap in gaps]), sum(gap.half for gap in gaps) / len(gaps)
        found = Interval.around(values.mean(), math.hypot(student(len(gaps)) * values.sem(), shared))
    question = (
        f"After {cutoff} % of the epochs, do the networks trained with the paper’s recipe ({_of_grid(gaps)}) score on "
        "average as printed?"
    )
    return Claim(f"as_printed_at_{cutoff}", question, found, Between(-0.03, 0.03), NATS)


def _ahead(rows: dict[str, pd.DataFrame], cutoff: int) -> Claim:
    """At equal size and training curves; the smallest lead of all networks."""
    theirs = cells(rows["rows"], "paper")
    both = [cell for cell in cells(rows["rows"], "ours") if cell in theirs and cell in GRID]
    leads = [lead(rows["each"], cell.part("ours"), cell.part("paper"), cutoff) for cell in both]
    smallest = Interval(*map(min, zip(*leads, strict=True))) if leads else None  # of each end
    question = (
        f"After {cutoff} % of the epochs, does our recipe score higher than the paper’s for every network trained with both "
        f"({_of_grid(leads)})?"
    )
    return Claim(f"ours_ahead_at_{cutoff}", question, smallest, Above(0), NATS)


def _ordered(each: pd.DataFrame, there: list[Cell], recipe: str, step: str) -> Claim:
    """The share of neighbours in the order that the paper claims; the interval counts differences that the curves leave open.

    Seed-to-seed variation is not known and not counted.
    """
    found = [(cell, above, cutoff) for cell, above in pairs(there, step) for cutoff in CUTOFFS]
    leads = [lead(each, above.part(recipe), cell.part(recipe), cutoff) for cell, above, cutoff in found]
    share, neighbouring = None, len(pairs(there, step))
    if leads:
        ends = zip(*leads, strict=True)
        share = Interval(*(sum(number > 0 for number in numbers) / len(leads) for numbers in ends))
    if share and neighbouring < FEWEST:  # however many cutoffs
        share = share._replace(low=math.nan, high=math.nan)
    neighbours = [(cell, above, c) for cell, above in pairs(GRID, step) for c in CUTOFFS]
    gains = [(cell.printed_as_number(c), above.printed_as_number(c)) for cell, above, c in neighbours]
    known = [below < above for below, above in gains if below is not None and above is not None]
    change = {"bigger": "a wider or deeper network", "more": "a network trained on ten times the curves"}[
        step
    ]
    compared = f"here {neighbouring} {'pair' if neighbouring == 1 else 'pairs'} of networks, compared {len(leads)} times"
    if not neighbouring:
        compared = "no two of the networks trained here can be compared"
    question = (
        f"With {WHOSE[recipe]} recipe, does {change} score higher in nearly all comparisons ({compared})?"
    )
    printed = sum(known) / len(known)
    return Claim(f"{recipe}_{step}_is_better", question, share, AtLeast(0.9), "%", printed)


def _of_grid(some: list[Interval]) -> str:
    return f"{len(some)} of {len(GRID)}"
