"""Which noise did the paper's curves have, and what do its standard errors count? Standard errors of our own scores tell."""

import math

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.scores.metrics import Estimate
from curvecast.training.train import Forecaster
from presswork import Above, Below, Between, Claim, Estimates, Interval, Rows, style
from presswork.estimates import cells, line, those_of
from presswork.intervals import named
from reproduce.printed.numbers import HALF
from reproduce.reproduction.printed_numbers.own_words import one

AT_ONCE = 200  # curves
SOFT = ((0.0, 1.0), (0.0, 2.0), (0.5, 1.0), (-1.0, 1.0))  # ranges of the normaliser that are compared
WAYS = {
    "curves": "over curves, noise as in the code",
    "printed": "over curves, noise as printed",
    "points": "over points, noise as in the code",
}
PROGRAMS = {"MCMC": "Markov chains, as printed", "LC-PFN": "networks, as printed"}


def measure(forecaster: Forecaster, n: int, cutoffs: tuple[int, ...]) -> Rows:
    """For each curve: its noise, and mean and mean square of the log-density over the points after each cutoff."""
    curves = prior.test_set(n)
    x = torch.arange(1, curves.noisy.shape[1] + 1).float()
    columns = {"ln_sigma": curves.sigma.double().log()}
    for cutoff in cutoffs:
        ll = torch.cat([
            forecaster.log_density(x[:cutoff].expand(len(y), -1), y[:, :cutoff], x[cutoff:].expand(len(y), -1), y[:, cutoff:])
            for y in curves.noisy.split(AT_ONCE)
        ]).double()  # fmt: skip  # (n, 100 - cutoff)
        columns |= {f"mean{cutoff}": ll.mean(1), f"square{cutoff}": ll.square().mean(1)}
    normaliser = [
        {"low": low, "high": high, "printed": normalised((low + high) / 2, low, high, -(high + low) / (high - low)),
         "consistent": normalised((low + high) / 2, low, high, (high + low) / 2)}
        for low, high in SOFT
    ]  # fmt: skip
    rows = pd.DataFrame({name: values.tolist() for name, values in columns.items()})
    return {"errors": rows.round(5), "normaliser": pd.DataFrame(normaliser)}


def normalised(y: float, low: float, high: float, middle: float) -> float:
    """The paper's logistic normaliser, with hard bounds at the soft ones: low -> 0, high -> 1."""

    def logistic(value: float) -> float:
        return 1 / (1 + math.exp(-2 / (high - low) * (value - middle)))

    return (logistic(y) - logistic(low)) / (logistic(high) - logistic(low))


def spread(mean: torch.Tensor, square: torch.Tensor, weight: torch.Tensor) -> Estimate:
    """Standard deviation of what has these means and mean squares for each curve, its error taken over curves."""
    weight = weight / weight.mean()
    centre = (weight * mean).mean()
    deviation = square - 2 * centre * mean + centre**2  # (n,) whose weighted mean is the variance
    variance = (weight * deviation).mean()
    error = (weight * (deviation - variance)).std() / len(mean) ** 0.5
    return Estimate(variance.sqrt().item(), (error / (2 * variance.sqrt())).item())


def standard_error(rows: pd.DataFrame, cutoff: int, way: str, sd: float) -> Estimate:
    """What the log-likelihood of the paper's number of curves has: over "curves" or over "points", or over the
    curves of the "printed" noise, for which each curve counts as often as that distribution draws its noise."""
    curves = one("LC-PFN", "test curves")
    mean, square = (torch.tensor(rows[f"{name}{cutoff}"].to_numpy()) for name in ("mean", "square"))
    z = torch.tensor(rows["ln_sigma"].to_numpy()) + 4
    weight = (-0.5 * z**2 / sd**2 + 0.5 * z**2).exp() if way == "printed" else torch.ones_like(mean)
    found = spread(mean, square if way == "points" else mean**2, weight)
    count = curves * (100 - cutoff) if way == "points" else curves
    return Estimate(*(number / count**0.5 for number in found))


def estimates(rows: pd.DataFrame, cutoffs: tuple[int, ...], printed_sd: float) -> Estimates:
    """{(way of counting, cutoff): standard error}"""
    if not len(rows):
        return {}
    return {
        (way, c): Interval.with_error(*standard_error(rows, c, way, printed_sd), over=named("curve", len(rows)))
        for way in WAYS for c in cutoffs
    }  # fmt: skip


def printed_range(method: str) -> tuple[float, float]:
    """The standard errors that the paper prints, with what rounding hides."""
    least, most = (one(method, f"standard error, {word}") for word in ("least", "most"))
    return round(least - HALF, 6), round(most + HALF, 6)


def draw(found: Estimates, cutoffs: tuple[int, ...]) -> Figure:
    figure, axis = plt.subplots(figsize=(7, 3.8))
    for method, label in PROGRAMS.items():
        low, high = printed_range(method)
        axis.axhspan(low, high, color=style.colour("paper"), alpha=0.22, linewidth=0)
        axis.annotate(label, (0.012, high), xycoords=("axes fraction", "data"), xytext=(0, -4),
                      textcoords="offset points", va="top", color=style.colour("paper"))  # fmt: skip
    ours = style.colour("ours")
    for way, marker, dashes in (("curves", "o", "-"), ("printed", "s", "--"), ("points", "D", ":")):
        heights = line(axis, those_of(found, way), color=ours, linestyle=dashes, marker=marker, markersize=5)
        axis.annotate(WAYS[way].replace(", ", ",\n"), (cutoffs[-1], heights[-1]), xytext=(9, 0),
                      textcoords="offset points", va="center", color=ours)  # fmt: skip
    axis.set(xlabel="observed epochs, of 100", ylabel="standard error, nats per point")
    axis.set(xlim=(5, 118), ylim=(0, 0.0135))
    axis.set_xticks(cutoffs)
    return figure


def table(found: Estimates, cutoffs: tuple[int, ...]) -> pd.DataFrame:
    columns = {c: f"{c} %" for c in cutoffs}
    made = [
        {"standard error": label} | cells(found, way, columns, ".5f" if way == "points" else ".4f")
        for way, label in WAYS.items()
    ]
    for method, label in PROGRAMS.items():
        least, most = (one(method, f"standard error, {word}") for word in ("least", "most"))
        made.append({"standard error": label} | {f"{c} %": f"{least} to {most}" for c in cutoffs})
    return pd.DataFrame(made)


def claims(cutoffs: tuple[int, ...]) -> list[Claim]:
    last, first = cutoffs[-1], cutoffs[0]
    chains, nets = printed_range("MCMC"), printed_range("LC-PFN")
    stated = (
        ("errors_fit_the_code", last, "curves", Between(*chains),
         "With the noise of the authors’ code, is the standard error at 80 % in the range printed for Markov chains?"),
        ("errors_rule_out_the_print", last, "printed", Below(chains[0]),
         "With the printed noise, is the standard error at 80 % below the range printed for Markov chains?"),
        ("network_errors_fit_points", last, "points", Between(*nets),
         "Counted over points, is the standard error at 80 % in the range printed for networks?"),
        ("network_errors_rule_out_curves", first, "curves", Above(nets[1]),
         "Counted over curves, is the standard error above the range printed for networks already at 10 %?"),
    )  # fmt: skip
    return [Claim(name, asks, (way, cutoff), needs, "nats") for name, cutoff, way, needs, asks in stated]
