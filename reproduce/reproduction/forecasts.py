"""What do forecasts look like?"""

from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Between, Claim, Estimates, Rows
from presswork.estimates import with_errors
from presswork.style import colour, faint, ink
from reproduce.pictures.panels import bands, legend, panels, window
from reproduce.trainings import SMALL, TINY

TABLES = {
    "rows": ("cutoff", "curve", "epoch", "noisy", "clean", "q05", "q25", "q50", "q75", "q95"),
    "coverage": ("cutoff", "band", "share", "se", "n"),
    "ends": ("curve", "epoch", "clean"),
}
LEVELS = {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}


@dataclass(frozen=True)
class Config:
    train: TrainConfig = SMALL["3x128"]
    curves: int = 6  # drawn: the first of the test set, not chosen
    checked: int = 500  # for the coverage
    cutoffs: tuple[int, ...] = (10, 20)


SCALES = {
    "smoke": Config(TINY["1x16"], curves=2, checked=20),
    "laptop": Config(),
    "paper": Config(checked=1000),
}


def measure(config: Config) -> Rows:
    forecaster = trained(config.train)
    curves = prior.test_set(config.checked)
    x = torch.arange(1, curves.noisy.shape[1] + 1).float().expand(config.checked, -1)
    frames, covered = [], []
    for cutoff in config.cutoffs:
        levels = _quantiles(forecaster, x, curves.noisy, cutoff)
        y = curves.noisy[:, cutoff:]
        for name, low, high in (("50 %", "q25", "q75"), ("90 %", "q05", "q95")):
            share = ((y >= levels[low]) & (y <= levels[high])).double().mean(1)
            covered.append({"cutoff": cutoff, "band": name, "share": share.mean().item(),
                            "se": share.std().item() / len(share) ** 0.5, "n": len(share)})  # fmt: skip
        for i in range(config.curves):
            frame = pd.DataFrame({"cutoff": cutoff, "curve": i, "epoch": x[i].int().numpy(),
                                  "noisy": curves.noisy[i].numpy(), "clean": curves.clean[i].numpy()})  # fmt: skip
            quantiles = {n: np.r_[np.full(cutoff, np.nan), values[i].numpy()] for n, values in levels.items()}
            frames.append(frame.assign(**quantiles))
    return {"rows": pd.concat(frames), "coverage": pd.DataFrame(covered), "ends": _ends(config)}


def _quantiles(forecaster: Forecaster, x: Tensor, y: Tensor, cutoff: int) -> dict[str, Tensor]:
    """Each (n, T - cutoff); twenty curves at a time, whose buckets stay in the cache."""
    portions = []
    for i in range(0, len(y), 20):
        part = slice(i, i + 20)
        density = forecaster.predict(x[part, :cutoff], y[part, :cutoff], x[part, cutoff:])
        portions.append({name: density.quantile(level) for name, level in LEVELS.items()})
    return {name: torch.cat([p[name] for p in portions]) for name in LEVELS}


def _ends(config: Config) -> pd.DataFrame:
    """Test curves that stay near the first rising one for ten epochs, from the lowest to the highest end."""
    clean = prior.test_set().clean
    rising = clean[(clean[:, 9] - clean[:, 0] > 0.15)]
    away = (rising[:, :10] - rising[0, :10]).abs().amax(1)
    alike = rising[away < 0.045]
    order = alike[:, -1].argsort()
    chosen = order[torch.linspace(0, len(order) - 1, min(9, len(order))).long()]
    frames = [pd.DataFrame({"curve": i, "epoch": np.arange(1, clean.shape[1] + 1), "clean": alike[k].numpy()})
              for i, k in enumerate(chosen)]  # fmt: skip
    return pd.concat(frames)


def estimates(rows: Rows) -> Estimates:
    """{(band, cutoff): share of the future points that lie in it}"""
    return with_errors(rows["coverage"], ["band", "cutoff"], "share", "se")


def draw(rows: Rows) -> dict[str, Figure]:
    few = rows["rows"][rows["rows"]["cutoff"] == 10]
    return {"cutoff10": _panels(few, 10), "problem": _problem(rows["ends"]), "idea": _idea(rows["rows"])}


