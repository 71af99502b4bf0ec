"""What do forecasts look like?"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.training.steps import Training
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Between, Claim, Estimates, Rows, where
from presswork.estimates import with_errors
from presswork.style import colour, faint, ink
from reproduce.pictures.panels import bands, legend, panels, window
from reproduce.trainings import SMALL, TINY

TABLES = {
    "rows": ("cutoff", "curve", "epoch", "noisy", "clean", "q05", "q25", "q50", "q75", "q95"),
    "coverage": ("cutoff", "band", "share", "se", "n"),
    "ends": ("curve", "epoch", "clean"),
    "prior": ("curve", "epoch", "noisy", "clean"),
    "frames": ("curve", "trained_on", "cutoff", "epoch", "low", "median", "high"),
    "loss": ("curves", "loss"),
}
LEVELS = {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}


@dataclass(frozen=True)
class Config:
    train: TrainConfig = SMALL["3x128"]
    curves: int = 6  # drawn: the first of the test set, not chosen
    checked: int = 500  # for the coverage
    cutoffs: tuple[int, ...] = (10, 20)
    sampled: int = 50  # in the picture of the idea: the first of the test set
    steps: tuple[int, ...] = (0, 15, 30, 60, 120, 240, 480)  # of a training, after which one is forecast
    uncovered: tuple[int, ...] = (10, 20, 40, 70)  # cutoffs of the trained network


SCALES = {
    "smoke": Config(TINY["1x16"], curves=2, checked=20, sampled=4, steps=(0, 5), uncovered=(10, 40)),
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
    tables = {"rows": pd.concat(frames), "coverage": pd.DataFrame(covered), "ends": _ends()}
    return tables | _idea_rows(config, forecaster)


def _quantiles(forecaster: Forecaster, x: Tensor, y: Tensor, cutoff: int) -> dict[str, Tensor]:
    """Each (n, T - cutoff); twenty curves at a time, whose buckets stay in the cache."""
    portions = []
    for i in range(0, len(y), 20):
        part = slice(i, i + 20)
        density = forecaster.predict(x[part, :cutoff], y[part, :cutoff], x[part, cutoff:])
        portions.append({name: density.quantile(level) for name, level in LEVELS.items()})
    return {name: torch.cat([p[name] for p in portions]) for name in LEVELS}


def _ends() -> pd.DataFrame:
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


def _idea_rows(config: Config, after: Forecaster) -> Rows:
    """Curves of the prior, and forecasts of the one that rises most: amid a training, and with ever more of it observed."""
    clean, noisy, _ = prior.test_set(config.sampled)
    epochs = torch.arange(1, clean.shape[1] + 1)
    sampled = [
        pd.DataFrame({"curve": i, "epoch": epochs, "noisy": noisy[i], "clean": y})
        for i, y in enumerate(clean)
    ]
    one, frames = int((clean[:, -1] - clean[:, 0]).argmax()), []
    for trained_on, cutoff, forecaster in _moments(config, after):
        levels = _quantiles(forecaster, epochs[None].float(), noisy[[one]], cutoff)
        frame = {"curve": one, "trained_on": trained_on, "cutoff": cutoff, "epoch": epochs[cutoff:]}
        names = {"low": "q05", "median": "q50", "high": "q95"}
        frames.append(pd.DataFrame(frame | {name: levels[level][0] for name, level in names.items()}))
    loss = pd.DataFrame(after.history)[["curves", "loss"]]
    return {"prior": pd.concat(sampled), "frames": pd.concat(frames), "loss": loss}


def _moments(config: Config, after: Forecaster) -> Iterator[tuple[int, int, Forecaster]]:
    """(curves so far, cutoff, the network as it is then), while its training begins once more and after it."""
    with Training(config.train, config.train.network()) as training:
        for begin, end in pairwise((0, *config.steps)):
            for i in range(begin, end):
                training.step(i)
            yield end * config.train.batch, config.uncovered[0], Forecaster(config.train, training.net, [])
    for cutoff in config.uncovered:
        yield config.train.curves, cutoff, after


def estimates(rows: Rows) -> Estimates:
    """{(band, cutoff): share of the future points that lie in it}"""
    return with_errors(rows["coverage"], ["band", "cutoff"], "share", "se")


def draw(rows: Rows) -> dict[str, Figure]:
    few = rows["rows"][rows["rows"]["cutoff"] == 10]
    return {"cutoff10": _panels(few, 10), "problem": _problem(rows["ends"]), "idea": _idea(rows)}


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


def _idea(rows: Rows) -> Figure:
    """The picture that changes while its text passes (docs/assets/idea), at the end of each of its four steps."""
    frames, ours = rows["frames"], colour("ours")
    cutoff, trained_on = frames["cutoff"].min(), frames["trained_on"].max()
    one = where(rows["prior"], curve=frames["curve"].iloc[0])
    seen, later = one[one["epoch"] <= cutoff], one[one["epoch"] > cutoff]
    titles = ("1  sample curves", "2  hide the tail of one", "3  train a network", "4  observe more")
    figure, axes = panels(titles, (9.6, 2.7), across="epoch", sharey=True)
    plt.setp(axes, xticks=[1, 50, 100], xlim=(0, 101), yticks=[0, 0.5, 1], ylim=(0, 1.02))
    axes[0].set_ylabel("score")
    for _, curve in rows["prior"].query("epoch <= 10 or epoch % 5 == 0").groupby("curve"):
        axes[0].plot(curve["epoch"], curve["clean"], color=ink(), linewidth=0.8, alpha=0.4)
    for axis in axes[1:]:
        axis.plot(seen["epoch"], seen["noisy"], ".", color=colour("paper"), markersize=4)
    axes[1].axvspan(cutoff + 0.5, 101, color=faint(), alpha=0.5, linewidth=0)
    axes[1].text(55, 0.5, "?", fontsize=26, ha="center", va="center", color=ink())
    learning, uncovered = where(frames, cutoff=cutoff), where(frames, trained_on=trained_on)
    for axis, forecasts, by in ((axes[2], learning, "trained_on"), (axes[3], uncovered, "cutoff")):
        axis.plot(later["epoch"], later["noisy"], ".", color=ink(), markersize=2, alpha=0.5)
        for _, frame in forecasts.groupby(by):
            bands(axis, frame["epoch"], frame, ours, {("low", "high"): 0.1})
        axis.plot(frame["epoch"], frame["median"], color=ours)
    inset = axes[2].inset_axes((0.36, 0.14, 0.58, 0.2))
    inset.plot(rows["loss"]["curves"], rows["loss"]["loss"], color=ink(), linewidth=1)
    inset.set(xscale="log", xticks=[], yticks=[], xlabel="training", ylabel="loss")
    inset.minorticks_off()
    return figure


def claims(config: Config) -> list[Claim]:
    network = f"this {config.train.model.layers} × {config.train.model.width} network"
    half, most = Between(0.5 - 0.04, 0.5 + 0.04), Between(0.9 - 0.03, 0.9 + 0.03)
    return [
        Claim(f"covers_{percent}_at_{cutoff}", f"After {cutoff} epochs, does the {percent} % interval of {network} cover "
              "about that share of the future points?", (f"{percent} %", cutoff), needed, "%")
        for percent, cutoff, needed in ((50, 10, half), (90, 10, most), (90, 20, most))
    ]  # fmt: skip
