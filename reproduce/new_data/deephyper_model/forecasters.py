"""Forecasts of DeepHyper's model, the released model and simpler rivals from the same observed points: scores and seconds.

DeepHyper's model is asked as its stopper sets it up, a new one for each forecast, in the environment of other programs.
Shapes: L = levels, A = epochs ahead.
"""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch

from curvecast.ground.errors import UserError
from curvecast.scores.quantile_scores import LEVELS
from reproduce._press.where import Rows
from reproduce.new_data import _forecasters
from reproduce.protocols import forecasters, timing
from reproduce.protocols.forecasters import Ask
from reproduce.protocols.real_curve import Trial, worth
from reproduce.rival.partner import Rival

Array = np.ndarray

PROGRAM = ("-m", "reproduce.rival.deephyper_program")
LEAST = 4  # epochs: with fewer its stopper does not ask it
LATER = 20  # epochs that a model is fitted to again
FITS = ("mmf4", "sum")  # by least squares
READINGS = ("points", "curve")  # of its posterior

SCORES = ("curve", "seen", "method", "crps", "error", "in90", "seconds")
STARTS = ("curve", "seen", "kind", "moved")
AGAIN = ("model", "apart")


class Given(NamedTuple):
    """A forecast from the observed points of one curve."""

    quantiles: dict[str, Array]  # by method, (L, A); of those that do not refuse
    seconds: float = float("nan")  # of processor time
    moved: float = float("nan")  # from the start of its least squares to their end


class Beginning(NamedTuple):
    curve: int
    share: int  # per cent
    trial: Trial

    @property
    def seen(self) -> Array:
        return self.trial.seen[: self.trial.cutoff(self.share)]

    @property
    def ahead(self) -> int:
        return len(self.trial.values) - len(self.seen)


def beginnings(trials: list[Trial], shares: tuple[int, ...]) -> Iterator[Beginning]:
    yield from (Beginning(i, share, one) for i, one in enumerate(trials) for share in shares)


def ours(trials: list[Trial], shares: tuple[int, ...], threads: int) -> pd.DataFrame:
    """With as many threads as the other program, since waiting threads count as processor time as well."""
    fits = {name: ask for name, ask in forecasters.fits().items() if name in FITS}
    who = {"shipped": _forecasters.the_one_that_ships(), "last": forecasters.simple()["last"], **fits}
    frames = []
    with timing.threads(threads):
        for name, ask in who.items():
            _given(name, ask, trials[0].seen[:LEAST], 1)  # warms up
            for one in beginnings(trials, shares):
                frames.append(_scored(one, _given(name, ask, one.seen, one.ahead), [name]))
    return pd.concat(frames, ignore_index=True)


def _given(name: str, ask: Ask, seen: Array, ahead: int) -> Given:
    start = time.process_time()
    try:
        density = ask(torch.from_numpy(seen)[None], ahead)
    except UserError:
        return Given({})
    quantiles = torch.cat([density.quantile(float(level)) for level in LEVELS]).double().numpy()
    return Given({name: quantiles}, time.process_time() - start)


def methods(kind: str) -> list[str]:
    """As its rows call what it says: "points", and "mended points" where its least squares are mended."""
    return [reading if kind == "package" else f"{kind} {reading}" for reading in READINGS]


def theirs(rival: Rival, kind: str, trials: list[Trial], shares: tuple[int, ...], seed: int) -> Rows:
    rows, starts = [], []
    if kind == "mended":
        rival.ask("mend")
    for one in beginnings(trials, shares):
        luck = seed + 100 * one.curve + one.share  # the same for both kinds
        given = _fitted(rival, methods(kind), one, luck)
        rows.append(_scored(one, given, methods(kind)))
        starts.append((one.curve, one.share, kind, given.moved))
        print(
            f"deephyper_model: {kind}, curve {one.curve + 1} of {len(trials)}, {one.share} % seen", flush=True
        )
    return {
        "rows": pd.concat(rows, ignore_index=True),
        "starts": pd.DataFrame(starts, columns=list(STARTS)),
    }


def _fitted(rival: Rival, named: list[str], one: Beginning, seed: int) -> Given:
    if len(one.seen) < LEAST:
        return Given({})
    told: dict[str, Any] = rival.ask(
        "forecast", y=one.seen.tolist(), ahead=one.ahead, levels=LEVELS.tolist(), seed=seed
    )
    if "refused" in told:
        return Given({})
    quantiles = {name: np.array(told[reading]) for name, reading in zip(named, READINGS, strict=True)}
    finite = {name: own for name, own in quantiles.items() if np.isfinite(own).all()}
    return Given(finite, told["seconds"], told["moved"])


def _scored(one: Beginning, given: Given, named: list[str]) -> pd.DataFrame:
    """A line for each method, without scores where it refused."""
    lines = []
    for method in named:
        scores = [np.nan] * 3
        if method in given.quantiles:
            told = worth(one.trial, len(one.seen), given.quantiles[method])
            scores = [told.crps, told.error, told.in90]
        lines.append((one.curve, one.share, method, *scores, given.seconds))
    return pd.DataFrame(lines, columns=list(SCORES))


def refit_vs_fresh(rival: Rival, trial: Trial, seed: int) -> pd.DataFrame:
    """Does a model that is fitted a second time see what came since? The other curve is upside down from there on."""
    y = trial.seen[:LATER]
    other = np.r_[y[:LEAST], 1 - y[LEAST:]]
    told = rival.ask("again", y=y.tolist(), other=other.tolist(), first=LEAST, seed=seed)
    return pd.DataFrame(list(told.items()), columns=list(AGAIN))
