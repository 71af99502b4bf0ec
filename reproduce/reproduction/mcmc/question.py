"""How near to the exact posterior do Markov chains come, and at what cost?"""

import time
from dataclasses import dataclass, field

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.exact_bayes import exact
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.ground.config import later
from curvecast.networks.bars import Bars
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.train import TrainConfig, trained
from reproduce._press.claim import Claim
from reproduce._press.where import where
from reproduce.protocols.timing import threads
from reproduce.reproduction import _method_scores
from reproduce.reproduction.mcmc import claims as claimed
from reproduce.reproduction.mcmc import figures_and_table, papers_chains, race, timed_networks
from reproduce.reproduction.mcmc.papers_chains import GRID, Setting
from reproduce.trainings import LARGE, SMALL, TINY, TINY_PAPER

QUANTILES = {"q05": 0.05, "q50": 0.5, "q95": 0.95}
SIZES = {name: LARGE[name].model for name in ("P1", "P2", "P3")}  # timed untrained: weights cost no time

STOPWATCHES = ("race.seconds", "rows.seconds")


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=lambda: {"3x128": SMALL["3x128"]})
    best: str = "3x128"
    called: int = 3  # curves of THE test set, the first ones, on which emcee runs
    curves: int = 40  # on which all others run
    drawn: int = 3
    drawn_at: tuple[int, ...] = (10, 20)
    cutoffs: tuple[int, ...] = (10,)
    settings: tuple[Setting, ...] = GRID
    sizes: dict[str, ModelConfig] = field(default_factory=lambda: SIZES)
    judge: PosteriorConfig = PosteriorConfig()
    seed: int = 0
    raced: int = later(100)  # curves that chains move at once when their time is taken


SCALES = {
    "smoke": Config(
        TINY, "1x16", 2, 4, 2, (10, 20), (10,), (Setting(200, 26, 10, 20), Setting(200, 26, 10, 1)),
        {"P1": TINY_PAPER.model}, PosteriorConfig(bank=4000, islands=2, population=16, moves=2, steps=8, keep=2), raced=4,
    ),
    "laptop": Config(called=2, curves=8, drawn=2, raced=50),
    "paper": Config(SMALL, called=100, curves=100, cutoffs=(10, 20, 40, 80)),
}  # fmt: skip


def models(config: Config) -> list[TrainConfig]:
    return list(config.models.values())


def parts(config: Config) -> list[str]:
    return [*(f"cutoff{cutoff}" for cutoff in config.cutoffs), "drawn", "race", "whole"]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    """`rows`: likelihood and seconds of all methods on the same curves, in one run on one core; and what else is shown."""
    others = {"drawn": _drawn, "race": _raced, "whole": _whole}
    with threads():
        return (
            others[part](config)
            if part in others
            else {"rows": _rows(config, int(part.removeprefix("cutoff")))}
        )


def _raced(config: Config) -> dict[str, pd.DataFrame]:
    """The longest chains, in three to ten rounds, at the cutoffs that are drawn."""
    y, (sparse, longest) = prior.test_set(config.raced).noisy, config.settings[-2:]
    networks = {config.best: trained(config.models[config.best]).model, **_untrained(config)}
    n = min(10, max(3, config.called))
    return {"race": race.rounds(n, y, config.cutoffs[:2], longest, sparse, networks, config.seed)}


def _whole(config: Config) -> dict[str, pd.DataFrame]:
    """The network's score on many curves, sampling variation of their noise removed: the figure is drawn relative to it."""
    best, many = trained(config.models[config.best]), prior.test_set(min(10_000, 100 * config.curves))
    return {"whole": pd.DataFrame(_method_scores.likelihoods(config.best, best, many, config.cutoffs))}


def _untrained(config: Config) -> dict[str, PFN]:
    return {name: PFN(size, torch.linspace(-1, 2, 1001)).eval() for name, size in config.sizes.items()}


def _rows(config: Config, cutoff: int) -> pd.DataFrame:
    curves = prior.test_set(config.curves)
    y = curves.noisy
    found = [_exact_posterior(config, y, cutoff), *_run_chains(config, y, cutoff)]
    found += [
        timed_networks.forecasts(name, trained(train).model, y, cutoff)
        for name, train in config.models.items()
    ]
    for name, untrained in _untrained(config).items():
        found.append(timed_networks.forecasts(name, untrained, y, cutoff).assign(ll=float("nan")))
    oracle = torch.distributions.Normal(curves.clean[:, cutoff:], curves.sigma[:, None]).log_prob(
        y[:, cutoff:]
    )
    known = pd.DataFrame(
        {"method": "oracle", "cutoff": cutoff, "curve": range(len(y)), "ll": oracle.mean(1).tolist()}
    )
    return pd.concat([*found, known], ignore_index=True)


