"""At which rate does a transformer's block stop learning, and does a switch of the block move that rate?

The plain block and four others are trained with Adam on a ladder of rates. A training is broken where it gave no number, or
stayed half a nat a point below what the plain block reaches at its best rate.
"""

from dataclasses import dataclass
from itertools import product

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from reproduce._press import style
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.backbones import _rows, _trainings
from reproduce.backbones._block_variants import HOT_VARIANTS, PLAIN, VARIANTS
from reproduce.backbones._trainings import Setting
from reproduce.pictures.panels import panels, ticks

BROKEN = 0.5  # nats a point below the plain block at its best
CUTOFF = 20
TABLES = {"rows": ("variant", "rate", "seed", "ll")}
LOOKS = {PLAIN: ("ours", "-"), "norm behind": ("paper", "--"), "RMSNorm": ("state space", "-."),
         "no biases": ("exact", ":"), "parallel": ("linear attention", "--")}  # fmt: skip


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
    "laptop": Config(rates=(2e-3, 1e-2, 5e-2), seeds=1, curves=2_048),
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
        ll = (
            float(_trainings.likelihoods(done.forecaster, y, (CUTOFF,))[CUTOFF].mean())
            if done
            else float("nan")
        )
        lines.append({"variant": variant, "rate": rate, "seed": seed, "ll": round(ll, 4)})
    return pd.DataFrame(lines)


def broken(rows: pd.DataFrame) -> pd.DataFrame:
    """The same rows with one column more: 1 where a training broke."""
    best = where(rows, variant=PLAIN).groupby("rate")["ll"].mean().max()
    return rows.assign(broke=(~(rows["ll"] >= best - BROKEN)).astype(float))


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    titles = (f"nats per point after {CUTOFF} epochs, the median of seeds", "trainings that broke, %")
    figure, (scores, share) = panels(titles, (9.4, 3.8), sharex=True)
    told = broken(rows)
    for name in config.variants:
        colour, dashes = style.colour(LOOKS[name][0]), LOOKS[name][1]
        by_rate = where(told, variant=name).groupby("rate")
        scores.plot(by_rate["ll"].median(), dashes, marker=".", color=colour, label=name)
        share.plot(100 * by_rate["broke"].mean(), dashes, marker=".", color=colour)
    for axis in (scores, share):
        axis.set(xscale="log", xlabel="rate of Adam")
    share.set_ylim(-3, 103)
    ticks(share, config.rates, "g")
    figure.legend(loc="outside upper center", ncols=len(config.variants))
    return {"ladder": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    told, lines = broken(rows), []
    for name in config.variants:
        counts = where(told, variant=name).groupby("rate")["broke"].agg(["sum", "size"])
        cells = {f"{rate:g}": f"{one['sum']:.0f} of {one['size']:.0f}" for rate, one in counts.iterrows()}
        lines.append({"variant": name} | cells)
    return {"broken": pd.DataFrame(lines)}


def more_often(told: pd.DataFrame, variant: str) -> Interval | None:
    """Share of trainings that broke beyond that of the plain block, over all rates; seeds are the sample."""
    share = told.pivot_table(index="seed", columns="variant", values="broke")
    if not {variant, PLAIN} <= set(share):
        return None
    return Interval.of_mean((share[variant] - share[PLAIN]).dropna())


SENTENCES = {  # name: which variant, and what is said of it
    "norm_behind_breaks_more": ("norm behind", "> 0", "With its norms behind, more trainings of the ladder break"),
    "parallel_breaks_more": ("parallel", "> 0", "Of a parallel block, more trainings of the ladder break"),
    "rms_breaks_alike": ("RMSNorm", "between -0.1 and 0.1",
                         "With RMSNorm, {least:+.0%} to {most:+.0%} more trainings of the ladder break"),
    "no_biases_break_less": ("no biases", "< 0", "Without biases, fewer trainings of the ladder break"),
}  # fmt: skip


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    told = broken(rows)
    return [
        claim(name, f"{words} than of the plain block: {{value:+.0%}}.", more_often(told, variant), condition)
        for name, (variant, condition, words) in SENTENCES.items()
    ]
