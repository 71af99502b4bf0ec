"""Which sequence model forecasts curves best, at equal parameters and at equal time?

Each backbone reads the observed points and passes its states to a head, which is the same for all. The settings of each were
chosen by backbone_rates, with another seed. The number of curves at equal training time follows from backbone_speeds.
"""

from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, Claim
from reproduce._press.estimates import Estimates
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.backbones import _leads, _rows, _scores, _sweep
from reproduce.backbones._leads import Contest
from reproduce.backbones._rows import BUDGETS, PFN
from reproduce.backbones._trainings import CUTOFFS
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import around, legend, logarithmic, panels

PROCESS = "Gaussian process"  # in closed form, without training
SWEEP, SPEEDS = "backbone_rates", "backbone_speeds"  # of the same scale
EARLY, LATE = CUTOFFS[0], CUTOFFS[-1]
LOST = "nats per point below the exact posterior"
TELLING = {  # some of each kind, with the dashes of their lines
    PFN: "-", "transformer, decoder": "--", "Elman": "-", "LSTM": "--", "encoder–decoder": "-.",
    "encoder–decoder, attention": ":", "CNN": "-", "S4, HiPPO": "-", "Mamba": "--", "linear attention": "-",
}  # fmt: skip
# few pairs differ in one idea; the others compare two designs
CONTESTS = (
    Contest("gates_pay", "LSTM", "Elman", "does an LSTM of two layers score higher than Elman’s network of one"),
    Contest("states_pay", "LSTM, all states", "LSTM",
            "does an LSTM that passes on the state after each point score higher than one with its last state alone", True),
    Contest("looking_back_pays", "encoder–decoder, attention", "encoder–decoder",
            "does an encoder–decoder with attention over its states score higher than one without", True),
    Contest("both_ways_pay", PFN, "transformer, decoder",
            "does a transformer that reads in both directions score higher than one that reads forwards"),
    Contest("llama_pays", "LLaMA block", "transformer, decoder",
            "does the block of LLaMA score higher than a plain transformer decoder"),
    Contest("palm_pays", "PaLM block", "transformer, decoder",
            "does the block of PaLM score higher than a plain transformer decoder"),
    Contest("hippo_pays", "S4, HiPPO", "S4",
            "does S4 with the eigenvalues of HiPPO score higher than S4 with evenly spread ones", True),
    Contest("selection_pays", "Mamba", "S4, HiPPO", "does Mamba, which selects, score higher than S4, which does not"),
    Contest("hybrid_pays", "H3, attention", "H3", "does H3 with attention in every second layer score higher than H3 alone"),
    Contest("correcting_pays", "DeltaNet", "linear attention",
            "does DeltaNet, which corrects its state, score higher than linear attention, which only adds to it"),
    Contest("forgetting_pays", "Mamba-2", "linear attention",
            "does Mamba-2, which forgets, score higher than linear attention, which cannot"),
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
    "laptop": Config(_rows.TELLING, ("parameters",), 1, curves=4_032, scored=500),
    "paper": Config(),
}  # fmt: skip


def parts(config: Config) -> list[str]:
    return [PROCESS.replace(" ", "_"), *_rows.parts(config.rows, config.seeds)]


def reads(config: Config) -> list[str]:
    return [config.judged, SWEEP, SPEEDS]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    judged = where(read[config.judged]["rows"], method="exact")
    if part == PROCESS.replace(" ", "_"):
        frame = _scores.scores(_scores.closed_form(PROCESS), judged, config.scored)
        return frame.assign(backbone=PROCESS, budget="", seed=0, setting="", width=0, curves=0, seconds=0.0)
    name, seed = _rows.of_part(part)
    setting = _sweep.best(read[SWEEP], name)
    return pd.concat(
        _scores.at_budget(budget, config, name, seed, setting, read[SPEEDS], judged)
        for budget in config.budgets
    )


# -------------------------------------------------------------------------------------------- estimates


def leads(table: pd.DataFrame) -> Estimates:
    """In each contest, and of all others over the attention of the PFN: trainings with the same seeds, nats per point."""
    return _leads.leads(table, PFN, [(one.ahead, one.of) for one in CONTESTS])


def bottleneck(rows: pd.DataFrame) -> Interval | None:
    """A summary of fixed size contains less and less of a longer past; attention to all states could make up for that."""
    early, late = (_leads.by_seed(where(rows, cutoff=cutoff), "backbone") for cutoff in (EARLY, LATE))
    return _leads.lead(late - early, "encoder–decoder, attention", "encoder–decoder")


# ------------------------------------------------------------------------------------------------ shown


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    return {
        "lost": draw_ranks(rows, config.budgets),
        "pairs": draw_pairs(rows, config.budgets),
        "seen": draw_seen(rows, config.budgets[0]),
    }


