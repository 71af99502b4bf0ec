"""Bits of whole curves against their error, bits of the beginning against the likelihood of what follows; drawn curves."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.where import where
from reproduce.latent_curves.bits_of_the_past.trained import BOTTLENECK, LAST, PFN, VAE
from reproduce.latent_curves.bits_of_the_past.whole import DRAWN, FRESH, NUMBERS
from reproduce.pictures.panels import around, panels, ticks

LINES = {PFN: "ours", VAE: "shipped", LAST: "last"}


def trade_offs(rows: pd.DataFrame, whole: pd.DataFrame) -> Figure:
    """A point for each price and seed."""
    figure, (left, right) = panels(["whole curves", "forecasts from the beginning"], (8.4, 3.9))
    _path(left, whole.rename(columns={"error": "value"}), "paper")
    left.set(yscale="log", xlabel="bits kept of the curve (upper bound)", ylabel="error of the curve (RMS)")
    ticks(left, (0.01, 0.02, 0.05, 0.1, 0.2), "g", "y")
    kept = where(rows, model=BOTTLENECK).groupby(["beta", "seed"], as_index=False)[["bits", "ll"]].mean()
    _path(right, kept.rename(columns={"ll": "value"}), "paper")
    exact = where(rows, model=LAST).eval("ll + lost").mean()
    for name, value, colour in (
        ("exact posterior", exact, "exact"),
        *((name, where(rows, model=name)["ll"].mean(), colour) for name, colour in LINES.items()),
    ):
        right.axhline(value, color=style.colour(colour), linestyle="--", linewidth=1.2)
        side = "top" if name == VAE else "bottom"  # of its line: the code's dots lie above that of the VAE
        right.text(1, value, name, color=style.colour(colour), fontsize=8.5, va=side, ha="right",
                   transform=right.get_yaxis_transform())  # fmt: skip
    right.set(xlabel="bits kept of the beginning (upper bound)", ylabel="nats per later point")
    return figure


def _path(axis: Axes, points: pd.DataFrame, colour: str) -> None:
    axis.plot(points["bits"], points["value"], "o", color=style.colour(colour), markersize=4)
    mean = points.groupby("beta")[["bits", "value"]].mean().sort_values("bits")
    axis.plot(mean["bits"], mean["value"], color=style.colour(colour), linewidth=1.2)


def drawn(shown: pd.DataFrame) -> Figure:
    """Fresh curves, curves of codes that were drawn at random, and what single numbers of a code do."""
    names = {FRESH: "fresh from the prior", DRAWN: "drawn by the autoencoder"} | {one: one for one in NUMBERS}
    figure, axes = panels(list(names.values()), (8.8, 5.0), 3, sharex=True, sharey=True)
    for axis, kind in zip(axes, names, strict=True):
        curves = [one for _, one in where(shown, kind=kind).groupby("curve")]
        for place, one in enumerate(curves):
            pale = 0.3 + 0.7 * (place + 1) / len(curves) if kind in NUMBERS else 1
            colour = style.colour("ours" if kind == FRESH else "paper")
            axis.plot(one["epoch"], one["value"], color=colour, linewidth=0.9, alpha=pale)
        axis.set_ylim(-0.1, 1.15)
    around(figure, "epoch", "value")
    return figure
