"""How close to the exact posterior does an hour on two cores come, and how soon does a network match the printed ones?"""

from dataclasses import dataclass, field, replace

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.ground.config import later
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Claim
from reproduce._press.where import where
from reproduce.pictures.panels import around, legend, panels
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _luck_of_seeds, _method_scores
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.reproduction.two_cores import at_twice_the_effort, rungs
from reproduce.reproduction.two_cores import claims as claimed
from reproduce.reproduction.two_cores.networks import BEFORE, LADDER, NETWORKS, TINY_NETWORKS, Trained

STOPWATCHES = ("training.seconds",)

ROUNDING = "a step of a particle that rounding decides otherwise on another processor"
TOLERANCES = dict.fromkeys(("again.exact", "again.lost", "again.ess"), (0.05, ROUNDING))
TABLES = {
    "rows": ("network", "seed", "method", "cutoff", "n", "ll", "ll_se", "ll_even", "ll_even_se"),
    "lost": (
        "network",
        "cutoff",
        "curve",
        "curves",
        "lost",
    ),  # of the recipe before, first seeds, and hour-1 and on
    "training": ("network", "seed", "parameters", "curves", "seconds"),
    "luck": ("cutoff", "seeds", "sd"),
    "again": at_twice_the_effort.COLUMNS,
}


@dataclass(frozen=True)
class Config:
    networks: dict[str, Trained] = field(default_factory=lambda: NETWORKS)
    curves: int = 10_000  # of the second test set, on which nothing was chosen
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70, 80)
    judged: str = "exact_bayes/paper"  # its rows: scores of the posterior on THE test set's first curves
    seeds: str = "training_luck/paper"  # and these: how much a training varies from seed to seed
    again: str = later("hour")  # for this network the posterior is computed once more, with twice the effort
    more_seeds: tuple[int, ...] = later((1, 2))  # of this network; their parts train it, and keep no seconds
    again_curves: int = later(300)  # the first of the second test set
    judge: PosteriorConfig = later(PosteriorConfig())


ONE_OF_EACH = {name: NETWORKS[name]._replace(seeds=1) for name in ("seconds", "minute")}
SCALES = {
    "smoke": Config(
        TINY_NETWORKS, 40, (10, 20), again_curves=4, more_seeds=(),
        judge=PosteriorConfig(bank=2000, islands=2, population=16, moves=2, steps=8, keep=2),
    ),
    "laptop": Config(ONE_OF_EACH, 2_000),
    "paper": Config(),
}  # fmt: skip


def of_part(config: Config) -> dict[str, TrainConfig]:
    """{"seconds-0": ...}"""
    return {
        f"{name}-{seed}": replace(one.train, seed=seed)
        for name, one in config.networks.items()
        for seed in range(one.seeds)
    }


def more(config: Config) -> dict[str, TrainConfig]:
    """{"hour-1": ...}"""
    again = config.networks.get(config.again)
    return (
        {f"{config.again}-{seed}": replace(again.train, seed=seed) for seed in config.more_seeds}
        if again
        else {}
    )


def again(config: Config) -> dict[str, int]:
    """{"again5": 5, ...}"""
    return {
        f"again{c}": c
        for c in at_twice_the_effort.LOSES_MOST
        if c in config.cutoffs and config.again in config.networks
    }


def parts(config: Config) -> list[str]:
    return [*of_part(config), "known", *again(config), *more(config)]


def models(config: Config) -> list[TrainConfig]:
    return list(of_part(config).values())


def needs(config: Config, part: str) -> list[TrainConfig]:
    if part in again(config):
        return [config.networks[config.again].train]
    return [of_part(config)[part]] if part in of_part(config) else []


def reads(config: Config) -> list[str]:
    return [config.judged, config.seeds]


