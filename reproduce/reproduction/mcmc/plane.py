"""How far each program is below the exact posterior, and likelihood against seconds in one plane."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from presswork import Estimates, Interval, Rows, style, where
from presswork.estimates import leads
from reproduce.printed import numbers
from reproduce.reproduction.mcmc.programs import THINNED

STYLE = {"emcee": "mcmc", "vectorised": "vector", "exact": "exact"}
PRINTED = ("P1", "P2", "P3", "M1", "M2", "M3")
# Where the names of printed methods stand beside their marks, which are so near that the names would overlap.
BESIDE = {"M1": (-3, -14), "M2": (-18, -4), "M3": (5, 3)}


def shown(method: str) -> str:
    if method == THINNED:
        return "emcee, every twentieth state"
    if method == "emcee":
        return method
    return style.name(STYLE[method]) if method in STYLE else "network " + method.replace("x", " × ")


def with_programs(rows: pd.DataFrame) -> pd.DataFrame:
    """A method and its setting, if it has several, as one name: "emcee 100/26/0/1"."""
    return rows.assign(program=rows["method"] + (" " + rows["setting"]).fillna(""))


def below_exact(rows: pd.DataFrame) -> Estimates:
    """By cutoff and program, on the curves whose posterior is known: nats per point below it."""
    found = {
        (cutoff, program): lead.negated()
        for cutoff, mine in with_programs(rows).groupby("cutoff")
        for program, lead in leads(mine, "program", "exact", "ll", "curve", Interval.of_mean).items()
    }
    known = set(where(rows, method="exact")["cutoff"])
    return found | {(cutoff, "exact"): Interval(0, 0, 0) for cutoff in known}


def draw(axis: Axes, rows: Rows, lost: Estimates, cutoff: int, best: str) -> None:
    """The network is drawn at its score on the whole test set, if that is known; all others relative to it, by the
    differences on their curves, with 95 % intervals of how far they are below the exact posterior (`lost`)."""
    programs = with_programs(rows["rows"]).groupby("program")
    seconds, level = programs["seconds"].mean(), programs["ll"].mean().get("exact", np.nan)
    if best in lost and len(rows["whole"]):
        level = rows["whole"]["ll_even"].iloc[0] + lost[best].value

    def put(method: str, marker: str, colour: str, shift: tuple[float, float]) -> None:
        mine = {program: one for program, one in lost.items() if program.split(" ")[0] == method}
        points = [(seconds[program], level - one.value, one.half) for program, one in mine.items()]
        for x, y, half in points:
            axis.errorbar(x, y, yerr=half, fmt=marker, color=colour, markersize=5, elinewidth=0.7)
        if points:
            label(axis, shown(method).removeprefix("network "), min(points)[:2], shift, "right", colour)

    exact = style.colour("exact")
    put("emcee", "o", style.colour("mcmc"), (-6, -3))
    put("vectorised", "^", style.colour("vector"), (-6, -3))
    axis.axhline(level, color=exact, linewidth=1.2, linestyle="--")
    axis.plot(seconds.get("exact", np.nan), level, "s", color=exact, markersize=6)
    label(axis, style.name("exact"), (seconds.get("exact", np.nan), level), (0, 6), "center", exact)
    put(best, "o", style.colour("ours"), (-7, -4))
    for method in PRINTED:
        cost, printed = numbers.value(method, "seconds per curve"), numbers.log_likelihood(method, cutoff)
        if cost is not None and printed is not None:
            axis.plot(cost, printed, "D", color=style.colour("paper"), fillstyle="none", markersize=5)
            label(axis, method, (cost, printed), BESIDE.get(method, (6, -9)), "left", style.colour("paper"))


def label(
    axis: Axes, text: str, at: tuple[float, float], shift: tuple[float, float], align: str, colour: str
) -> None:
    axis.annotate(text, at, xytext=shift, textcoords="offset points", ha=align, color=colour, fontsize=9)