def _panels(rows: pd.DataFrame, cutoff: int) -> Figure:
    n = rows["curve"].nunique()
    figure, axes = panels([""] * n, (9, 2.5 * -(-n // min(3, n))), 3, sharex=True)
    for axis, (_, curve) in zip(axes, rows.groupby("curve"), strict=True):
        _forecast(axis, curve, cutoff)
    for axis in axes[-3:]:
        axis.set_xlabel("epoch")
    for axis in axes[::3]:
        axis.set_ylabel("value")
    legend(figure, axes, 6)
    return figure


def _forecast(axis: Axes, curve: pd.DataFrame, cutoff: int) -> None:
    seen, later = curve[curve["epoch"] <= cutoff], curve[curve["epoch"] > cutoff]
    ours = colour("ours")
    strengths = {("q05", "q95"): 0.18, ("q25", "q75"): 0.35}
    bands(axis, later["epoch"], later, ours, strengths, "90 %", "50 %")
    dots: dict[str, Any] = {"color": ink(), "markersize": 2, "alpha": 0.7}
    axis.plot(later["epoch"], later["q50"], color=ours, label="median")
    axis.plot(later["epoch"], later["noisy"], ".", label="future points", **dots)
    axis.plot(curve["epoch"], curve["clean"], ":", color=ink(), linewidth=0.9, label="without noise")
    axis.plot(seen["epoch"], seen["noisy"], ".", color=colour("paper"), markersize=5, label="observed points")
    axis.axvline(cutoff + 0.5, color=faint(), linewidth=1)
    window(axis, pd.concat([curve["noisy"], curve["q05"], curve["q95"]]).dropna())


def _problem(ends: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(7, 3.2))
    for _, curve in ends.groupby("curve"):
        seen, later = curve[curve["epoch"] <= 10], curve[curve["epoch"] >= 10]
        axis.plot(seen["epoch"], seen["clean"], color=colour("paper"), linewidth=2)
        axis.plot(later["epoch"], later["clean"], color=colour("ours"), linewidth=1.2, linestyle="--")
        axis.plot(100, curve["clean"].iloc[-1], "o", color=colour("ours"), markersize=4)
    axis.axvline(10, color=faint())
    axis.annotate("after 10 observed epochs:\nwhich of these?", (10, 0.04), xycoords=("data", "axes fraction"), xytext=(8, 0),
                  textcoords="offset points")  # fmt: skip
    axis.set(xlabel="epoch", ylabel="score", xlim=(0, 102))
    return figure


def _idea(rows: pd.DataFrame) -> Figure:
    """Four panels from left to right, drawn with a test curve and its forecast."""
    cutoff = rows["cutoff"].max()
    one = rows[(rows["cutoff"] == cutoff) & (rows["curve"] == 0)]
    seen, later = one[one["epoch"] <= cutoff], one[one["epoch"] > cutoff]
    titles = ["1  sample a curve", "2  hide its tail"]
    titles += ["3  train a network to\n    predict the tail", "4  forecast a new curve\n    in one pass"]
    figure, axes = panels(titles, (9.6, 2.6), sharey=True)
    for axis in axes:
        axis.set(xticks=[1, 50, 100], xlabel="epoch", xlim=(0, 101))
    axes[0].plot(one["epoch"], one["noisy"], ".", color=colour("paper"), markersize=3)
    axes[0].plot(one["epoch"], one["clean"], color=ink(), linewidth=0.9, linestyle=":")
    for axis in axes[1:3]:
        axis.plot(seen["epoch"], seen["noisy"], ".", color=colour("paper"), markersize=3)
        axis.axvspan(cutoff + 0.5, 101, color=faint(), alpha=0.5, linewidth=0)
    axes[1].text(60, one["clean"].mean(), "?", fontsize=26, ha="center", va="center", color=ink())
    for epoch in (35, 65, 95):  # the hidden points that the network predicts
        point = later[later["epoch"] == epoch].iloc[0]
        axes[2].errorbar(epoch, point["q50"], yerr=[[point["q50"] - point["q05"]], [point["q95"] - point["q50"]]],
                         color=colour("ours"), capsize=3, marker="_")  # fmt: skip
        axes[2].plot(epoch, point["noisy"], ".", color=colour("paper"), markersize=6)
    other = rows[(rows["cutoff"] == cutoff) & (rows["curve"] == rows["curve"].max())]
    low, high = one["noisy"].min(), one["noisy"].max()
    shift = one["clean"].mean() - other["clean"].mean()  # drawn at the same height: only the shape matters
    moved = other.assign(**{c: other[c] + shift for c in ("noisy", "clean", *LEVELS)})
    new, rest = moved[moved["epoch"] <= cutoff], moved[moved["epoch"] > cutoff]
    bands(axes[3], rest["epoch"], rest, colour("ours"), {("q05", "q95"): 0.25})
    axes[3].plot(rest["epoch"], rest["q50"], color=colour("ours"))
    axes[3].plot(new["epoch"], new["noisy"], ".", color=colour("paper"), markersize=3)
    axes[0].set(ylim=(low - 0.1, high + 0.1), yticks=[])
    return figure


def claims(config: Config) -> list[Claim]:
    network = f"this {config.train.model.layers} × {config.train.model.width} network"
    half, most = Between(0.5 - 0.04, 0.5 + 0.04), Between(0.9 - 0.03, 0.9 + 0.03)
    return [
        Claim(f"covers_{percent}_at_{cutoff}", f"After {cutoff} epochs, does the {percent} % interval of {network} cover "
              "about that share of the future points?", (f"{percent} %", cutoff), needed, "%")
        for percent, cutoff, needed in ((50, 10, half), (90, 10, most), (90, 20, most))
    ]  # fmt: skip
