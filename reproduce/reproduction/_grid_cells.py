"""The cells of the paper's grid: sizes and numbers of curves, what is printed, neighbours, seeds, scores."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
import torch

from curvecast.curves import prior
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import AtLeast, Claim, Estimates, Interval, Rows, where
from presswork.estimates import of_each_end, those_of
from presswork.ground import machine
from presswork.intervals import fewest, named, student
from reproduce.printed.numbers import log_likelihood, read_off
from reproduce.reproduction import _method_scores
from reproduce.reproduction._printed_scores import CUTOFFS, from_printed

LAYERS, WIDTHS, CURVES = (3, 6, 12), (128, 256, 512), (100_000, 1_000_000, 10_000_000)
AT_ONCE = 20  # curves: the logits of a thousand buckets for each of their points stay in the cache
NAMED = {(3, 128): "P1", (3, 256): "P2", (12, 512): "P3"}  # of 10M curves; the others are printed by size


class Cell(NamedTuple):
    """The size of a network and its number of training curves."""

    layers: int
    width: int
    curves: int

    @property
    def amount(self) -> str:
        millions = self.curves >= 1_000_000
        return f"{self.curves / 1e6:.0f}M" if millions else f"{self.curves / 1e3:.0f}k"

    @property
    def label(self) -> str:
        return f"{self.layers} × {self.width}, {self.amount}"

    @property
    def cost(self) -> int:
        """In proportion to the arithmetic of a training."""
        return self.layers * self.width**2 * self.curves

    def part(self, seed: int) -> str:
        """The name of a training: "12x512-10M-0"."""
        return f"{self.layers}x{self.width}-{self.amount}-{seed}"

    @property
    def printed_name(self) -> str:
        name = f"{self.amount} curves, {self.layers} layers, {self.width} wide"
        return NAMED.get(self[:2], name) if self.curves == CURVES[-1] else name

    def printed(self, cutoff: int) -> float | None:
        return log_likelihood(self.printed_name, cutoff)

    @property
    def read_error(self) -> float:
        """Standard deviation of what is printed, as far as it was read off a figure."""
        return 0.003 if read_off(self.printed_name) else 0.0

    def printed_text(self, cutoff: int) -> str | None:
        """1.585, or ≈ 1.229 where it was read off a figure."""
        value = self.printed(cutoff)
        return None if value is None else "≈ " * read_off(self.printed_name) + f"{value:.3f}"

    def printed_as_number(self, cutoff: int) -> float | None:
        """None where it was read off a figure, which hides differences of a few thousandths."""
        return None if read_off(self.printed_name) else self.printed(cutoff)

    def larger(self) -> "list[Cell]":
        """Twice as wide, twice as deep."""
        return [self._replace(width=2 * self.width), self._replace(layers=2 * self.layers)]

    def longer(self) -> "list[Cell]":
        """Ten times the curves."""
        return [self._replace(curves=10 * self.curves)]

    def wider(self) -> "list[Cell]":
        """Twice as wide where this one is twice as deep."""
        return [self._replace(layers=self.layers // 2, width=2 * self.width)]

    def equal(self) -> "list[Cell]":
        """Twice as wide and a quarter as deep, with about as many weights."""
        return [self._replace(layers=self.layers // 4, width=2 * self.width)]


GRID = [Cell(layers, width, n) for n in CURVES for layers in LAYERS for width in WIDTHS]
# Trained in single precision as well: the smallest, and the one that is farthest from print.
SINGLE = {f"{cell.part(0)}-fp32": cell for cell in (Cell(3, 128, 100_000), Cell(3, 512, 100_000))}


def mean_score(own: pd.DataFrame) -> Interval:
    """The mean score of these trainings at one cutoff, over the test curves that all are scored on."""
    first = own.iloc[0]
    return Interval.with_error(own["ll_even"].mean(), first["ll_even_se"], (("curves", int(first["n"])),))


def below_print(cell: Cell, own: pd.DataFrame, score: Interval) -> Interval | None:
    """How far a cell scores below print at the cutoff of these rows; another sample of test curves counts as well."""
    one = own.iloc[0].copy()
    if (printed := cell.printed(one["cutoff"])) is None:
        return None
    one[["ll_even", "ll_even_se"]] = score.value, score.half / 1.96
    apart = from_printed(one, printed, cell.read_error)
    return Interval.around(-apart.value, apart.half, score.over)


def farthest_from_print(made: pd.DataFrame) -> Interval | None:
    """Of each training for itself, on other test curves than these."""
    gaps = []
    for _, one in made.iterrows():
        cell = Cell(one["layers"], one["width"], one["curves"])
        if (printed := cell.printed(one["cutoff"])) is not None:
            gap = from_printed(one, printed, cell.read_error)
            gaps.append(Interval.around(abs(gap.value), gap.half, gap.over))
    return of_each_end(max, gaps)


# ------------------------------------------------------------------------------------------------ neighbours of the grid


LARGER = {"bigger": "a wider or deeper network", "more": "a network trained on ten times the curves"}
FEWEST = 3  # pairs of networks that a share needs
STEPS = {"bigger": Cell.larger, "more": Cell.longer, "wider": Cell.wider, "equal": Cell.equal}


def pairs(cells: Iterable[Cell], step: str) -> list[tuple[Cell, Cell]]:
    """Neighbours that are both among these: one step "bigger", ten times "more" curves; one twice as deep and one
    twice as wide ("wider"); a deep and a wide one of as many weights ("equal")."""
    there = [*cells]
    return [(cell, above) for cell in there for above in STEPS[step](cell) if above in there]


def between(below: Cell, above: Cell) -> str:
    """What changes from one cell to the next: "3 → 6 × 128, 100k"."""
    both = zip((*below[:2], below.amount), (*above[:2], above.amount), strict=True)
    layers, width, amount = (f"{one} → {other}" if one != other else f"{one}" for one, other in both)
    return f"{layers} × {width}, {amount}"


def neighbours(found: Estimates, step: str) -> list[tuple[Cell, Cell]]:
    return list(dict.fromkeys((below, above) for below, above, _ in those_of(found, step)))


def printed_lead(below: Cell, above: Cell, cutoff: int) -> float | None:
    one, other = above.printed(cutoff), below.printed(cutoff)
    return None if one is None or other is None else one - other


def lead(each: pd.DataFrame, one: str, other: str, cutoff: int) -> pd.Series:
    """How far one training is ahead of another, curve by curve."""
    ahead, behind = (where(each, part=part)[f"at{cutoff}"].reset_index(drop=True) for part in (one, other))
    return (ahead - behind).dropna().rename_axis("curve")


def in_order(ahead: list[Interval], neighbours: int) -> Interval | None:
    """The share of comparisons in the order that the paper claims; the interval counts those that are open.

    However many cutoffs, too few pairs of networks have no interval.
    """
    if not ahead:
        return None
    value, low, high = (sum(end > 0 for end in ends) / len(ahead) for ends in zip(*ahead, strict=True))
    if neighbours < FEWEST:
        low = high = math.nan
    return Interval(value, low, high, fewest(*ahead))


def claim_of_order(name: str, step: str, neighbours: int) -> Claim:
    """Beside the share of what is printed as numbers."""
    some = f"here {neighbours} pair{'s' * (neighbours > 1)} of networks, compared {neighbours * len(CUTOFFS)} times"
    compared = some if neighbours else "no two of the networks trained here can be compared"
    asks = (
        f"With the paper’s recipe, does {LARGER[step]} score higher in nearly all comparisons ({compared})?"
    )
    return Claim(name, asks, name, AtLeast(0.9), "%", printed_in_order(step, CUTOFFS))


def printed_in_order(step: str, cutoffs: tuple[int, ...]) -> float:
    """The share of comparisons, of all that are printed as numbers, in which the larger or longer trained one is ahead."""
    both = [[one.printed_as_number(c) for one in pair] for pair in pairs(GRID, step) for c in cutoffs]
    known = [below < above for below, above in both if below is not None and above is not None]
    return sum(known) / len(known)


# ------------------------------------------------------------------------------------------------- from seed to seed


CELL = ("layers", "width", "curves")


@dataclass(frozen=True)
class Luck:
    """What a seed changes of a score, or of a difference of two: a standard deviation and its degrees of freedom."""

    sd: float
    free: float
    trainings: int

    def of_difference(self, other: "Luck") -> "Luck":
        """From another network’s score, as if their seeds were independent, by Welch’s degrees of freedom."""
        if self is other:
            return Luck(math.sqrt(2) * self.sd, self.free, self.trainings)
        both = (self, other)
        variance = sum(one.sd**2 for one in both)
        free = variance**2 / sum(one.sd**4 / one.free for one in both) if self.free and other.free else 0
        return Luck(math.sqrt(variance), free, self.trainings + other.trainings)

    def widened(self, on_curves: Interval, seeds: int, among: int = 1) -> Interval:
        """An interval over test curves as one over seeds as well."""
        if not self.free:
            return Interval.without_ends(on_curves.value)
        half = student(self.free + 1, among) * self.sd / math.sqrt(seeds)
        told_by = named("seed", seeds) if seeds > 1 else named("training", self.trainings)
        over = (*told_by, *on_curves.over)
        return Interval.around(on_curves.value, math.hypot(half, on_curves.wider(among).half), over).against(
            among
        )


def luck(made: pd.DataFrame) -> Luck:
    """Two or three seeds of one cell say little of how far seeds lie apart, several cells together say more: it is what
    remains of these scores without the mean of each cell."""
    scores = made.groupby([*CELL])["ll_even"]
    rest, several = made["ll_even"] - scores.transform("mean"), int((scores.transform("size") > 1).sum())
    free = len(made) - scores.ngroups
    return Luck(math.sqrt(rest @ rest / free) if free else math.nan, free, several)


# ---------------------------------------------------------------------------------------------------------------- scores


def measured(name: str, train: TrainConfig, curves: int) -> Rows:
    """How good a training is on so many curves of the test set, by cutoff; its size, its time and its machine."""
    test, forecaster = prior.test_set(curves), trained(train)
    by_cutoff = {cutoff: likelihood(forecaster, test.noisy, cutoff) for cutoff in CUTOFFS}
    hardware, last = machine.hardware(), forecaster.history[-1]
    about = {
        "layers": train.model.layers, "width": train.model.width, "curves": train.curves, "seed": train.seed,
        "precision": train.precision, "parameters": sum(p.numel() for p in forecaster.model.parameters()),
        "core_minutes": last.get("core_seconds", last["seconds"]) / 60,
        "hardware": hardware["gpu"] or f"{hardware['cores']} cores of {hardware['cpu']}",
    }  # fmt: skip
    rows = [about | _method_scores.row(name, cutoff, test, {"ll": ll}) for cutoff, ll in by_cutoff.items()]
    each = {f"at{cutoff}": ll.numpy().round(2) for cutoff, ll in by_cutoff.items()}
    return {"rows": pd.DataFrame(rows), "each": pd.DataFrame(each), "history": thin(forecaster.history)}


def likelihood(forecaster: Forecaster, noisy: torch.Tensor, cutoff: int) -> torch.Tensor:
    """Per-curve log-likelihood (n,), on the GPU where there is one: the largest network is slow without."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    forecaster.model.to(device)
    with torch.device(device):  # where `evaluate` makes its epochs
        parts = [evaluate.likelihood(forecaster, y, cutoff) for y in noisy.to(device).split(AT_ONCE)]
    return torch.cat(parts).cpu()


def thin(history: list[dict[str, float]]) -> pd.DataFrame:
    """At most 200 rows: neighbours become their mean."""
    table = pd.DataFrame(history)
    group = table.index // math.ceil(len(table) / 200)
    return table.groupby(group).agg({"curves": "last", "loss": "mean", "seconds": "last"})
