"""Three kinds of forecasters on the same curves: the exact posterior, the paper's chains, a network.

Each gives tables: `rows`, the log-likelihood of each curve; `calibration`, the quantiles of the future points; the exact
posterior also `work`, its effective sizes and seconds, and a network `training`, its size and the curves it was trained on.

Shapes: n = curves, P = of them at once, Q = future points, T = epochs, S = kept steps, W = walkers, D = dimensions.
"""

import time

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.exact_bayes import exact, mcmc
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.exact_bayes.moves import Cloud
from curvecast.scores import evaluate
from curvecast.training.train import TrainConfig, trained
from presswork.estimates import Rows

CONFIG = prior.PriorConfig()
BINS = 20
LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def exact_posterior(name: str, how: PosteriorConfig, cutoff: int, y: Tensor, at_once: int, seed: int) -> Rows:
    generator = torch.Generator().manual_seed(seed)
    begin = time.perf_counter()
    bank = exact.bank(CONFIG, how.bank, generator)
    bank_seconds = time.perf_counter() - begin
    scored, work = [], []
    for some in y.split(at_once):
        begin = time.perf_counter()
        verdict = exact.exact_posterior(CONFIG, some[:, :cutoff], bank, generator, how)
        seconds = (time.perf_counter() - begin) / len(some)
        scored.append(_scores(verdict.cloud, some, cutoff))
        columns = {name: getattr(verdict, name).tolist() for name in ("ess", "ess_bank", "rises", "accepted")}
        work.append(pd.DataFrame(columns).assign(seconds=seconds))
    frame = pd.concat(work, ignore_index=True).round(4).assign(method=name, cutoff=cutoff)
    frame = frame.assign(curve=range(len(y)), bank_seconds=round(bank_seconds, 3))
    return _tables(name, cutoff, scored) | {"work": frame}


def chains(cutoff: int, y: Tensor, steps: int, at_once: int, seed: int) -> Rows:
    """The paper's chains, a ninth of their steps as burn-in, thinned to every tenth state."""
    generator = torch.Generator().manual_seed(seed)
    scored = []
    for some in y.split(at_once):
        seen, burn_in = some[:, :cutoff], steps // 9
        chain = mcmc.chains(CONFIG, seen, 100, steps - burn_in, generator, burn_in, thin=10)
        states = chain.theta.transpose(0, 1).flatten(1, 2)  # (P, S W, D); all at once would fill the memory
        for theta, one in zip(states.split(1), some.split(1), strict=True):
            scored.append(_scores(mcmc.cloud(CONFIG, theta), one, cutoff))
    return _tables("chains", cutoff, scored)


def network(name: str, train: TrainConfig, y: Tensor, cutoffs: tuple[int, ...]) -> Rows:
    forecaster = trained(train)
    x, tables = torch.arange(1.0, y.shape[1] + 1), []
    for cutoff in cutoffs:
        scored = []
        for some in y.split(evaluate.AT_ONCE):
            epochs = x.expand(len(some), -1)
            density = forecaster.predict(epochs[:, :cutoff], some[:, :cutoff], epochs[:, cutoff:])
            hidden = some[:, cutoff:]
            scored.append((density.log_density(hidden).mean(1), density.cdf(hidden)))
        tables.append(_tables(name, cutoff, scored))
    size = sum(p.numel() for p in forecaster.model.parameters())
    cost = pd.DataFrame([{"method": name, "parameters": size, "curves": train.curves}])
    return {table: pd.concat([one[table] for one in tables]) for table in tables[0]} | {"training": cost}


def _scores(cloud: Cloud, y: Tensor, cutoff: int) -> tuple[Tensor, Tensor]:
    """Log-likelihood (P,) of the future points, and their quantiles (P, Q) in the forecast."""
    later, hidden = cloud.later(cutoff), y[:, cutoff:]
    return later.log_density(hidden).mean(1), later.cdf(hidden)


def _tables(method: str, cutoff: int, scored: list[tuple[Tensor, Tensor]]) -> Rows:
    ll, place = (torch.cat(parts) for parts in zip(*scored, strict=True))
    rows = pd.DataFrame({"curve": range(len(ll)), "ll": ll.double().numpy().round(4)})
    rows = rows.assign(method=method, cutoff=cutoff)[["method", "cutoff", "curve", "ll"]]
    return {"rows": rows, "calibration": calibration(method, cutoff, place)}


def calibration(method: str, cutoff: int, place: Tensor) -> pd.DataFrame:
    """`place`: quantiles (n, Q) of the future points of n curves. A row for each kind and `at`, standard errors over curves.

    Kind "pit": share of the future points whose quantile in the forecast (its distribution function at the point) lies in the
    bin that begins at `at`. Kind "band": share inside the central interval of level `at`, its coverage.
    """
    bins = (place.clamp(0, 1 - 1e-7) * BINS).long()
    shares = [("pit", k / BINS, (bins == k).double().mean(1)) for k in range(BINS)]
    shares += [("band", level, ((place - 0.5).abs() < level / 2).double().mean(1)) for level in LEVELS]
    return pd.DataFrame(
        {"method": method, "cutoff": cutoff, "kind": kind, "at": at, "share": share.mean().item(),
         "se": share.std().item() / len(share) ** 0.5 if len(share) > 1 else float("nan")}
        for kind, at, share in shares
    )  # fmt: skip
