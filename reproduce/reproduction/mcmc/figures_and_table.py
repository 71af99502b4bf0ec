"""What the chains' question shows: likelihood against seconds in one plane, forecasts side by side, a table of settings."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style as looks
from reproduce._press.intervals import Interval, in_cell
from reproduce.pictures.bands import window
from reproduce.pictures.panels import legend, panels
from reproduce.printed import numbers
from reproduce.reproduction.mcmc.race import THINNED

STYLE = {"emcee": "mcmc", "vectorised": "vector", "exact": "exact"}
PRINTED = ("P1", "P2", "P3", "M1", "M2", "M3")
# Where the names of printed methods stand beside their marks, which are so near that the names would overlap.
BESIDE = {"M1": (-3, -14), "M2": (-18, -4), "M3": (5, 3)}


def at(rows: pd.DataFrame, method: str, setting: str | None = None) -> pd.DataFrame:
    mine = rows[rows["method"] == method]
    return mine if setting is None else mine[mine["setting"] == setting]


def plane(tables: dict[str, pd.DataFrame], cutoffs: list[int], best: str) -> Figure:
    rows, whole = tables["rows"], tables.get("whole", pd.DataFrame(columns=["cutoff", "ll_even"]))
    figure, axes = panels(
        [f"{c} epochs observed" for c in cutoffs], (8.2, 3.8 * len(cutoffs)), 1, sharex=True
    )
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        hung = whole[whole["cutoff"] == cutoff]["ll_even"]
        axis.margins(x=0.07)
        _plane(axis, rows[rows["cutoff"] == cutoff], hung.iloc[0] if len(hung) else None, cutoff, best)
        axis.margins(x=0.11)
        axis.set(xscale="log", ylabel="log-likelihood, nats per point\n(higher is better)")
    axes[-1].set_xlabel("seconds per curve (lower is better)")
    return figure


def _plane(axis: Axes, rows: pd.DataFrame, hung: float | None, cutoff: int, best: str) -> None:
    """The network is drawn at its score on the whole test set, if that is known; all others relative to it, by the
    differences on their curves, with 95 % intervals of how far they are below the exact posterior."""
    exact, own = at(rows, "exact").set_index("curve"), at(rows, best).set_index("curve")
    level = float(exact["ll"].mean() if hung is None else hung + (exact["ll"] - own["ll"]).mean())

    def put(mine: pd.DataFrame, marker: str, colour: str) -> tuple[float, float]:
        lost = mine["curve"].map(exact["ll"]) - mine["ll"]
        x, y = mine["seconds"].mean(), level - float(lost.mean())
        half = found.half if (found := Interval.of_mean(lost)) else 0.0
        axis.errorbar(x, y, yerr=half, fmt=marker, color=colour, markersize=5, elinewidth=0.7)
        return x, y

    for method, marker in (("emcee", "o"), ("vectorised", "^")):
        colour = looks.colour(STYLE[method])
        points = sorted(put(one, marker, colour) for _, one in at(rows, method).groupby("setting"))
        if points:
            _label(axis, _program(method), points[0], (-6, -3), "right", colour)
    axis.axhline(level, color=looks.colour("exact"), linewidth=1.2, linestyle="--")
    axis.plot(exact["seconds"].mean(), level, "s", color=looks.colour("exact"), markersize=6)
    _label(
        axis, looks.name("exact"), (exact["seconds"].mean(), level), (0, 6), "center", looks.colour("exact")
    )
    if len(own):
        place = put(at(rows, best), "o", looks.colour("ours"))
        _label(axis, best.replace("x", " × "), place, (-7, -4), "right", looks.colour("ours"))
    for method in PRINTED:
        cost, printed = numbers.value(method, "seconds per curve"), numbers.log_likelihood(method, cutoff)
        if cost is not None and printed is not None:
            axis.plot(cost, printed, "D", color=looks.colour("paper"), fillstyle="none", markersize=5)
            _label(axis, method, (cost, printed), BESIDE.get(method, (6, -9)), "left", looks.colour("paper"))


def _label(
    axis: Axes, text: str, at: tuple[float, float], shift: tuple[float, float], align: str, colour: str
) -> None:
    axis.annotate(text, at, xytext=shift, textcoords="offset points", ha=align, color=colour, fontsize=9)


def forecasts(rows: pd.DataFrame, cutoff: int) -> Figure:
    mine = rows[rows["cutoff"] == cutoff]
    curves = sorted(set(mine["curve"]))
    figure, axes = panels([""] * len(curves), (9.4, 3.2))
    styles = {"chains": "vector", "network": "ours", "exact": "exact"}
    for axis, curve in zip(axes, curves, strict=True):
        one = mine[mine["curve"] == curve]
        seen, later = one[one["epoch"] <= cutoff], one[one["epoch"] > cutoff]
        axis.plot(later["epoch"], later["noisy"], ".", color=looks.ink(), alpha=0.35, markersize=3)
        axis.plot(seen["epoch"], seen["noisy"], ".", color=looks.ink(), markersize=5)
        shown = [one["noisy"]]
        for method, style in styles.items():
            if f"{method}_q50" in later:
                line_style = looks.line(style, linewidth=1.3)
                axis.plot(later["epoch"], later[f"{method}_q50"], **line_style)
                for level in ("q05", "q95"):
                    axis.plot(
                        later["epoch"],
                        later[f"{method}_{level}"],
                        **line_style | {"label": None, "linestyle": ":"},
                    )
                shown += [later[f"{method}_q05"], later[f"{method}_q95"]]
        window(axis, pd.concat(shown))
        axis.set_xlabel("epoch")
    axes[0].set_ylabel("value")
    legend(figure, axes, 3)
    return figure


def table(rows: pd.DataFrame, settings: list[str], best: str) -> pd.DataFrame:
    """How far each setting is below the exact posterior, and its seconds; a dagger where its chains were too short."""
    found = []
    for method in ("emcee", "vectorised"):
        for setting in settings:
            mine = at(rows, method, setting)
            if len(mine):
                short = (~mine["converged"].astype(bool)).mean()
                cells = {f"{c} %": _lost(rows, mine, c) for c in sorted(set(rows["cutoff"]))}
                name = f"{_program(method)} {setting}" + " †" * int(short > 0.1)
                rest = _cost(mine) | {"chains too short": f"{100 * short:.0f} %"}
                found.append({"program and setting": name} | cells | rest)
    for method in (best, f"{best}, all at once", "exact"):
        mine = at(rows, method)
        if len(mine):
            cells = {f"{c} %": _lost(rows, mine, c) for c in sorted(set(rows["cutoff"]))}
            found.append(
                {"program and setting": _program(method)} | cells | _cost(mine) | {"chains too short": "–"}
            )
    return pd.DataFrame(found)


def race_table(race: pd.DataFrame) -> pd.DataFrame:
    """Seconds a curve in the race: the mean of its rounds, in which every program runs once."""
    found = []
    for method in dict.fromkeys(race["method"]):
        cells = {"program": _program(method)}
        for cutoff in sorted(set(race["cutoff"])):
            mine = at(race, method)
            seconds = Interval.of_mean(mine[mine["cutoff"] == cutoff]["seconds"])
            if seconds:
                cells[f"{cutoff} epochs"] = seconds.in_brackets(".3g")
        found.append(cells | {"rounds": str(race["round"].nunique())})
    return pd.DataFrame(found)


def _program(method: str) -> str:
    if method == THINNED:
        return f"{_program('emcee')}, every twentieth state"
    if method == "emcee":
        return "emcee"
    return looks.name(STYLE[method]) if method in STYLE else "network " + method.replace("x", " × ")


def _cost(mine: pd.DataFrame) -> dict[str, str]:
    return {"curves": str(mine["curve"].nunique()), "seconds per curve": f"{mine['seconds'].mean():.3g}"}


def _lost(rows: pd.DataFrame, mine: pd.DataFrame, cutoff: int) -> str:
    both = at(rows, "exact").merge(mine, on=["curve", "cutoff"])
    both = both[both["cutoff"] == cutoff]
    if len(both) < 2:
        return "…"
    return in_cell(Interval.of_many(both["ll_x"] - both["ll_y"]), ".3f")
