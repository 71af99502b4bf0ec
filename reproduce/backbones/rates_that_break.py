"""At which learning rate does a transformer’s block stop learning, and does a change of the block move that rate?

The plain block and four others are trained with Adam at rising learning rates. A training is broken where it became NaN, or
stayed half a nat per point below the plain block at its best rate.
"""

from dataclasses import dataclass
from itertools import product

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from reproduce._press import style
from reproduce._press.claim import Above, Below, Between, Claim, Needs
from reproduce._press.intervals import Interval
from reproduce._press.where import minus, where
from reproduce.backbones import _rows, _trainings
from reproduce.backbones._block_variants import HOT_VARIANTS, PLAIN, TITLES, VARIANTS
from reproduce.backbones._trainings import Setting
from reproduce.pictures.panels import panels, ticks

BROKEN = 0.5  # nats a point below the plain block at its best
CUTOFF = 20
LINES = {PLAIN: ("ours", "-"), "norm behind": ("paper", "--"), "RMSNorm": ("state space", "-."),
         "no biases": ("exact", ":"), "parallel": ("linear attention", "--")}  # fmt: skip
CONTESTS: dict[str, tuple[str, Needs, str]] = {
    "norm_behind_breaks_more": ("norm behind", Above(0),
                                "do more trainings break with normalisation after each sublayer than before"),
    "parallel_breaks_more": ("parallel", Above(0), "do more trainings break with a parallel block than with a serial one"),
    "rms_breaks_alike": ("RMSNorm", Between(-0.1, 0.1), "do about as many trainings break with RMSNorm as with LayerNorm"),
    "no_biases_break_less": ("no biases", Below(0), "do fewer trainings break without biases than with biases"),
}  # fmt: skip
TABLES = {"rows": ("variant", "rate", "seed", "ll")}


@dataclass(frozen=True)
class Config:
    variants: tuple[str, ...] = HOT_VARIANTS
    rates: tuple[float, ...] = (2e-3, 5e-3, 1e-2, 2e-2, 5e-2)
    seeds: int = 5
    parameters: int = _rows.PARAMETERS
    curves: int = 4_032
    scored: int = 500  # curves of the second test set


SCALES = {
    "smoke": Config(rates=(2e-3, 2e-2), seeds=2, parameters=4_000, curves=64, scored=8),
    "laptop": Config(rates=(2e-3, 1e-2, 5e-2), seeds=1, curves=1_024),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    return [f"seed-{seed}" for seed in range(config.seeds)]


def measure(config: Config, part: str) -> pd.DataFrame:
    seed, y = int(part.removeprefix("seed-")), prior.second_test_set(config.scored).noisy
    lines = []
    for variant, rate in product(config.variants, config.rates):
        model = _rows.reader_of(VARIANTS[variant], config.parameters)
        done = _trainings.train(_trainings.training(model, Setting("adam", rate, 0.0), config.curves, seed))
        by_cutoff = _trainings.likelihoods(done.forecaster, y, (CUTOFF,)) if done else {}
        ll = round(float(by_cutoff[CUTOFF].mean()), 4) if done else float("nan")
        lines.append({"variant": variant, "rate": rate, "seed": seed, "ll": ll})
    return pd.DataFrame(lines)


def broken(rows: pd.DataFrame) -> pd.DataFrame:
    """The same rows with a column `broke`: 1 where a training broke."""
    best = where(rows, variant=PLAIN).groupby("rate")["ll"].mean().max()
    return rows.assign(broke=(~(rows["ll"] >= best - BROKEN)).astype(float))


def more_often(marked: pd.DataFrame, variant: str) -> Interval | None:
    """The share of broken trainings over all rates, minus the share of the plain block; the interval is over seeds."""
    return Interval.of_mean(minus(marked, "variant", variant, PLAIN, "broke", by="seed"))


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    titles = (
        f"nats per point after {CUTOFF} epochs, median of seeds\n(higher is better)",
        "broken trainings, %\n(lower is better)",
    )
    figure, (scores, share) = panels(titles, (9.4, 3.8), sharex=True)
    marked = broken(rows)
    for name in config.variants:
        colour, dashes = style.colour(LINES[name][0]), LINES[name][1]
        by_rate = where(marked, variant=name).groupby("rate")
        scores.plot(by_rate["ll"].median(), dashes, marker=".", color=colour, label=TITLES.get(name, name))
        share.plot(100 * by_rate["broke"].mean(), dashes, marker=".", color=colour)
    for axis in (scores, share):
        axis.set(xscale="log", xlabel="learning rate of Adam")
    share.set_ylim(-3, 103)
    ticks(share, config.rates, "g")
    figure.legend(loc="outside upper center", ncols=len(config.variants), fontsize=9)
    return {"ladder": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    marked, lines = broken(rows), []
    for name in config.variants:
        counts = where(marked, variant=name).groupby("rate")["broke"].agg(["sum", "size"])
        cells = {f"{rate:g}": f"{one['sum']:.0f} of {one['size']:.0f}" for rate, one in counts.iterrows()}
        lines.append({"variant": TITLES.get(name, name)} | cells)
    return {"broken": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    marked = broken(rows)
    over = "Over all learning rates of a small transformer,"
    return [
        Claim(name, f"{over} {asks}?", more_often(marked, variant), needs, "%")
        for name, (variant, needs, asks) in CONTESTS.items()
    ]
