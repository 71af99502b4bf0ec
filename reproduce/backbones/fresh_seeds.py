"""Do the backbones that led stay ahead of attention on fresh seeds?

`architectures` ranked all rows with three seeds, and an interval for the best of many is wide. Here the leader of each budget
is trained again beside the attention of the PFN, with eight seeds that chose nothing.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, Claim
from reproduce._press.where import where
from reproduce.backbones import _leads, _rows, _scores, _sweep
from reproduce.backbones._rows import BUDGETS, FIRST_FRESH_SEED, LEADERS, PFN
from reproduce.pictures.panels import around, panels

SWEEP, SPEEDS = "backbone_rates/paper", "backbone_speeds/paper"
STOPWATCHES = ("rows.seconds",)
TABLES = {"rows": ("backbone", "budget", "seed", "curves", "seconds", "cutoff", "ll", "lost")}


@dataclass(frozen=True)
class Config:
    budgets: tuple[str, ...] = tuple(LEADERS)
    seeds: int = 8
    parameters: int = _rows.PARAMETERS
    curves: int = 48_000  # at equal parameters
    core_seconds: float = 240.0  # at equal time
    scored: int = 2_000  # curves of the second test set
    judged: str = "exact_bayes/paper"


SCALES = {
    "smoke": Config(seeds=2, parameters=2_000, curves=64, core_seconds=0, scored=4),
    "laptop": Config(("parameters",), 3, curves=2_048, scored=500),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    """Budget, row and seed; pairs lie side by side, so that a run which is cut short has whole pairs."""
    return [
        f"{budget}-{_rows.part(name)}-{FIRST_FRESH_SEED + i}"
        for i in range(config.seeds) for budget in config.budgets for name in (LEADERS[budget], PFN)
    ]  # fmt: skip


def reads(config: Config) -> list[str]:
    return [config.judged, SWEEP, SPEEDS]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    budget, _, rest = part.partition("-")
    name, seed = _rows.of_part(rest)
    setting = _sweep.best(read[SWEEP], name)
    judged = where(read[config.judged]["rows"], method="exact")
    frame = _scores.at_budget(budget, config, name, seed, setting, read[SPEEDS], judged)
    return frame.drop(columns=["setting", "width"])


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    """A line for each seed, from attention to the leader."""
    figure, axes = panels([f"at {BUDGETS[b]}" for b in config.budgets], (7.6, 3.8), sharey=True)
    for axis, budget in zip(axes, config.budgets, strict=True):
        names = [PFN, LEADERS[budget]]
        table = _leads.at_equal(budget, rows).reindex(names)
        axis.plot([0, 1], table, "o-", color=style.faint(), markerfacecolor=style.colour("ours"), linewidth=1)
        axis.set_xticks([0, 1], names)
        axis.set_xlim(-0.3, 1.3)
    around(figure, "", "nats per point (higher is better)")
    return {"again": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    lines = []
    for budget in config.budgets:
        table = _leads.at_equal(budget, rows)
        for name in (LEADERS[budget], PFN):
            one = where(rows, budget=budget, backbone=name)
            if name not in table.index:
                continue
            ll = table.loc[name]
            lines.append({
                "budget": BUDGETS[budget], "backbone": name, "seeds": len(ll), "curves": f"{one['curves'].iloc[0]:,}",
                "nats per point": f"{ll.mean():.3f}", "SD over seeds": f"{ll.std():.3f}",
                "below exact": f"{one['lost'].mean():.3f}",
            })  # fmt: skip
    return {"again": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Two comparisons, each with an interval for both together."""
    return [
        Claim(
            f"leader_again_at_equal_{budget}",
            f"With eight fresh seeds at {BUDGETS[budget]}, does {words} score higher than the attention of the PFN?",
            _leads.lead(_leads.at_equal(budget, rows), LEADERS[budget], PFN, among=len(LEADERS)), Above(0), "nats per point",
        )
        for budget, words in (("parameters", "the recurrent encoder–decoder"), ("time", "the pooled convolution"))
    ]  # fmt: skip
