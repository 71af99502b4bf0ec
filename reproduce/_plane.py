"""What the chains' question shows: likelihood against seconds in one plane, forecasts side by side, a table of settings."""

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast import metrics, prior
from reproduce import _paper, _style

STYLE = {"emcee": "mcmc", "vectorised": "vector", "exact": "exact"}
PRINTED = ("P1", "P2", "P3", "M1", "M2", "M3")


def at(rows: pd.DataFrame, method: str, setting: str | None = None) -> pd.DataFrame:
    mine = rows[rows["method"] == method]
    return mine if setting is None else mine[mine["setting"] == setting]


def plane(rows: pd.DataFrame, cutoffs: list[int], best: str) -> Figure:
    figure, axes = plt.subplots(1, len(cutoffs), figsize=(9.4, 4.0), squeeze=False)
    for axis, cutoff in zip(axes[0], cutoffs, strict=True):
        _plane(axis, rows[rows["cutoff"] == cutoff], cutoff, best)
        axis.set(xscale="log", xlabel="seconds a curve", title=f"{cutoff} epochs seen")
    axes[0][0].set_ylabel("log-likelihood, nats per point")
    return figure


def _plane(axis: Axes, rows: pd.DataFrame, cutoff: int, best: str) -> None:
    """Means over each method's curves, moved by the luck that the oracle had on the same ones."""
    luck = at(rows, "oracle").set_index("curve")["ll"] - prior.ORACLE_LL
    for method in ("emcee", "vectorised"):
        mine = at(rows, method)
        points = [(one["seconds"].mean(), _even(one, luck)) for _, one in mine.groupby("setting")]
        if points:
            colour = _style.colour(STYLE[method])
            axis.plot(*zip(*sorted(points), strict=True), "o", color=colour, markersize=5)
            x, y = max(points)
            axis.annotate(_style.name(STYLE[method]), (x, y), xytext=(0, -14), textcoords="offset points",
                          ha="right" if method == "emcee" else "center", color=colour, fontsize=9)  # fmt: skip
    exact = at(rows, "exact")
    if len(exact):
        level, colour = _even(exact, luck), _style.colour("exact")
        axis.axhline(level, color=colour, linewidth=1.2, linestyle="--")
        axis.plot(exact["seconds"].mean(), level, "s", color=colour, markersize=6)
        axis.annotate(_style.name("exact"), (exact["seconds"].mean(), level), xytext=(0, 5), ha="center",
                      textcoords="offset points", color=colour, fontsize=9)  # fmt: skip
    for method in [m for m in dict.fromkeys(rows["method"]) if at(rows, m)["setting"].isna().all()]:
        mine = at(rows, method)
        if method not in ("exact", "oracle", *PRINTED):
            axis.plot(
                mine["seconds"].mean(), _even(mine, luck), "o", color=_style.colour("ours"), markersize=6
            )
            axis.annotate(method.replace("x", " × "), (mine["seconds"].mean(), _even(mine, luck)), xytext=(6, -4),
                          textcoords="offset points", color=_style.colour("ours"), fontsize=9)  # fmt: skip
    for method in PRINTED:
        cost, printed = _paper.value(method, "seconds per curve"), _paper.log_likelihood(method, cutoff)
        if cost is not None and printed is not None:
            colour = _style.colour("paper")
            axis.plot(cost, printed, "D", color=colour, fillstyle="none", markersize=5)
            axis.annotate(
                method, (cost, printed), xytext=(5, -9), textcoords="offset points", color=colour, fontsize=8
            )


def _even(mine: pd.DataFrame, luck: pd.Series) -> float:
    """Mean likelihood, with the luck of these curves' noise taken out as far as the oracle shares it."""
    return float((mine["ll"] - mine["curve"].map(luck)).mean())


def forecasts(rows: pd.DataFrame, cutoff: int) -> Figure:
    mine = rows[rows["cutoff"] == cutoff]
    curves = sorted(set(mine["curve"]))
    figure, axes = plt.subplots(1, len(curves), figsize=(9.4, 3.2), squeeze=False)
    styles = {"chains": "vector", "network": "ours", "exact": "exact"}
    for axis, curve in zip(axes[0], curves, strict=True):
        one = mine[mine["curve"] == curve]
        seen, later = one[one["epoch"] <= cutoff], one[one["epoch"] > cutoff]
        axis.plot(later["epoch"], later["noisy"], ".", color=_style.faint(), markersize=3)
        axis.plot(seen["epoch"], seen["noisy"], ".", color=_style.ink(), markersize=5)
        shown = [one["noisy"]]
        for method, style in styles.items():
            if f"{method}_q50" in later:
                look = _style.line(style, linewidth=1.3)
                axis.plot(later["epoch"], later[f"{method}_q50"], **look)
                for level in ("q05", "q95"):
                    axis.plot(
                        later["epoch"],
                        later[f"{method}_{level}"],
                        **(look | {"label": None, "linestyle": ":"}),
                    )
                shown += [later[f"{method}_q05"], later[f"{method}_q95"]]
        values = pd.concat(shown)
        middle, reach = values.median(), max(0.06, 1.1 * (values - values.median()).abs().quantile(0.99))
        axis.set(xlim=(0, 100), ylim=(middle - reach, middle + reach), xlabel="epoch")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure


def table(rows: pd.DataFrame, settings: list[str], best: str) -> pd.DataFrame:
    """What each program loses to the judge in each setting, and what it costs; a dagger where its chains were too short."""
    found = []
    for method in ("emcee", "vectorised"):
        for setting in settings:
            mine = at(rows, method, setting)
            if len(mine):
                short = (~mine["converged"].astype(bool)).mean()
                cells = {f"{c} %": _lost(rows, mine, c) for c in sorted(set(rows["cutoff"]))}
                name = f"{_style.name(STYLE[method])} {setting}" + " †" * int(short > 0.1)
                rest = {"seconds": f"{mine['seconds'].mean():.3g}", "too short": f"{100 * short:.0f} %"}
                found.append({"program and setting": name} | cells | rest)
    for method in (best, "exact"):
        mine = at(rows, method)
        if len(mine):
            cells = {f"{c} %": _lost(rows, mine, c) for c in sorted(set(rows["cutoff"]))}
            name = _style.name("exact") if method == "exact" else f"{best.replace('x', ' × ')} network"
            found.append(
                {"program and setting": name}
                | cells
                | {"seconds": f"{mine['seconds'].mean():.3g}", "too short": "–"}
            )
    return pd.DataFrame(found)


def _lost(rows: pd.DataFrame, mine: pd.DataFrame, cutoff: int) -> str:
    both = at(rows, "exact").merge(mine, on=["curve", "cutoff"])
    both = both[both["cutoff"] == cutoff]
    if len(both) < 2:
        return "…"
    return "{:.3f} ± {:.3f}".format(*metrics.estimate(torch.tensor((both["ll_x"] - both["ll_y"]).to_numpy())))
