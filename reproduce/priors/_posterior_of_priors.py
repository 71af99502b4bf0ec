"""The posterior over four priors while points come in, by Bayes' rule and by a network that names the prior.

Shapes: n = test curves, T = observed points, P = priors.
"""

from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves.other_priors.gaussian_process import GaussianProcess
from curvecast.curves.other_priors.mixture import Mixture
from curvecast.curves.prior import PriorConfig
from reproduce._press import style
from reproduce._press.where import where
from reproduce.pictures.panels import around, legend, panels, ticks
from reproduce.priors._which_prior import log_probabilities

NAMED = {  # name: (prior, weight)
    "smooth, little noise": (GaussianProcess(smooth=0.8, log_sigma_mean=-3.8), 0.4),
    "smooth, more noise": (GaussianProcess(smooth=0.8, log_sigma_mean=-3.0), 0.3),
    "wavy, little noise": (GaussianProcess(smooth=0.15, log_sigma_mean=-3.8), 0.2),
    "wavy, more noise": (GaussianProcess(smooth=0.15, log_sigma_mean=-3.0), 0.1),
}
MIXTURE = Mixture(tuple(prior for prior, _ in NAMED.values()), tuple(weight for _, weight in NAMED.values()))
NONE = "none of the four"  # a curve of the paper's prior, with its own noise
COLOURS = dict(zip(NAMED, ("ours", "paper", "new", "mcmc"), strict=True))
COMPARED = {"kl": "likelihood times prior", "without_prior": "likelihood alone"}
MOST_POINTS = 80  # of the curves that are drawn


def distances(net: Any, points: tuple[int, ...], scored: int, seed: int) -> pd.DataFrame:
    """How far the network's probabilities are from the posterior, KL in nats, and from likelihoods without the prior."""
    _, curves = MIXTURE.labelled(scored, torch.Generator().manual_seed(seed))
    own = []
    for n in points:
        x, y = torch.arange(1.0, n + 1), curves.noisy[:, :n]
        said = log_probabilities(net, y, MIXTURE.length).double()  # (n, P)
        exact = {
            "kl": MIXTURE.log_posterior(x, y),
            "without_prior": MIXTURE.log_likelihoods(x, y).log_softmax(1),
        }
        found = {name: (log_p.exp() * (log_p - said)).sum(1) for name, log_p in exact.items()}
        own.append(pd.DataFrame({"points": n, "curve": range(len(y))} | found))
    return pd.concat(own)


def point_by_point(net: Any, seed: int) -> pd.DataFrame:
    """The probabilities of all priors, for a curve of each and a curve of none of them."""
    sources = {name: prior for name, (prior, _) in NAMED.items()} | {NONE: PriorConfig()}
    y = torch.cat([one.sample(1, torch.Generator().manual_seed(seed)).noisy for one in sources.values()])
    lines = []
    for points in range(1, MOST_POINTS + 1):
        exact = MIXTURE.log_posterior(torch.arange(1.0, points + 1), y[:, :points]).exp()
        said = log_probabilities(net, y[:, :points], MIXTURE.length).exp()
        lines += [
            {"case": case, "points": points, "prior": name, "exact": p, "network": q}
            for case, ps, qs in zip(sources, exact.tolist(), said.tolist(), strict=True)
            for name, p, q in zip(NAMED, ps, qs, strict=True)
        ]
    return pd.DataFrame(lines)


def draw(shown: pd.DataFrame, points: tuple[int, ...]) -> Figure:
    """A panel for each curve; dots of the network at these numbers of points."""
    cases = [*NAMED, NONE]
    figure, axes = panels([f"curve: {case}" for case in cases], (8.4, 4.8), 3, sharey=True)
    for axis, case in zip(axes, cases, strict=True):
        for name, colour in COLOURS.items():
            own = where(shown, case=case, prior=name)
            axis.plot(own["points"], own["exact"], color=style.colour(colour), label=name)
            dots = own[own["points"].isin(points)]
            axis.plot(dots["points"], dots["network"], "o", color=style.colour(colour), markersize=4)
        axis.set(xscale="log", ylim=(-0.04, 1.04))
        ticks(axis, (1, 2, 5, 10, 20, 40, 80))
    axes[0].plot([], color=style.ink(), label="exact")
    axes[0].plot([], "o", color=style.ink(), markersize=4, label="network")
    legend(figure, axes, 3)
    around(figure, "observed points", "probability of each prior")
    return figure
