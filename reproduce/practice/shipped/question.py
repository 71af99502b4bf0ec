"""How good is the released model, on whole runs and on runs with holes?"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch

from curvecast.curves import outside_prior, prior
from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes import exact
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.forecasting import belief, shipped, torch_network
from curvecast.forecasting.api import forecast
from curvecast.scores import curve_by_curve, evaluate
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce._press.where import Rows
from reproduce.practice.shipped import claims as claimed
from reproduce.practice.shipped import figures_and_tables
from reproduce.practice.shipped.cases import HOLES, SEEN
from reproduce.trainings import SMALL, TINY


@dataclass(frozen=True)
class Config:
    train: TrainConfig = SMALL["3x128"]  # to compare with: trained on whole beginnings alone
    curves: int = 1000  # of THE test set, the first ones
    holes: int = 500  # of them with holes
    judged: int = 24  # of them by the exact posterior as well
    odd: int = 200  # of them for the warning, and as many of each other kind
    drawn: int = 60  # of them with sampled futures, so many for each:
    futures: int = 40
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70)
    judge_cutoffs: tuple[int, ...] = (10, 20)
    odd_cutoffs: tuple[int, ...] = (10, 20, 60, 90)
    judge: PosteriorConfig = field(default_factory=PosteriorConfig)
    at_once: int = 8
    seed: int = 0


SCALES = {
    "smoke": Config(
        TINY["1x16"], 8, 6, 2, 3, 2, 4, (10, 20), (10,), (10,), at_once=2,
        judge=PosteriorConfig(bank=4000, islands=2, population=16, moves=2, steps=8, keep=2),
    ),
    "laptop": Config(curves=160, holes=160, judged=8, odd=80, drawn=30),
    "paper": Config(curves=500),
}  # fmt: skip


def models(config: Config) -> list[TrainConfig]:
    return [config.train]


def parts(config: Config) -> list[str]:
    return ["whole", "holes", "judge", "odd", "futures"]


def measure(config: Config, part: str) -> Rows:
    ours = torch_network.load(shipped.PATH)
    noisy = prior.test_set(config.curves).noisy
    if part == "odd":
        return {"odd": _odd(config)}
    if part == "futures":
        return {"futures": _futures(noisy, config)}
    networks = {"shipped": ours, "whole": trained(config.train)}
    if part == "whole":
        found = {name: _whole(net, noisy, config.cutoffs) for name, net in networks.items()}
    elif part == "holes":
        found = {name: _holes(net, noisy[: config.holes], config.seed) for name, net in networks.items()}
    else:
        found = {"judge": _judged(noisy[: config.judged], config)}
    return {"rows": pd.concat([frame.assign(method=name) for name, frame in found.items()]).round(5)}


def _whole(net: Forecaster, noisy: torch.Tensor, cutoffs: tuple[int, ...]) -> pd.DataFrame:
    """For each curve the likelihood of all future points; for the first 500 the coverage as well."""
    frames = []
    for cutoff in cutoffs:
        ll = evaluate.likelihood(net, noisy, cutoff).numpy()
        held = evaluate.score(net, noisy[:500], None, cutoff)["cover90"].numpy()
        held = np.append(held, np.full(len(ll) - len(held), np.nan))
        frames.append(pd.DataFrame({"cutoff": cutoff, "curve": range(len(ll)), "ll": ll, "cover90": held}))
    return pd.concat(frames).assign(case="whole")


def _holes(net: Forecaster, noisy: torch.Tensor, seed: int) -> pd.DataFrame:
    frame = curve_by_curve.gaps(net, noisy, SEEN, torch.Generator().manual_seed(seed))
    return frame[frame["case"].isin([f"all {SEEN}", *HOLES])].assign(cutoff=SEEN)


def _judged(noisy: torch.Tensor, config: Config) -> pd.DataFrame:
    generator = torch.Generator().manual_seed(config.seed)
    bank = exact.bank(PriorConfig(), config.judge.bank, generator)
    frames = []
    for cutoff in config.judge_cutoffs:
        lls = []
        for some in noisy.split(config.at_once):
            cloud = exact.exact_posterior(
                PriorConfig(), some[:, :cutoff], bank, generator, config.judge
            ).cloud
            lls.append(cloud.later(cutoff).log_density(some[:, cutoff:]).mean(1))
        ll = torch.cat(lls).double().numpy()
        frames.append(pd.DataFrame({"cutoff": cutoff, "curve": range(len(ll)), "ll": ll}))
    return pd.concat(frames).assign(case="whole")


def _odd(config: Config) -> pd.DataFrame:
    """in_prior of curves of the prior (not those of its table), and of curves from outside the prior."""
    network = shipped.load()
    curves = prior.test_set(config.odd)
    generator, frames = torch.Generator().manual_seed(config.seed), []
    for name, kind in outside_prior.KINDS.items():
        y = kind.make(curves, generator)
        if kind.unit != 1:
            continue  # percent are refused before they get here
        for cutoff in config.odd_cutoffs:
            x = np.arange(1.0, cutoff + 1)
            scores = belief.oddness(network.network, [(x, one[:cutoff].numpy()) for one in y])
            share = [belief.in_prior(network.table, cutoff, float(s)) for s in scores]
            frames.append(
                pd.DataFrame({"kind": name, "cutoff": cutoff, "curve": range(len(y)), "in_prior": share})
            )
    return pd.concat(frames).round(4)


def _futures(noisy: torch.Tensor, config: Config) -> pd.DataFrame:
    """At which quantile of the direct forecast sampled futures end: spread evenly, if the two agree."""
    seen = noisy[:, :10]
    within = seen[((seen >= 0) & (seen <= 1)).all(1)][: config.drawn]  # as an accuracy is
    found = []
    for i, run in enumerate(forecast(within.numpy(), check=False)):
        _, values = run.futures(config.futures, seed=config.seed + i)
        found.append(pd.DataFrame({"curve": i, "place": run.row.last.cdf(values[:, -1:])[:, 0]}))
    return pd.concat(found).round(5)


draw, tabulate, claims = figures_and_tables.figures, figures_and_tables.tables, claimed.claims
