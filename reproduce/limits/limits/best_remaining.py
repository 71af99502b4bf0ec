"""Will a later epoch beat the best so far? Forecasts from one distribution for each epoch, without a joint distribution.

Shapes: n curves, Q = remaining epochs.
"""

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.networks.bars import Bars
from curvecast.training.train import Forecaster
from reproduce._press.claim import AtMost, Between, Claim
from reproduce._press.estimates import Estimates, by_mean, line, those_of
from reproduce._press.intervals import Interval
from reproduce._press.style import colour, ink
from reproduce._press.where import Rows, where
from reproduce.pictures.panels import legend, panels

AT_ONCE = 20  # curves, each with all its later epochs
TITLES = {
    "independent": "independent epochs",
    "largest": "likeliest epoch alone",
    "happened": "happened",
    "last": "epoch 100, forecast",
    "last_happened": "epoch 100, happened",
}
SAID = {"independent": ("epochs independent", "-"), "largest": ("likeliest epoch alone", "--")}


def chances(forecaster: Forecaster, y: Tensor, cutoff: int, margins: tuple[float, ...]) -> Rows:
    """`best`: a row for each curve and margin; `place`: the quantile of the best later value if epochs were independent."""
    x = torch.arange(1, y.shape[1] + 1.0)
    frames, places = [], []
    for i in range(0, len(y), AT_ONCE):
        some = y[i : i + AT_ONCE]
        epochs = x.expand(len(some), -1)
        density = forecaster.predict(epochs[:, :cutoff], some[:, :cutoff], epochs[:, cutoff:])  # (n, Q)
        so_far, best = some[:, :cutoff].amax(1), some[:, cutoff:].amax(1)
        curve = range(i, i + len(some))
        places.append(pd.DataFrame({"curve": curve, "independent": none_above(density, best)[0].tolist()}))
        for margin in margins:
            independent, together, last = none_above(density, so_far + margin)
            frames.append(pd.DataFrame({
                "curve": curve, "margin": margin, "happened": (best > so_far + margin).int().tolist(),
                "independent": (1 - independent).tolist(), "largest": (1 - together).tolist(),
                "last": (1 - last).tolist(), "last_happened": (some[:, -1] > so_far + margin).int().tolist(),
            }))  # fmt: skip
    return {
        name: pd.concat(some).assign(cutoff=cutoff) for name, some in (("best", frames), ("place", places))
    }


def none_above(density: Bars, t: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The chance that no epoch exceeds t (n,): if all were independent; by the likeliest epoch alone; by the last alone."""
    below = density.cdf(t[:, None].expand(density.log_p.shape[:-1])).double()  # (n, Q)
    return below.clamp(min=1e-300).log().sum(1).exp(), below.amin(1), below[:, -1]


def means(rows: pd.DataFrame, value: str) -> Estimates:
    """By cutoff and margin."""
    return by_mean(rows, ["cutoff", "margin"], value, Interval.of_many)


def draw(rows: Rows) -> Figure:
    cutoffs = sorted(set(rows["best"]["cutoff"]))
    figure, axes = panels([f"{cutoff} epochs observed" for cutoff in cutoffs], (9, 3.4), sharey=True)
    found = {name: means(rows["best"], name) for name in ("independent", "largest", "happened")}
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        for name, (words, dashes) in SAID.items():
            chance = {margin: one.value for margin, one in those_of(found[name], cutoff).items()}
            axis.plot([*chance], [*chance.values()], dashes, color=colour("ours"), label=f"forecast, {words}")
        line(axis, those_of(found["happened"], cutoff), fmt="o", color=ink(), markersize=4,
             label="share of curves on which it happened")  # fmt: skip
        axis.set(xlabel="margin over the best so far", ylim=(0, 1.02))
    axes[0].set_ylabel("chance of a better later value")
    legend(figure, axes, 3)
    return figure


def table(rows: pd.DataFrame) -> pd.DataFrame:
    columns = {title: means(rows, name) for name, title in TITLES.items()}
    return pd.DataFrame([
        {"observed, margin": f"{cutoff} epochs, {margin:g}"}
        | {title: f"{found[cutoff, margin].value:.3f}" for title, found in columns.items()}
        for cutoff, margin in columns["happened"]
    ])  # fmt: skip


def claims(rows: Rows) -> list[Claim]:
    """After ten epochs; later ones beat them by a clear margin."""
    clear = where(rows["best"], cutoff=10, margin=0.05)
    beats = "how often a later epoch beats the best of ten by a clear margin?"

    def more(one: str, other: str) -> Interval | None:
        return Interval.of_many(clear[one] - clear[other])

    return [
        Claim("independent_overstates",
              f"Do our 3 × 128 network’s epochs, treated as independent, avoid overstating {beats}",
              more("independent", "happened"), AtMost(0.05)),
        Claim("likeliest_understates",
              f"Does our 3 × 128 network’s likeliest epoch alone, as in the paper, avoid understating {beats}",
              more("happened", "largest"), AtMost(0.05)),
        Claim("last_is_honest", "Is the forecast of our 3 × 128 network right on how often epoch 100 beats the best of ten "
              "by a clear margin?", more("last", "last_happened"), Between(-0.05, 0.05)),
    ]  # fmt: skip
