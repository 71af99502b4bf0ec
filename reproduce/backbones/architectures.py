"""Which sequence model forecasts curves best, at equal parameters and at equal time?

Each backbone reads the observed points and passes its states to a head, which is the same for all. The settings of each were
chosen by backbone_rates, with another seed. The number of curves at equal training time follows from printed/budgets.csv.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from presswork import Above, Claim, Estimates, style, there, where
from reproduce.backbones import _leads, _rows, _trainings
from reproduce.backbones._leads import Contest
from reproduce.backbones._rows import BUDGETS, PFN
from reproduce.pictures.panels import dots, legend, logarithmic, panels

SWEEP = "backbone_rates"  # of the same scale
LOST = "nats per point below the exact posterior"
BEST = "another_is_ahead"  # the best of all other backbones over the attention of the PFN
# few pairs differ in one idea; the others compare two designs
CONTESTS = (
    Contest("gates_pay", "LSTM", "Elman", "does an LSTM of two layers score higher than Elman’s network of one"),
    Contest("looking_back_pays", "encoder–decoder, attention", "encoder–decoder",
            "does an encoder–decoder with attention over its states score higher than one without", one_idea=True),
    Contest("palm_pays", "PaLM block", "transformer, decoder",
            "does the block of PaLM score higher than a plain transformer decoder"),
    Contest("hybrid_pays", "H3, attention", "H3", "does H3 with attention in every second layer score higher than H3 alone"),
    Contest("forgetting_pays", "Mamba-2", "linear attention",
            "does Mamba-2, which forgets, score higher than linear attention, which cannot", budget="parameters"),
)  # fmt: skip
STOPWATCHES = ("rows.seconds",)
TABLES = {
    "rows": ("backbone", "budget", "seed", "setting", "width", "curves", "seconds", "cutoff", "ll", "lost")
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = _rows.COMPARED
    budgets: tuple[str, ...] = tuple(BUDGETS)
    seeds: int = 3
    parameters: int = _rows.PARAMETERS
    curves: int = 48_000  # at equal parameters
    core_seconds: float = 240.0  # at equal time
    scored: int = 2_000  # curves of the second test set
    judged: str = "exact_bayes/paper"


SCALES = {
    "smoke": Config(seeds=1, parameters=2_000, curves=64, core_seconds=0, scored=4),  # one batch
    "laptop": Config(_rows.TELLING, ("parameters",), 1, curves=1_024, scored=500),
    "paper": Config(),
}  # fmt: skip
PARTS = "{row}-{seed}"


def reads(config: Config) -> list[str]:
    return [config.judged, SWEEP]


def measure(config: Config, row: str, seed: int, read: dict[str, Any]) -> pd.DataFrame:
    judged = where(read[config.judged]["rows"], method="exact")
    setting = _trainings.best(read[SWEEP], row)
    return pd.concat(_trainings.at_budget(one, config, row, seed, setting, judged) for one in config.budgets)


def estimates(rows: pd.DataFrame) -> Estimates:
    """{(BEST or the name of a contest, budget): nats per point}, between trainings with the same seeds."""
    found = {}
    for budget in BUDGETS:
        table = _leads.at_equal(budget, rows)
        found[BEST, budget] = _leads.of_the_best(table, PFN)
        found |= {(one.name, budget): _leads.lead(table, one.ahead, one.of) for one in CONTESTS}
    return there(found)


def draw(rows: pd.DataFrame, found: Estimates, config: Config) -> dict[str, Figure]:
    return {"lost": draw_ranks(rows, config.budgets), "pairs": draw_pairs(found, config.budgets)}


def draw_ranks(rows: pd.DataFrame, budgets: tuple[str, ...]) -> Figure:
    """How far each row is below the exact posterior: a panel for each budget, a point for each seed."""
    mine = rows[rows["budget"].isin(budgets)]
    lost = mine.groupby(["backbone", "budget", "seed"], as_index=False)["lost"].mean()
    names = list(mine.groupby("backbone")["lost"].mean().sort_values(ascending=False).index)
    figure, axes = by_budget(budgets, 1.2 + 0.25 * len(names), f"{LOST}, mean over cutoffs (left is better)")
    for axis, budget in zip(axes, budgets, strict=True):
        for place, name in enumerate(names):
            seeds = where(lost, backbone=name, budget=budget)["lost"]
            look: dict[str, Any] = {"color": _rows.colour(name), "label": _rows.kind(name)}
            axis.plot(seeds, [place] * len(seeds), "D" if name == PFN else "o", markersize=4.5, **look)
        axis.grid(axis="y", alpha=0.3)
        logarithmic(axis, "x")
    axes[0].set_yticks(range(len(names)), names)
    legend(figure, axes)
    return figure


def draw_pairs(found: Estimates, budgets: tuple[str, ...]) -> Figure:
    """Differences within pairs, with 95 % intervals; nothing where there is one seed."""
    higher = "log-likelihood of the first minus the second, nats per point (right: the first is better)"
    figure, axes = by_budget(budgets, 2.6, higher)
    contests = sorted(CONTESTS, key=lambda one: one.one_idea)  # one idea: filled, at the top
    for axis, budget in zip(axes, budgets, strict=True):
        for place, one in enumerate(contests):
            look = {"color": _rows.colour(one.ahead)} | ({} if one.one_idea else {"mfc": "none"})
            dots(axis, [(place, found.get((one.name, budget)))], fmt="o", markersize=4.5, **look)
        axis.axvline(0, color=style.faint(), linewidth=1, zorder=0)
        axis.grid(axis="y", alpha=0.3)
    axes[0].set_ylim(-0.6, len(contests) - 0.4)
    axes[0].set_yticks(range(len(contests)), [f"{one.ahead} against {one.of}" for one in contests])
    return figure


def by_budget(budgets: tuple[str, ...], height: float, across: str) -> tuple[Figure, list[Axes]]:
    titles = [f"at {BUDGETS[budget]}" for budget in budgets]
    return panels(titles, (9.4, height), across=across, sharey=True, sharex=True)


def claims() -> list[Claim]:
    """Differences in log-likelihood between trainings with the same seeds, each at one budget."""
    best = "does the best of all other backbones score higher than the attention of the PFN"
    asked = [(BEST, budget, best) for budget in BUDGETS]
    asked += [(one.name, one.budget, one.asks) for one in CONTESTS]
    return [
        Claim(f"{name}_at_equal_{budget}", f"At {BUDGETS[budget]}, {asks}?", (name, budget), Above(0),
              "nats per point")
        for name, budget, asks in asked
    ]  # fmt: skip