def measure(config: Config, part: str, read: dict[str, dict[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    if part in again(config):
        forecaster = trained(needs(config, part)[0])
        return {
            "again": at_twice_the_effort.rows(
                forecaster, again(config)[part], config.again_curves, config.judge
            )
        }
    judged = read[config.judged]["rows"]
    if part == "known":
        judged = judged[judged["curve"] < config.curves]
        before = [_lost(judged, where(judged, method=name), name, curves) for name, curves in BEFORE.items()]
        return {"lost": pd.concat(before), "luck": _luck_of_seeds.luck(read[config.seeds]["rows"])}
    train, (name, _, _seed) = (of_part(config) | more(config))[part], part.partition("-")
    forecaster, fresh = trained(train), prior.second_test_set(config.curves)
    rows = _method_scores.likelihoods(name, forecaster, fresh, config.cutoffs)
    cost = {"network": name, "seed": train.seed, "parameters": sum(p.numel() for p in forecaster.model.parameters()),
            "curves": train.curves, "seconds": forecaster.history[-1]["seconds"]}  # fmt: skip
    found = {
        "rows": pd.DataFrame(rows).assign(network=name, seed=train.seed),
        "training": pd.DataFrame([cost]),
    }
    if part in more(config):
        return {"rows": found["rows"], "lost": _lost_of(judged, forecaster, config, part)}
    return found if train.seed else found | {"lost": _lost_of(judged, forecaster, config, name)}


def _lost_of(judged: pd.DataFrame, forecaster: Forecaster, config: Config, name: str) -> pd.DataFrame:
    exact = where(judged, method="exact")
    some = prior.test_set(min(config.curves, 1 + int(exact["curve"].max()))).noisy
    each = [
        pd.DataFrame({"cutoff": c, "curve": range(len(some)), "ll": evaluate.likelihood(forecaster, some, c).numpy()})
        for c in config.cutoffs
    ]  # fmt: skip
    return _lost(judged, pd.concat(each), name, forecaster.config.curves)


def _lost(judged: pd.DataFrame, ours: pd.DataFrame, name: str, curves: int) -> pd.DataFrame:
    """What a network scores below the exact posterior, on each curve that both have."""
    both = where(judged, method="exact").merge(ours[["cutoff", "curve", "ll"]], on=["cutoff", "curve"])
    found = both[["cutoff", "curve"]].assign(network=name, curves=curves)
    return found.assign(lost=(both["ll_x"] - both["ll_y"]).round(3))


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    cutoffs = [c for c in (5, 10, 20, 40) if c in config.cutoffs]
    figure, axes = panels([f"{c} epochs observed" for c in cutoffs], (9.6, 3.4), sharey=True, sharex=True)
    recipes = (("last", "previous recipe", [*BEFORE]), ("ours", "with lent endings", [*config.networks]))
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        for colour, label, names in recipes:
            names = [n for n in names if n in BEFORE or n in LADDER or n.startswith("rung")]
            found = rungs.lost(rows["lost"], names, cutoff)
            x, y = [curves for curves, _ in found], [lost.value for _, lost in found]
            errors = [[lost.value - lost.low for _, lost in found], [lost.half for _, lost in found]]
            axis.errorbar(x, y, yerr=errors if found else None, color=style.colour(colour), marker="o", markersize=4,
                          label=label)  # fmt: skip
        axis.axhline(0, color=style.colour("exact"), linewidth=1.5)
        axis.set_xscale("log")
    axes[0].set_ylabel("nats per point below the exact\nposterior (lower is better)")
    around(figure, "training curves")
    legend(figure, axes, 2)
    return {"lost": figure}


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    reached, lost = [], []
    for name, one in config.networks.items():
        mine, cost = where(rows["rows"], network=name), where(rows["training"], network=name)
        if mine.empty:
            continue
        who = {
            "network": f"{one.size}, {one.train.curves:,} curves",
            "training seconds": f"{cost['seconds'].median():,.0f}",
        }
        reached.append(
            who | {f"{c} %": f"{where(mine, cutoff=c)['ll_even'].mean():.3f}" for c in config.cutoffs}
        )
        found = {c: dict(rungs.lost(rows["lost"], [name], c)).get(one.train.curves) for c in config.cutoffs}
        lost.append(who | {f"{c} %": f.plus_minus(".3f") if f else "…" for c, f in found.items()})
    for name in ("P1", "P2", "P3"):
        cells = {
            f"{c} %": "–" if (v := log_likelihood(name, c)) is None else f"{v:.3f}" for c in config.cutoffs
        }
        reached.append({"network": f"{name}, printed", "training seconds": ""} | cells)
    law = rungs.law_table(rows["lost"])
    again = at_twice_the_effort.table(rows["again"])
    return {"reached": pd.DataFrame(reached), "lost": pd.DataFrame(lost), "law": law, "again": again}


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    return [
        *claimed.against_print(rows, config.networks, CUTOFFS),
        *claimed.against_bayes(rows, config.networks),
        *claimed.longer_pays(rows),
        *claimed.predicted(rows),
        *claimed.curves_saved(rows),
    ]
