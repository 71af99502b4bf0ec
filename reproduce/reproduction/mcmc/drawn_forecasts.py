"""Forecasts of a few curves by the exact posterior, by chains and by a network, beside one another."""

import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.curves.prior import Curves
from curvecast.exact_bayes import exact
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.networks.bars import Bars
from curvecast.networks.model import PFN
from reproduce._press import style
from reproduce._press.where import where
from reproduce.pictures.bands import window
from reproduce.pictures.panels import legend, panels
from reproduce.reproduction.mcmc import programs
from reproduce.reproduction.mcmc.programs import Setting

QUANTILES = {"q05": 0.05, "q50": 0.5, "q95": 0.95}
COLUMNS = tuple(f"{method}_{level}" for method in ("exact", "chains", "network") for level in QUANTILES)


def measure(
    curves: Curves, cutoffs: tuple[int, ...], model: PFN, setting: Setting, judge: PosteriorConfig, seed: int
) -> pd.DataFrame:
    """Quantiles of all three, a row for each epoch."""
    y, law, generator, frames = curves.noisy, prior.PriorConfig(), torch.Generator().manual_seed(seed), []
    bank = exact.bank(law, judge.bank, generator)
    x = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1)
    for cutoff in cutoffs:
        seen, steps = y[:, :cutoff], setting.burn + setting.samples
        chains = programs.vectorised(seen, setting.walkers, steps, seed, programs.kept(steps))
        sampled = [programs.forecast(chain, setting) for chain in chains]
        with torch.no_grad():
            network = Bars(model.borders, model(x[:, :cutoff], seen, x[:, cutoff:]))
        judged = exact.exact_posterior(law, seen, bank, generator, judge).cloud.later(cutoff)
        for i in range(len(y)):
            frame = pd.DataFrame({"cutoff": cutoff, "curve": i, "epoch": range(1, y.shape[1] + 1),
                                  "noisy": y[i].numpy(), "clean": curves.clean[i].numpy()})  # fmt: skip
            for level, q in QUANTILES.items():
                frame.loc[cutoff:, f"exact_{level}"] = judged.quantile(q)[i].numpy()
                frame.loc[cutoff:, f"chains_{level}"] = sampled[i].later(cutoff).quantile(q)[0].numpy()
                frame.loc[cutoff:, f"network_{level}"] = network.quantile(q)[i].numpy()
            frames.append(frame)
    return pd.concat(frames).round(5)


def draw(rows: pd.DataFrame, cutoff: int) -> Figure:
    curves = sorted(set(rows["curve"]))
    figure, axes = panels([""] * len(curves), (9.4, 3.2))
    for axis, curve in zip(axes, curves, strict=True):
        one = where(rows, curve=curve)
        seen, later = one[one["epoch"] <= cutoff], one[one["epoch"] > cutoff]
        axis.plot(later["epoch"], later["noisy"], ".", color=style.ink(), alpha=0.35, markersize=3)
        axis.plot(seen["epoch"], seen["noisy"], ".", color=style.ink(), markersize=5)
        ends = [one["noisy"]]
        for method, look in {"chains": "vector", "network": "ours", "exact": "exact"}.items():
            drawn = style.line(look, linewidth=1.3)
            axis.plot(later["epoch"], later[f"{method}_q50"], **drawn)
            for level in ("q05", "q95"):
                ends.append(later[f"{method}_{level}"])
                axis.plot(later["epoch"], ends[-1], **drawn | {"label": None, "linestyle": ":"})
        window(axis, pd.concat(ends))
        axis.set_xlabel("epoch")
    axes[0].set_ylabel("value")
    legend(figure, axes, 3)
    return figure
