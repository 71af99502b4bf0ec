"""Do sampled futures give the right chance that any later epoch beats the best so far?

Intervals for single epochs do not say how the epochs move together, and the best value depends on all of them. A sampled
future draws one value after the other, each given the earlier ones, at up to sixteen epochs; so the question is whether any
of these sixteen beats the best so far. Three forecasts of that chance are compared with what happened: the share of sampled
futures; the same values as if epochs were independent; the likeliest epoch alone. The curves are those of `limits`, from the
paper's prior.

Shapes: F futures, Q epochs.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.forecasting.api import forecast
from reproduce._press import style
from reproduce._press.claim import AtLeast, AtMost, Between, Claim, Needs
from reproduce._press.estimates import Estimates, by_mean, line, those_of
from reproduce.pictures.panels import panels

ANSWERS = {
    "futures": "sampled futures",
    "independent": "independent epochs",
    "likeliest": "likeliest epoch alone",
}
COLOURS = {"futures": "shipped", "independent": "paper", "likeliest": "last"}
TABLES = {"rows": ("curve", "cutoff", "margin", "epochs", "happened", *ANSWERS)}


@dataclass(frozen=True)
class Config:
    curves: int = 250  # of THE test set, the first ones
    futures: int = 20
    cutoffs: tuple[int, ...] = (10,)
    margins: tuple[float, ...] = (0.0, 0.02, 0.05, 0.1)
    seed: int = 0


SCALES = {
    "smoke": Config(curves=3, futures=4),
    "laptop": Config(),
    "paper": Config(curves=2000, futures=100, cutoffs=(10, 40)),
}


def parts(config: Config) -> list[str]:
    return [f"seen{cutoff}" for cutoff in config.cutoffs]


def measure(config: Config, part: str) -> pd.DataFrame:
    cutoff = int(part.removeprefix("seen"))
    noisy = prior.test_set(config.curves).noisy
    seen = noisy[:, :cutoff]
    within = ((seen >= 0) & (seen <= 1)).all(1).nonzero()[:, 0]  # as an accuracy is
    rows = []
    for i, run in zip(within.tolist(), forecast(seen[within].numpy(), check=False), strict=True):
        steps, values = run.futures(config.futures, seed=config.seed + i)  # (Q,), (F, Q)
        later, so_far = noisy[i].numpy()[steps.astype(int) - 1], float(seen[i].max())
        for margin in config.margins:
            row = chances(values, so_far + margin) | {"happened": int(later.max() > so_far + margin)}
            rows.append({"curve": i, "cutoff": cutoff, "margin": margin, "epochs": len(steps)} | row)
    return pd.DataFrame(rows)[list(TABLES["rows"])].round(4)


def chances(values: np.ndarray, t: float) -> dict[str, float]:
    """That any epoch exceeds t, from values (F, Q)."""
    above = values > t
    by_epoch = above.mean(0)  # (Q,)
    return {
        "futures": float(above.any(1).mean()),
        "independent": float(1 - np.prod(1 - by_epoch)),
        "likeliest": float(by_epoch.max()),
    }


# ------------------------------------------------------------------------------------------------- estimates


def above_what_happened(rows: pd.DataFrame) -> Estimates:
    """By forecast, cutoff and margin: the chance that is forecast, minus the share of curves on which it happened."""
    said = rows.melt(["cutoff", "margin", "happened"], [*ANSWERS], "answer", "chance")
    return by_mean(
        said.assign(over=said["chance"] - said["happened"]), ["answer", "cutoff", "margin"], "over"
    )


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Forecast chance minus what happened, by margin; a panel for each number of observed epochs."""
    cutoffs, found = sorted(set(rows["cutoff"])), above_what_happened(rows)
    titles = [f"{c} epochs observed" for c in cutoffs]
    figure, axes = panels(titles, (max(7.5, 4.6 * len(cutoffs)), 3.4), sharey=True)
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        for number, (answer, name) in enumerate(ANSWERS.items()):
            over = those_of(those_of(found, answer), cutoff)
            beside = {margin + 0.002 * (number - 1): one for margin, one in over.items()}
            look = style.colour(COLOURS[answer])
            y = line(axis, beside, marker="o", markersize=4, color=look)
            if axis is axes[-1] and beside:
                axis.annotate(name, ([*beside][-1], y[-1]), xytext=(14, (4, -3, -9)[number]),
                              textcoords="offset points", color=look, fontsize=9)  # fmt: skip
        axis.axhline(0, color=style.ink(), linewidth=0.8)
        axis.set_xlabel("margin over the best so far")
    axes[0].set_ylabel("forecast chance − share of curves")
    return {"said": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    shares = rows.groupby(["cutoff", "margin"])[[*ANSWERS, "happened"]].mean().rename(columns=ANSWERS)
    said = shares.map("{:.3f}".format)
    said.index = pd.Index(
        [f"{cutoff} epochs, {margin:g}" for cutoff, margin in shares.index], name="observed, margin"
    )
    return {"said": said.reset_index()}


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    found, stated = above_what_happened(rows), []
    for cutoff in config.cutoffs:
        end = f"how often any of sixteen later epochs beats the best of {cutoff} by 0.05?"
        questions: dict[str, tuple[str, Needs]] = {
            "futures": (f"Do sampled futures of the released model about match {end}", Between(-0.1, 0.1)),
            "independent": (f"Do the released model’s epochs, treated as independent, avoid overstating {end}", AtMost(0)),
            "likeliest": (f"Does the released model’s likeliest epoch alone avoid understating {end}", AtLeast(0)),
        }  # fmt: skip
        for answer, (question, needs) in questions.items():
            over = found.get((answer, cutoff, 0.05))
            stated.append(Claim(f"{answer}_said_at_{cutoff}", question, over, needs))
    return stated
