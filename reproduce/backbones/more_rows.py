"""At which rates do two more recurrent networks learn, and what do they and forecasts without training cost?

They are trained with the same settings on the same curves as the others in backbone_rates. All rows of the chapter are timed
in turns, so that the costs of these two are comparable with those of all others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from curvecast.networks.backbones.families import FAMILIES
from reproduce._press.claim import Below, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, over
from reproduce.backbones import _costs, _rows, _scores, _sweep
from reproduce.backbones._rows import LATER, PFN
from reproduce.backbones._trainings import SETTINGS, USUAL
from reproduce.protocols.timing import ROUNDS, core_seconds, in_turns, threads

STOPWATCHES = ("sweep.seconds", "times.step", "times.forecast")
TABLES = {"sweep": _sweep.COLUMNS, "times": ("name", "round", "step", "forecast")}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = LATER
    timed: tuple[str, ...] = tuple(FAMILIES)
    settings: tuple[str, ...] = tuple(SETTINGS)
    parameters: int = _rows.PARAMETERS
    curves: int = 12_032
    scored: int = 2_000
    rounds: int = ROUNDS
    steps: int = 2
    forecasts: int = 100  # curves forecast at once, half of each


SCALES = {
    "smoke": Config(
        settings=("Adam, 1e-3", USUAL),
        parameters=2_000,
        curves=64,
        scored=2,
        rounds=1,
        steps=1,
        forecasts=4,
    ),
    "laptop": Config(("minGRU",), (PFN, "GRU", "minGRU"), (USUAL,), curves=1_024, scored=500, rounds=5),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = {"settings": "the others differ in their rates alone; backbone_rates says so too"}


def parts(config: Config) -> list[str]:
    return ["times", *(_rows.part(name) for name in config.rows)]


def measure(config: Config, part: str) -> Rows:
    if part == "times":
        return {"times": _times(config)}
    settings = config.settings, config.parameters, config.curves, config.scored
    return {"sweep": _sweep.swept(_rows.named(part), *settings)}


def _times(config: Config) -> pd.DataFrame:
    turns: dict[str, Callable[[], dict[str, float]]] = {}
    x, y, later = _costs.half_curves(config.forecasts)
    seen = x[0, : _costs.SEEN], y[:, : _costs.SEEN], later[0]
    with threads():
        for name in config.timed:
            runner = _costs.runner(_rows.reader(name, config.parameters), SETTINGS[USUAL], config.forecasts)
            turns[name] = partial(_costs.turn, runner, config.steps)
        for name, forecast in _scores.CLOSED_FORMS.items():
            turns[name] = partial(_closed_turn, partial(forecast, *seen), config.forecasts)
        measured = in_turns(turns, config.rounds)
        lines = [{"name": name, "round": number} | costs for number, name, costs in measured]
    return pd.DataFrame(lines).drop(columns="kept")


def _closed_turn(forecast: Callable[[], object], curves: int) -> dict[str, float]:
    return {"step": float("nan"), "forecast": core_seconds(forecast) / curves}


def draw(rows: Rows) -> dict[str, Figure]:
    return {}


def tabulate(rows: Rows, config: Config) -> dict[str, pd.DataFrame]:
    return {"settings": _sweep.table(rows["sweep"], config.rows)}


def claims(rows: Rows) -> list[Claim]:
    times = rows["times"]
    return [
        Claim(
            "scan_is_quicker",
            "Does a training step of minGRU, whose gates do not wait for the state, take less time than one of a GRU?",
            Interval.of_median(over(times, "name", "minGRU", "GRU", "step")), Below(1), "×",
        )
    ]  # fmt: skip
