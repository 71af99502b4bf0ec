"""Has the exact posterior converged on real curves? The same curves with one, two and four times the effort."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from curvecast.exact_bayes.exact import PosteriorConfig
from reproduce.new_data._cells import EARLY
from reproduce.new_data._chosen import ROWS
from reproduce.protocols import forecasters
from reproduce.protocols.real_curve import Trial
from reproduce.protocols.scores_by_share import portions

COLUMNS = ("row", "curve", "seen", "effort", "ess", "in90")  # ess: effective size, from how islands differ


@dataclass(frozen=True)
class EffortConfig:
    rows: tuple[str, ...] = ("adabelief", "deepobs", "nanogpt")
    curves: int = 16  # of each, the first ones
    efforts: tuple[int, ...] = (1, 2, 4)


def asked_again(
    config: EffortConfig, how: PosteriorConfig, trials: Sequence[Trial], row: str, at_once: int, seed: int
) -> pd.DataFrame:
    """The bank, the moves, the steps and the states that are kept grow with the effort."""
    found: list[tuple[object, ...]] = []
    for effort in config.efforts:
        grown = {name: effort * getattr(how, name) for name in ("bank", "moves", "steps", "keep")}
        ask = forecasters.exact_posterior(replace(how, **grown), seed)
        for seen in EARLY:
            for shown in portions(trials, seen, at_once):
                told = ask(shown.y, shown.later.shape[1])
                inside = (told.quantile(0.05) <= shown.later) & (shown.later <= told.quantile(0.95))
                there = shown.later.isfinite()
                held = (inside & there).sum(1) / there.sum(1)
                assert told.ess is not None
                found += zip([row] * len(held), shown.numbers, [seen] * len(held), [effort] * len(held),
                             told.ess.tolist(), held.tolist(), strict=True)  # fmt: skip
    return pd.DataFrame(found, columns=list(COLUMNS)).round({"ess": 1, "in90": 3})


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Coverage and effective size by benchmark and effort."""
    cells = []
    for row, own in found.groupby("row"):
        cell = {"benchmark": ROWS[row].title, "curves": f"{own['curve'].nunique()}"}
        for effort, some in own.groupby("effort"):
            cell[f"coverage, {effort}×"] = f"{100 * some['in90'].mean():.1f} %"
            cell[f"effective size, {effort}×"] = f"{some['ess'].median():,.0f}"
        cells.append(cell)
    return pd.DataFrame(cells)
