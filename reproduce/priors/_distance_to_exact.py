"""How far networks are from the exact predictive of their prior, in nats per point.

Shapes: n = curves, T = epochs, Q = queries, G = places of the grid.
"""

from collections.abc import Iterator

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves.other_priors.exact_predictive import divergence
from curvecast.training.train import Forecaster, TrainConfig

AT_ONCE = 20  # curves that fit into the cache with their grids


def distances(
    networks: list[Forecaster], y: Tensor, cutoffs: tuple[int, ...], queries: int, places: int
) -> pd.DataFrame:
    """On each of these curves (n, T) after each cutoff, means over later epochs; all networks are of one prior."""
    own = []
    for cutoff in cutoffs:
        later = torch.linspace(cutoff + 1, y.shape[1], queries).round()  # (Q,)
        for i, some in enumerate(y.split(AT_ONCE)):
            curves = range(AT_ONCE * i, AT_ONCE * i + len(some))
            for train, kl, gap in compared(networks, some, cutoff, later, places):
                of = {"curves": train.curves, "seed": train.seed, "cutoff": cutoff, "curve": curves}
                own.append(pd.DataFrame(of | {"kl": kl.mean(1), "gap": gap.mean(1)}))
    return pd.concat(own)


def compared(
    networks: list[Forecaster], y: Tensor, cutoff: int, later: Tensor, places: int
) -> Iterator[tuple[TrainConfig, Tensor, Tensor]]:
    """KL(exact || network), and its one-draw estimate ln p - ln q at the curve's own values, each (n, Q)."""
    x, seen, future = torch.arange(1.0, cutoff + 1), y[:, :cutoff], y[:, later.long() - 1]
    exact = networks[0].config.prior.predictive(x, seen, later)
    grid = exact.grid(places)  # (n, Q, G)
    log_p, log_p_of_future = exact.log_density(grid), exact.log_density(future)
    for network in networks:
        q = network.model.density(x.expand(len(y), -1), seen, later.expand(len(y), -1))
        log_q = q[:, :, None].log_density(grid.float()).double()
        yield network.config, divergence(log_p, log_q, grid), log_p_of_future - q.log_density(future)


def densities(nets: list[Forecaster], curve: Tensor, cutoffs: tuple[int, ...], epoch: int) -> pd.DataFrame:
    """Of one curve (T,) at one later epoch, after each of these cutoffs."""
    y, later, own = torch.linspace(-0.1, 1.1, 161)[None, None], torch.tensor([float(epoch)]), []
    for network in nets:
        for cutoff in cutoffs:
            x, seen = torch.arange(1.0, cutoff + 1), curve[None, :cutoff]
            exact = network.config.prior.predictive(x, seen, later).log_density(y)
            said = network.model.density(x[None], seen, later[None])[:, :, None].log_density(y)
            p, q = (log_density.exp()[0, 0] for log_density in (exact, said))
            of = {"curves": network.config.curves, "cutoff": cutoff, "y": y[0, 0]}
            own.append(pd.DataFrame(of | {"exact": p, "network": q}))
    return pd.concat(own)
