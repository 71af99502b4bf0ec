"""MCMC as the paper ran it: emcee, which calls a Python function of one point of theta for each walker and step.

The density is that of curvecast.exact_bayes.posterior, written in numpy for one point; a test compares the
two. It is as fast as we can make such a function; the paper's own took several times as long.

Shapes: D = 13 dimensions, T = all epochs, T' = observed, W = walkers, S = steps.
"""

import time

import emcee
import numpy as np
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes import mcmc

LOW = np.array([0, 0, -0.6, -np.inf, 0, 0, -0.5, 0, 0, 0, -np.inf, -np.inf, -np.inf])
HIGH = np.array([1, 1.25, 0.6, np.inf, 1, 1, 0.5, 1, 1, 2, np.inf, np.inf, np.inf])


class Density:
    """ln of the posterior at one theta (D,), up to a constant."""

    def __init__(self, y: np.ndarray, length: int = 100):
        self.y, self.n = y, len(y)
        x = np.arange(1.0, length + 1)
        self.log_x, self.ilog = np.log(x), 1 / np.log(x + 1)

    def __call__(self, theta: np.ndarray) -> float:
        if (theta < LOW).any() or (theta > HIGH).any():
            return -np.inf
        w1, c1, a1, log_alpha, w2, c2, a2, w3, A, B, log_k, log_delta, log_sigma = theta.tolist()
        f = (w1 * c1 + w2 * c2 + w3 * A) - (w1 * a1) * np.exp(-np.exp(log_alpha) * self.log_x)
        f -= (w2 * a2) * self.ilog
        f -= (w3 * (A - B)) * np.exp(-np.exp(log_k) * np.exp(np.exp(log_delta) * self.log_x))
        if f[-1] <= f[0] or f.min() < 0 or f.max() > 1:
            return -np.inf
        off = f[: self.n] - self.y
        prior = (log_alpha / 2) ** 2 + (log_k + 2) ** 2 + (log_delta / 0.5) ** 2 + (log_sigma + 4) ** 2
        return float(-prior / 2 - self.n * log_sigma - off @ off / 2 * np.exp(-2 * log_sigma))


def run(
    config: PriorConfig, y: torch.Tensor, walkers: int, steps: int, seed: int
) -> tuple[torch.Tensor, float, float]:
    """One curve (T',), as many walkers, from the least-squares start: the chain (S, W, D), seconds a step, and the share of
    the jumps that were taken."""
    generator = torch.Generator().manual_seed(seed)
    begin = time.perf_counter()
    points = mcmc.ball(config, y[None], walkers, generator)[0].double().numpy()
    density = Density(y.double().numpy(), config.length)
    sampler = emcee.EnsembleSampler(walkers, points.shape[1], density)
    state = emcee.State(points, random_state=np.random.RandomState(seed).get_state())
    with np.errstate(all="ignore"):  # a proposal may overflow: its density is then zero
        sampler.run_mcmc(state, steps, skip_initial_state_check=True)
    seconds = (time.perf_counter() - begin) / steps
    theta = torch.from_numpy(sampler.get_chain()).float()
    return theta, seconds, float(np.mean(sampler.acceptance_fraction))


def tau(theta: np.ndarray) -> float:
    """Integrated autocorrelation time of a chain (S, W, D) after its first tenth, the slowest dimension's."""
    return float(np.max(emcee.autocorr.integrated_time(theta[len(theta) // 10 :], quiet=True, tol=0)))
