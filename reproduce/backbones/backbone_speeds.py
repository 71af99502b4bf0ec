"""What does a training step of each backbone cost, and a forecast?

All rows take turns in one process on one core, so that other load on the machine affects all of them alike. Each row has the
optimiser with which it learns best, since the update is a part of the step.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from reproduce._press import style
from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import over, where
from reproduce.backbones import _costs, _rows, _sweep
from reproduce.backbones._trainings import SETTINGS
from reproduce.protocols.timing import ROUNDS, in_turns, threads

SWEEP = "backbone_rates"  # of the same scale
STOPWATCHES = ("rows.step", "rows.forecast")
TABLES = {"rows": ("backbone", "round", "step", "forecast", "kept")}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = _rows.COMPARED
    parameters: int = _rows.PARAMETERS
    rounds: int = ROUNDS
    steps: int = 2  # of a training, in a round
    forecasts: int = 100  # curves forecast at once, half of each


SCALES = {
    "smoke": Config(parameters=2_000, rounds=1, steps=1, forecasts=4),
    "laptop": Config(_rows.TELLING, rounds=5),
    "paper": Config(),
}
# What a machine is asked to do again when somebody wants to know what a command would cost there.
PROBE = Config(_rows.TELLING[-3:], rounds=2)


def reads(config: Config) -> list[str]:
    return [SWEEP]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    """A row for each backbone and round."""
    turns, sweep = {}, read[SWEEP]
    with threads():
        for name in config.rows:
            setting = SETTINGS[_sweep.best(sweep, name)]
            runner = _costs.runner(_rows.reader(name, config.parameters), setting, config.forecasts)
            turns[name] = partial(_costs.turn, runner, config.steps)
        measured = in_turns(turns, config.rounds)
        return pd.DataFrame({"backbone": name, "round": number} | costs for number, name, costs in measured)


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    middle = rows.groupby("backbone")[["step", "forecast"]].median().sort_values("step", ascending=False)
    figure, axes = plt.subplots(1, 2, figsize=(9, 0.9 + 0.25 * len(middle)), sharey=True)
    for axis, (column, label) in zip(
        axes, {"step": "a training step of 64 curves", "forecast": "a forecast"}.items(), strict=True
    ):
        axis.plot(1000 * middle[column], range(len(middle)), "o", color=style.colour("ours"))
        axis.set(xscale="log", xlabel=f"{label},\nmilliseconds of one core (left is better)")
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter("{x:g}")
        axis.xaxis.set_minor_formatter(NullFormatter())
    axes[0].set_yticks(range(len(middle)), list(middle.index))
    return {"speeds": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    lines = []
    for name in config.rows:
        if not (mine := where(rows, backbone=name)).empty:
            lines.append({
                "backbone": name, "step, ms": f"{1000 * mine['step'].median():.0f}",
                "forecast, ms": f"{1000 * mine['forecast'].median():.2f}", "stored, MB": f"{mine['kept'].iloc[0] / 1e6:.1f}",
            })  # fmt: skip
    return {"speeds": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame) -> list[Claim]:
    return [
        Claim(f"{slow.lower()}_takes_longer", f"Does a training step of {what}?",
              Interval.of_median(over(rows, "backbone", slow, quick, "step")), Above(1), "×")
        for slow, quick, what in (
            ("LSTM", "transformer, encoder",
             "the LSTM, which goes point by point, take longer than a step of a transformer encoder of the same size"),
            ("Mamba", "Mamba-2",
             "Mamba, point by point on a CPU, take longer than a step of Mamba-2, in chunks and of the same size"),
        )
    ]  # fmt: skip
