"""Where does the paper contradict itself, and how do we know?"""

import math
from dataclasses import dataclass, field

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.scores.metrics import Estimate
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, Below, Between, Claim
from reproduce._press.intervals import Interval
from reproduce.reproduction.slips import papers_own_table
from reproduce.reproduction.slips.papers_own_table import one
from reproduce.trainings import SMALL, TINY

AT_ONCE = 200  # curves
WIDTHS = (128, 256, 512)  # of the paper's networks
SOFT = ((0.0, 1.0), (0.0, 2.0), (0.5, 1.0), (-1.0, 1.0))  # ranges of the normaliser that are compared


@dataclass(frozen=True)
class Config:
    model: TrainConfig = field(default_factory=lambda: SMALL["3x128"])
    curves: int = 1000  # of THE test set, the first ones
    cutoffs: tuple[int, ...] = (10, 20, 40, 80)
    printed_sd: float = 0.5**0.5  # of ln sigma, if ln sigma^2 ~ N(-8, variance 2)


LABEL_FREE = {
    claim.name: "of numbers that the paper prints; nothing is measured" for claim in papers_own_table.claims()
}

SCALES = {"smoke": Config(TINY["1x16"], 40, (10, 80)), "laptop": Config(), "paper": Config(curves=10_000)}


def models(config: Config) -> list[TrainConfig]:
    return [config.model]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    """For each curve: its noise, and mean and mean square of the log-density over the points after each cutoff."""
    forecaster, curves = trained(config.model), prior.test_set(config.curves)
    x = torch.arange(1, curves.noisy.shape[1] + 1).float()
    columns = {"ln_sigma": curves.sigma.double().log()}
    for cutoff in config.cutoffs:
        parts = []
        for y in curves.noisy.split(AT_ONCE):
            epochs = x.expand(len(y), -1)
            parts.append(
                forecaster.log_density(epochs[:, :cutoff], y[:, :cutoff], epochs[:, cutoff:], y[:, cutoff:])
            )
        ll = torch.cat(parts).double()  # (n, 100 - cutoff)
        columns |= {f"mean{cutoff}": ll.mean(1), f"square{cutoff}": ll.square().mean(1)}
    normaliser = [
        {"low": low, "high": high, "printed": normalised((low + high) / 2, low, high, -(high + low) / (high - low)),
         "consistent": normalised((low + high) / 2, low, high, (high + low) / 2)}
        for low, high in SOFT
    ]  # fmt: skip
    rows = pd.DataFrame({name: values.tolist() for name, values in columns.items()})
    return {"rows": rows.round(5), "normaliser": pd.DataFrame(normaliser)}


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


def printed_range(method: str) -> tuple[float, float]:
    """The standard errors that the paper prints, with what rounding hides."""
    return (
        round(one(method, "standard error, least") - papers_own_table.HALF, 6),
        round(one(method, "standard error, most") + papers_own_table.HALF, 6),
    )


WAYS = {
    "curves": "over curves, noise as in the code",
    "printed": "over curves, noise as printed",
    "points": "over points, noise as in the code",
}


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    figure, axis = plt.subplots(figsize=(7, 3.8))
    for method, label in (("MCMC", "Markov chains, as printed"), ("LC-PFN", "networks, as printed")):
        low, high = printed_range(method)
        axis.axhspan(low, high, color=style.colour("paper"), alpha=0.22, linewidth=0)
        axis.annotate(label, (0.012, high), xycoords=("axes fraction", "data"), xytext=(0, -4),
                      textcoords="offset points", va="top", color=style.colour("paper"))  # fmt: skip
    for way, marker, dashes in (("curves", "o", "-"), ("printed", "s", "--"), ("points", "D", ":")):
        found = [standard_error(rows["rows"], c, way, config.printed_sd) for c in config.cutoffs]
        axis.errorbar(config.cutoffs, [f.value for f in found], yerr=[1.96 * f.se for f in found],
                      color=style.colour("ours"), linestyle=dashes, marker=marker, markersize=5)  # fmt: skip
        axis.annotate(WAYS[way].replace(", ", ",\n"), (config.cutoffs[-1], found[-1].value), xytext=(9, 0),
                      textcoords="offset points", va="center", color=style.colour("ours"))  # fmt: skip
    axis.set(
        xlabel="observed epochs, of 100",
        ylabel="standard error, nats per point",
        xlim=(5, 118),
        ylim=(0, 0.0135),
    )
    axis.set_xticks(config.cutoffs)
    return {"errors": figure}


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    cells = []
    for way, label in WAYS.items():
        found = {c: standard_error(rows["rows"], c, way, config.printed_sd) for c in config.cutoffs}
        digits = 5 if way == "points" else 4
        columns = {f"{c} %": Interval.with_error(*f).plus_minus(f".{digits}f") for c, f in found.items()}
        cells.append({"standard error": label} | columns)
    for method, label in (("MCMC", "Markov chains, as printed"), ("LC-PFN", "networks, as printed")):
        least, most = (one(method, f"standard error, {word}") for word in ("least", "most"))
        cells.append({"standard error": label} | {f"{c} %": f"{least} to {most}" for c in config.cutoffs})
    return {"errors": pd.DataFrame(cells), "slips": pd.DataFrame(_slips(rows, config))}