def _exact_posterior(config: Config, y: Tensor, cutoff: int) -> pd.DataFrame:
    generator = torch.Generator().manual_seed(config.seed)
    bank = exact.bank(prior.PriorConfig(), config.judge.bank, generator)
    ll, seconds = [], []
    for some in y.split(10):
        begin = time.perf_counter()
        cloud = exact.exact_posterior(
            prior.PriorConfig(), some[:, :cutoff], bank, generator, config.judge
        ).cloud
        ll += cloud.later(cutoff).log_density(some[:, cutoff:]).mean(1).tolist()
        seconds += [(time.perf_counter() - begin) / len(some)] * len(some)
    return timed_networks.frame("exact", cutoff, ll, seconds)


def _run_chains(config: Config, y: Tensor, cutoff: int) -> list[pd.DataFrame]:
    """Both programs, for each number of walkers a chain as long as its longest setting."""
    found = []
    for walkers in sorted({setting.walkers for setting in config.settings}):
        settings = [setting for setting in config.settings if setting.walkers == walkers]
        steps = max(setting.burn + setting.samples for setting in settings)
        for i, curve in enumerate(y[: config.called]):
            chain = papers_chains.function_calls(curve[:cutoff], walkers, steps, config.seed + i)
            found.append(papers_chains.rows("emcee", i, curve, cutoff, chain, settings))
        for i, chain in enumerate(
            papers_chains.vectorised(y[:, :cutoff], walkers, steps, config.seed, papers_chains.kept(steps))
        ):
            found.append(papers_chains.rows("vectorised", i, y[i], cutoff, chain, settings))
    return found


def _drawn(config: Config) -> dict[str, pd.DataFrame]:
    """Quantiles of three methods for the curves that are drawn, a row for each epoch."""
    curves, law, frames = prior.test_set(config.drawn), prior.PriorConfig(), []
    y, model, last = curves.noisy, trained(config.models[config.best]).model, config.settings[-1]
    bank = exact.bank(law, config.judge.bank, generator := torch.Generator().manual_seed(config.seed))
    x = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1)
    for cutoff in config.drawn_at:
        seen = y[:, :cutoff]
        steps = last.burn + last.samples
        chains = papers_chains.vectorised(seen, last.walkers, steps, config.seed, papers_chains.kept(steps))
        sparse = [
            papers_chains.forecast(chain, last._replace(thin=config.settings[-2].thin)) for chain in chains
        ]
        with torch.no_grad():
            network = Bars(model.borders, model(x[:, :cutoff], seen, x[:, cutoff:]))
        judged = exact.exact_posterior(law, seen, bank, generator, config.judge).cloud.later(cutoff)
        for i in range(len(y)):
            frame = pd.DataFrame({"cutoff": cutoff, "curve": i, "epoch": range(1, y.shape[1] + 1),
                                  "noisy": y[i].numpy(), "clean": curves.clean[i].numpy()})  # fmt: skip
            for level, q in QUANTILES.items():
                frame.loc[cutoff:, f"exact_{level}"] = judged.quantile(q)[i].numpy()
                frame.loc[cutoff:, f"chains_{level}"] = sparse[i].later(cutoff).quantile(q)[0].numpy()
                frame.loc[cutoff:, f"network_{level}"] = network.quantile(q)[i].numpy()
            frames.append(frame)
    return {"forecasts": pd.concat(frames).round(5)}


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    figures = {}
    if "rows" in rows:
        figures["plane"] = figures_and_table.plane(rows, sorted(set(rows["rows"]["cutoff"]))[:2], config.best)
    if "forecasts" in rows:
        figures |= {
            f"forecasts{c}": figures_and_table.forecasts(rows["forecasts"], c) for c in config.drawn_at
        }
    return figures


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    made = {"race": figures_and_table.race_table(rows["race"])} if "race" in rows else {}
    if "rows" not in rows:  # only the forecasts are there yet
        return made
    names = [setting.name for setting in config.settings]
    return made | {"settings": figures_and_table.table(rows["rows"], names, config.best)}


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    """About the first cutoff, where the posterior is widest; of the race of programs about the next as well."""
    every = rows.get("rows", pd.DataFrame(columns=["method", "setting", "cutoff", "curve", "ll", "seconds"]))
    first = every[every["cutoff"] == config.cutoffs[0]]
    race = rows.get("race", pd.DataFrame(columns=["cutoff", "method", "round", "seconds"]))
    about, *more = config.cutoffs[:2]
    stated = claimed.claims(first, where(race, cutoff=about), config.settings, config.best, about)
    return [
        *stated,
        *(claimed.thinned_alike(where(race, cutoff=cutoff), cutoff, f"_at_{cutoff}") for cutoff in more),
    ]