def draw_ranks(rows: pd.DataFrame, budgets: tuple[str, ...]) -> Figure:
    """How far each row is below the exact posterior: a panel for each budget, a point for each seed."""
    mine = rows[rows["budget"].isin(budgets)]
    lost = mine.groupby(["backbone", "budget", "seed"], as_index=False)["lost"].mean()
    names = list(mine.groupby("backbone")["lost"].mean().sort_values(ascending=False).index)
    figure, axes = by_budget(budgets, 1.2 + 0.25 * len(names))
    for axis, budget in zip(axes, budgets, strict=True):
        for place, name in enumerate(names):
            seeds = where(lost, backbone=name, budget=budget)["lost"]
            look: dict[str, Any] = {"color": _rows.colour(name), "label": _rows.kind(name)}
            axis.plot(seeds, [place] * len(seeds), "D" if name == PFN else "o", markersize=4.5, **look)
        axis.grid(axis="y", alpha=0.3)
        logarithmic(axis, "x")
    axes[0].set_yticks(range(len(names)), names)
    legend(figure, axes)
    around(figure, f"{LOST}, mean over cutoffs (left is better)")
    return figure


def draw_pairs(rows: pd.DataFrame, budgets: tuple[str, ...]) -> Figure:
    """Differences within pairs, with 95 % intervals; nothing where there is one seed."""
    figure, axes = by_budget(budgets, 4.0)
    contests = sorted(CONTESTS, key=lambda one: one.one_idea)  # one idea: filled, at the top
    for axis, budget in zip(axes, budgets, strict=True):
        found = leads(_leads.at_equal(budget, rows))
        for place, one in enumerate(contests):
            inside = {} if one.one_idea else {"mfc": "none"}
            shown = [(place, found.get((one.ahead, one.of)))]
            dots(axis, shown, fmt="o", color=_rows.colour(one.ahead), markersize=4.5, **inside)
        axis.axvline(0, color=style.faint(), linewidth=1, zorder=0)
        axis.grid(axis="y", alpha=0.3)
    axes[0].set_ylim(-0.6, len(contests) - 0.4)
    axes[0].set_yticks(range(len(contests)), [f"{one.ahead} against {one.of}" for one in contests])
    around(
        figure, "log-likelihood of the first minus the second, nats per point (right: the first is better)"
    )
    return figure


def by_budget(budgets: tuple[str, ...], height: float) -> tuple[Figure, list[Axes]]:
    return panels([f"at {BUDGETS[budget]}" for budget in budgets], (9.4, height), sharey=True, sharex=True)


def draw_seen(rows: pd.DataFrame, budget: str) -> Figure:
    """By observed epochs, for some rows of each kind and the Gaussian process."""
    figure, axis = plt.subplots(figsize=(7.6, 4.6))
    lost = rows[(rows["budget"] == budget) | (rows["backbone"] == PROCESS)]
    lost = lost.groupby(["backbone", "cutoff"], as_index=False)["lost"].mean()
    for name, dashes in (TELLING | {PROCESS: "-"}).items():
        colour = style.colour("exact") if name == PROCESS else _rows.colour(name)
        if len(mine := where(lost, backbone=name)):
            axis.plot(mine["cutoff"], mine["lost"], dashes, color=colour, linewidth=1.3, label=name)
    axis.set(title=f"at {BUDGETS[budget]}", xlabel="observed epochs", ylabel=f"{LOST} (lower is better)")
    logarithmic(axis, "x", "y")
    figure.legend(loc="outside right upper", fontsize=8)
    return figure


def tabulate(rows: pd.DataFrame, config: Config) -> Rows:
    return {budget: budget_table(rows, budget) for budget in config.budgets}


def budget_table(rows: pd.DataFrame, budget: str) -> pd.DataFrame:
    mine, table = where(rows, budget=budget), _leads.at_equal(budget, rows)
    found, p = leads(table), _leads.holm(table, PFN)
    lines = []
    for name in mine.groupby("backbone")["ll"].mean().sort_values(ascending=False).index:
        one = where(mine, backbone=name)
        lines.append(
            {"backbone": name, "curves": f"{one['curves'].iloc[0]:,}", "seconds": f"{one['seconds'].median():,.0f}"}
            | {f"after {c}": f"{where(one, cutoff=c)['ll'].mean():.3f}" for c in CUTOFFS}
            | {"below exact": f"{one['lost'].mean():.3f}", "against PFN": in_cell(found.get((name, PFN)), "+.3f", ""),
               "p (Holm)": f"{p[name]:.2g}" if name in p else ""}
        )  # fmt: skip
    return pd.DataFrame(lines)


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Differences in log-likelihood between trainings with the same seeds, for each budget."""
    stated = []
    for budget, words in BUDGETS.items():
        table = _leads.at_equal(budget, rows)
        found, steady = leads(table), table[~table.index.str.startswith("Elman")]
        asked = [(one.name, one.asks, found.get((one.ahead, one.of))) for one in CONTESTS] + [
            ("bottleneck", "does attention over all states help an encoder–decoder more where more epochs are observed",
             bottleneck(where(rows, budget=budget))),
            ("another_is_ahead", "does the best of all other backbones score higher than the attention of the PFN",
             _leads.of_the_best(table, PFN)),
            ("another_is_ahead_without_elman",
             "with run-to-run variation estimated without Elman’s three networks, does the best of all other backbones "
             "score higher than the attention of the PFN", _leads.of_the_best(steady, PFN)),
        ]  # fmt: skip
        stated += [
            Claim(f"{name}_at_equal_{budget}", f"At {words}, {asks}?", lead, Above(0), "nats per point")
            for name, asks, lead in asked
        ]
    return stated