def _slips(rows: dict[str, pd.DataFrame], config: Config) -> list[dict[str, str]]:
    """What is printed and where, a correction that fits the rest, and what we computed that tells."""
    last = config.cutoffs[-1]
    code, law, points = (
        Interval.with_error(*standard_error(rows["rows"], last, way, config.printed_sd)).plus_minus(".4f")
        for way in ("curves", "printed", "points")
    )
    middle = rows["normaliser"].set_index(["low", "high"])
    chains, nets = (
        "{} to {}".format(*(one(m, f"standard error, {w}") for w in ("least", "most")))
        for m in ("MCMC", "LC-PFN")
    )
    curves = one("LCBench", "configurations a task") * one("LCBench", "tasks")
    lengths = [
        f"{one(b, f'epochs, in the {w}'):.0f}" for w in ("text", "table") for b in ("lm1b", "UniRef50")
    ]
    heads = ", ".join(f"{w}: {max(1, w // 128)} and {2 * w:,}" for w in WIDTHS)
    leads, larger = papers_own_table.leads_over_chains(), papers_own_table.leads(larger=True)
    titles = ("slip", "as printed", "correction", "evidence")
    return [dict(zip(titles, cells, strict=True)) for cells in (
        ("distribution of the noise", "ln σ² ~ N(−8, 2), so that ln σ has standard deviation "
         f"{config.printed_sd:.3f} (Methods)", "ln σ ~ N(−4, 1), as in the code",
         f"standard error at {last} %: {code} with the code's noise, {law} with the printed one; "
         f"for chains the paper prints {chains}"),
        ("standard errors of networks", f"{nets} (Table 5)", "an error over curves, as for chains",
         f"at {last} %: {points} counted over points, {code} over curves"),
        ("midpoint b of the normaliser", "b = −(u + l) / (u − l) (Appendix)", "b = (u + l) / 2",
         f"between 0 and 1 the printed b sends 0.5 to {middle.loc[(0.0, 1.0), 'printed']:.3f}, the other to "
         f"{middle.loc[(0.0, 1.0), 'consistent']:.3f}; the two agree only if l = −u"),
        ("larger is better", "always (Section 4.1)", f"in {(larger > 0).sum()} of {len(larger)} comparisons of Table 5",
         f"{larger.min():+.3f} nats in the worst case; equal scores: {(larger == 0).sum()}"),
        ("lead of P3 over M3", "shrinks with the cutoff (Section 4.1)", "from 20 % on",
         "Table 5, at 10, 20, 40 and 80 %: " + ", ".join(f"{lead:.3f}" for lead in leads)),
        ("curves of LCBench", f"{one('LCBench', 'curves'):,.0f} (Experiments)", f"{curves:,.0f}",
         f"{one('LCBench', 'configurations a task'):,.0f} configurations × {one('LCBench', 'tasks'):.0f} tasks"),
        ("points per curve: lm1b, UniRef50", f"{lengths[0]} and {lengths[1]} (Experiments)", f"{lengths[2]} and {lengths[3]}",
         "Table 4 and the axes of the figures say so; nothing to compute"),
        ("heads and hidden size", f"{one('LC-PFN', 'heads'):.0f} and {one('LC-PFN', 'hidden size'):,.0f} (Methods)",
         "a head for every 128 of the width, hidden size twice the width", f"the code, by width: {heads}"),
        ("dropout", "not mentioned", "0.2", "the code; nothing to compute"),
        ("fewest observed epochs", "0 epochs (Methods)", "1 epoch", "the code; it needs an observed point"),
    )]  # fmt: skip


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    last, first = config.cutoffs[-1], config.cutoffs[0]
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
    found = []
    for name, cutoff, way, needs, asks in stated:
        error = standard_error(rows["rows"], cutoff, way, config.printed_sd)
        found.append(Claim(name, asks, Interval.with_error(*error), needs, "nats"))
    return [*found, *papers_own_table.claims()]
