"""How many numbers is a learning curve?

Curves of the paper's prior as one to eight numbers: principal components, and an autoencoder that starts as these and may
bend. Held-out curves are given back from themselves, or from what typical noise leaves to be seen of them; the curve without
noise is what has to come back, since noise cannot be compressed. For that noise there are two further codes: components that
are shrunk by what noise adds to them, and an autoencoder that was trained for it. Then codes on real runs, beside principal
components of real runs on other data sets. And an autoencoder that denoises, in front of a forecaster.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.ground.config import later
from curvecast.latent.autoencoder import AutoencoderConfig
from curvecast.latent.fit import Principal, Steps, fit, fit_at_once, largest_angle, principal, rms
from presswork import AtLeast, AtMost, Below, Claim, Estimates, Interval, Rows, style, there, where
from reproduce.latent_curves._curves import (
    TYPICAL_NOISE,
    RealRuns,
    batches,
    data_set,
    real_runs,
    training_curves,
)
from reproduce.latent_curves.how_many_numbers import denoiser
from reproduce.latent_curves.how_many_numbers.denoiser import Behind, Denoiser
from reproduce.pictures.panels import legend, panels, ticks
from reproduce.protocols.timing import threads
from reproduce.trainings import TINY

LINEAR, BENT, REAL = "principal components", "autoencoder", "principal components of other data sets"
SHRUNK, FOR_NOISE = "shrunken components", "autoencoder trained for noise"
COLOURS = {LINEAR: "exact", BENT: "ours", REAL: "paper"}
THROUGH_NOISE = {LINEAR: "exact", SHRUNK: "pow3", FOR_NOISE: "ours"}
LEVELS = {10: -1.2816, 25: -0.6745, 50: 0.0, 75: 0.6745, 90: 1.2816}  # percentiles of a standard normal law
COORDINATES = 12  # principal components that an autoencoder sees: the others hold less than 2e-5
RUNS = "own_curves/paper"


@dataclass(frozen=True)
class Config:
    sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)
    seeds: int = 5
    curves: int = 20_000
    held_out: int = 2_000
    steps: int = 3_000
    linear: int = 3  # size of the linear autoencoder
    linear_steps: int = 4_000
    runs: int = 1_000  # real ones of each task, at most
    denoiser: Denoiser = Denoiser()
    behind: Behind = later(Behind())


SCALES = {
    "smoke": Config((2, 5), 2, 400, 60, 8, 1, 20, 4, Denoiser((10, 20), 800, 8, 4, 1, 2),
                    Behind(2, TINY["1x16"].model, 320, 4)),
    "laptop": Config(
        (1, 3, 5, 8), 2, 5_000, 500, 120, linear_steps=1_500,
        denoiser=Denoiser((10, 40), 5_000, 200, 40, 3, 2), behind=Behind(0),
    ),
    "paper": Config(),
}  # fmt: skip
TABLES = {
    "rows": ("code", "size", "seed", "error", "through_noise"),  # of curves of the prior
    "real": ("code", "size", "task", "error"),
    "levels": ("percentile", "size", "seed", "error"),  # of components, through less and more noise
    "angles": ("seed", "size", "angle"),  # degrees from the subspace of principal components
    **denoiser.TABLES,
}


def parts(config: Config) -> dict[str, dict[str, Any]]:
    codes, trained = range(config.seeds), range(config.behind.seeds)
    return {
        **{f"seed-{seed}": {"kind": "codes", "seed": seed} for seed in codes}, "denoiser": {"kind": "denoiser"},
        **{f"behind-{seed}": {"kind": "behind", "seed": seed} for seed in trained},
    }  # fmt: skip


def reads(config: Config) -> list[str]:
    return [RUNS]


def measure(config: Config, kind: str, seed: int, read: dict[str, Rows]) -> Rows:
    if kind == "denoiser":
        with threads():
            return denoiser.measured(config.denoiser, real_runs(read[RUNS], config.denoiser.runs))
    if kind == "behind":
        with threads():
            return {"behind": denoiser.measured_behind(config.denoiser, config.behind, seed)}
    x, y = training_curves(config.curves, seed).clean, prior.second_test_set(config.held_out).clean
    noise = torch.randn(y.shape, generator=torch.Generator().manual_seed(seed))
    runs = real_runs(read[RUNS], config.runs)
    with threads():
        basis = principal(x, COORDINATES)
        codes: dict[tuple[str, int], Any] = {(LINEAR, size): basis.first(size) for size in config.sizes}
        codes |= {(SHRUNK, size): Shrunk(basis.first(size)) for size in config.sizes}
        unlike_test = torch.Generator().manual_seed(seed + 1_000)
        noisy = x + TYPICAL_NOISE * torch.randn(x.shape, generator=unlike_test)
        for name, inputs in ((BENT, x), (FOR_NOISE, noisy)):
            for size in config.sizes:
                torch.manual_seed(seed)
                net = AutoencoderConfig(size).network(basis)
                codes[name, size] = fit(net, batches(inputs, x, seed), Steps(config.steps))
        angle = _angle(x, config.linear, config.linear_steps, seed)
    errors = [
        {"code": name, "size": size, "error": error(code, y, y), "through_noise": error(code, y + TYPICAL_NOISE * noise, y)}
        for (name, size), code in codes.items()
    ]  # fmt: skip
    # the prior has ln sigma ~ N(-4, 1)
    seen = {percentile: y + TYPICAL_NOISE * math.exp(z) * noise for percentile, z in LEVELS.items()}
    levels = [
        {"percentile": percentile, "size": size, "error": error(basis.first(size), noisy, y)}
        for percentile, noisy in seen.items() for size in config.sizes
    ]  # fmt: skip
    on_real = {key: code for key, code in codes.items() if key[0] in COLOURS}
    real = _real(on_real, config.sizes, runs) if seed == 0 else []
    return {
        "rows": pd.DataFrame(errors).assign(seed=seed),
        "levels": pd.DataFrame(levels).assign(seed=seed)[list(TABLES["levels"])],
        "real": pd.DataFrame(real, columns=list(TABLES["real"])),
        "angles": pd.DataFrame([{"seed": seed, "size": config.linear, "angle": angle}]),
    }


def _angle(x: Tensor, size: int, steps: int, seed: int) -> float:
    """From the space of principal components to that of a linear autoencoder, trained from random weights.

    It is trained on as many made-up curves as there are epochs, with the covariance of x, and so the same loss."""
    torch.manual_seed(seed)
    whole = principal(x.double(), x.shape[1])
    net = AutoencoderConfig(size, width=0, start="random").network(whole).double()
    fit_at_once(net, whole.mean + whole.epochs**0.5 * whole.spread[:, None] * whole.directions, steps)
    return largest_angle(whole.directions[:size], net.back.weight.T @ whole.directions).item()


class Shrunk(NamedTuple):
    """Components of noisy curves, each less by the share of its variance that is noise: the best linear code through it."""

    basis: Principal

    def encode(self, x: Tensor) -> Tensor:
        variance = self.basis.spread.square()
        return self.basis.encode(x) * variance / (variance + TYPICAL_NOISE**2)

    def decode(self, code: Tensor) -> Tensor:
        return self.basis.decode(code)


@torch.no_grad()
def error(code: Any, seen: Tensor, target: Tensor) -> float:
    return float(rms(code.decode(code.encode(seen)), target).square().mean().sqrt())


def _real(codes: dict[tuple[str, int], Any], sizes: tuple[int, ...], runs: RealRuns) -> list[dict[str, Any]]:
    lines, sets = [], np.array([data_set(task) for task in runs.task])
    for task in dict.fromkeys(runs.task):
        own = runs.accuracy[runs.task == task]
        others = principal(runs.accuracy[sets != data_set(task)], max(sizes))
        for (name, size), code in (codes | {(REAL, size): others.first(size) for size in sizes}).items():
            lines.append({"code": name, "size": size, "task": task, "error": error(code, own, own)})
    return lines


def estimates(rows: Rows) -> Estimates:
    """By the names of claims: over seeds, which draw curves and first weights; about real runs over data sets."""
    linear, bent = (by_seed(rows["rows"], name) for name in (LINEAR, BENT))
    through_noise = by_seed(rows["rows"], LINEAR, "through_noise")
    needed = through_noise.mean(axis=1).idxmin() if len(through_noise) else float("nan")
    fewest = through_noise.idxmin() if len(through_noise) else pd.Series(dtype=float)  # of each seed
    worst = (bent / linear).max()  # over sizes, of each seed
    fewer = (bent / linear.shift(-1)).dropna().mean()  # a bent code against a linear one of one number more
    shrunk, for_noise = (by_seed(rows["rows"], name, "through_noise") for name in (SHRUNK, FOR_NOISE))
    as_many, one_fewer, one_more = (for_noise.reindex([needed + step]).iloc[0] for step in (0, -1, 1))
    of_that_size = where(rows["real"], size=needed)
    real = of_that_size.assign(set=of_that_size["task"].map(data_set)).pivot_table("error", "set", "code")
    real = real.reindex(columns=[LINEAR, REAL]).rename_axis("data_set")
    found = {
        "linear_is_principal": Interval.of_mean(rows["angles"].set_index("seed")["angle"]),
        "bent_beats_linear": Interval.of_mean(worst),
        "bending_saves_a_number": Interval.of_mean(fewer),
        "numbers": Interval.of_mean(fewest),
        "noise_saves_a_number": Interval.of_mean(one_fewer / shrunk.reindex([needed]).iloc[0]),
        "one_more": Interval.of_mean(one_more / as_many),
        ("for noise", "bent"): Interval.of_mean(as_many / shrunk.reindex([needed]).iloc[0]),
        "real_runs": Interval.of_mean(real[LINEAR] / real[REAL]),
    }
    best = rows["levels"].pivot_table("error", ["percentile", "seed"], "size").idxmin(axis=1)
    at = {("numbers", level): Interval.of_mean(own) for level, own in best.groupby("percentile")}
    return there(found | at) | denoiser.estimates(rows)


def by_seed(rows: pd.DataFrame, code: str, column: str = "error") -> pd.DataFrame:
    """(sizes, seeds)"""
    return where(rows, code=code).pivot_table(index="size", columns="seed", values=column)


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    across, up = "numbers of the code", "error of a held-out curve (RMS)"
    titles = ["curves of the paper’s prior", "real runs: accuracy"]
    figure, (left, right) = panels(titles, (8.4, 3.9), across=across, up=up)
    squared = rows["real"].assign(square=rows["real"]["error"] ** 2)  # each task counts alike
    for name, colour in COLOURS.items():
        look: dict[str, Any] = {"color": style.colour(colour), "markersize": 4, "label": name}
        if name != REAL:
            left.plot(by_seed(rows["rows"], name).mean(axis=1), "o-", **look)
        squares = where(squared, code=name).groupby("size")["square"].mean()
        right.plot(np.sqrt(squares), "o-", **look)
    for name, colour in THROUGH_NOISE.items():
        seen = by_seed(rows["rows"], name, "through_noise").mean(axis=1)
        left.plot(seen, "--", color=style.colour(colour), label=f"{name}, through noise")
    for axis in (left, right):
        axis.set(yscale="log", xticks=config.sizes)
    ticks(left, (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03), "g", "y")
    ticks(right, (0.02, 0.03, 0.04, 0.06), "g", "y")
    legend(figure, [left, right], 2)
    return {"numbers": figure, "denoised": denoiser.draw(rows["denoised"], config.denoiser)}


def claims() -> list[Claim]:
    return [
        Claim("linear_is_principal", "Does a linear autoencoder, trained from random weights, span principal components?",
              "linear_is_principal", Below(1), "°"),
        Claim("bent_beats_linear", "At every code size, is the error of the autoencoder below that of principal components?",
              "bent_beats_linear", Below(1), "×"),
        Claim("bending_saves_a_number", "Does an autoencoder do with one number less than principal components?",
              "bending_saves_a_number", Below(1), "×"),
        Claim("numbers", "Do a few principal components restore a curve from typical noise better than more would?",
              "numbers", AtMost(6)),
        Claim("noise_saves_a_number", "Through typical noise, does an autoencoder trained for it do with one number less "
              "than shrunken components?", "noise_saves_a_number", Below(1), "×"),
        Claim("one_more", "Through that noise, does it gain at most 3 % from one number more than the best number of "
              "components?", "one_more", AtLeast(0.97), "×"),
        Claim("real_runs", "Do components of the prior describe real runs as well as components of runs on other data sets "
              "do?", "real_runs", AtMost(1.1), "×"),
        *denoiser.claims(),
    ]  # fmt: skip
