"""Where does the paper contradict itself, and how do we know?"""

import math
from dataclasses import dataclass, field
from itertools import permutations

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.scores.metrics import Estimate
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim, Needs
from reproduce._press.estimates import Estimates, cells, line, those_of
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.printed.numbers import HALF, printed, value
from reproduce.reproduction._grid_cells import CURVES, GRID
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.trainings import SMALL, TINY

# of the rows a mean and a square for each cutoff
TABLES = {"rows": ("ln_sigma", ...), "normaliser": ("low", "high", "printed", "consistent")}
AT_ONCE = 200  # curves
WIDTHS = (128, 256, 512)  # of the paper's networks
SOFT = ((0.0, 1.0), (0.0, 2.0), (0.5, 1.0), (-1.0, 1.0))  # ranges of the normaliser that are compared
WAYS = {
    "curves": "over curves, noise as in the code",
    "printed": "over curves, noise as printed",
    "points": "over points, noise as in the code",
}
PROGRAMS = {"MCMC": "Markov chains, as printed", "LC-PFN": "networks, as printed"}


@dataclass(frozen=True)
class Config:
    model: TrainConfig = field(default_factory=lambda: SMALL["3x128"])
    curves: int = 1000  # of THE test set, the first ones
    cutoffs: tuple[int, ...] = (10, 20, 40, 80)
    printed_sd: float = 0.5**0.5  # of ln sigma, if ln sigma^2 ~ N(-8, variance 2)


SCALES = {"smoke": Config(TINY["1x16"], 40, (10, 80)), "laptop": Config(), "paper": Config(curves=10_000)}


def measure(config: Config, part: str) -> Rows:
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


def errors(rows: Rows, config: Config) -> Estimates:
    """By way of counting and cutoff."""
    return {
        (way, c): Interval.with_error(*standard_error(rows["rows"], c, way, config.printed_sd))
        for way in WAYS for c in config.cutoffs
    }  # fmt: skip


def one(method: str, quantity: str, cutoff: int | None = None) -> float:
    """A number that is printed."""
    found = value(method, quantity, cutoff)
    assert found is not None, (method, quantity, cutoff)
    return found


def printed_range(method: str) -> tuple[float, float]:
    """The standard errors that the paper prints, with what rounding hides."""
    return (
        round(one(method, "standard error, least") - HALF, 6),
        round(one(method, "standard error, most") + HALF, 6),
    )


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    figure, axis = plt.subplots(figsize=(7, 3.8))
    for method, label in PROGRAMS.items():
        low, high = printed_range(method)
        axis.axhspan(low, high, color=style.colour("paper"), alpha=0.22, linewidth=0)
        axis.annotate(label, (0.012, high), xycoords=("axes fraction", "data"), xytext=(0, -4),
                      textcoords="offset points", va="top", color=style.colour("paper"))  # fmt: skip
    found, ours = errors(rows, config), style.colour("ours")
    for way, marker, dashes in (("curves", "o", "-"), ("printed", "s", "--"), ("points", "D", ":")):
        heights = line(axis, those_of(found, way), color=ours, linestyle=dashes, marker=marker, markersize=5)
        axis.annotate(WAYS[way].replace(", ", ",\n"), (config.cutoffs[-1], heights[-1]), xytext=(9, 0),
                      textcoords="offset points", va="center", color=ours)  # fmt: skip
    axis.set(xlabel="observed epochs, of 100", ylabel="standard error, nats per point")
    axis.set(xlim=(5, 118), ylim=(0, 0.0135))
    axis.set_xticks(config.cutoffs)
    return {"errors": figure}


def tabulate(rows: Rows, config: Config) -> Rows:
    columns, found = {c: f"{c} %" for c in config.cutoffs}, errors(rows, config)
    made = [
        {"standard error": label} | cells(found, way, columns, ".5f" if way == "points" else ".4f")
        for way, label in WAYS.items()
    ]
    for method, label in PROGRAMS.items():
        least, most = (one(method, f"standard error, {word}") for word in ("least", "most"))
        made.append({"standard error": label} | {f"{c} %": f"{least} to {most}" for c in config.cutoffs})
    return {"errors": pd.DataFrame(made), "slips": pd.DataFrame(slips(rows, config))}


def slips(rows: Rows, config: Config) -> list[dict[str, str]]:
    """What is printed and where, a correction that fits the rest, and what we computed that tells."""
    last = config.cutoffs[-1]
    found = errors(rows, config)
    code, law, points = (found[way, last].plus_minus(".4f") for way in WAYS)
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
    chains_behind, larger = leads_over_chains(), leads(larger=True)
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
         "Table 5, at 10, 20, 40 and 80 %: " + ", ".join(f"{lead:.3f}" for lead in chains_behind)),
        ("curves of LCBench", f"{one('LCBench', 'curves'):,.0f} (Experiments)", f"{curves:,.0f}",
         f"{one('LCBench', 'configurations a task'):,.0f} configurations × {one('LCBench', 'tasks'):.0f} tasks"),
        ("points per curve: lm1b, UniRef50", f"{lengths[0]} and {lengths[1]} (Experiments)", f"{lengths[2]} and {lengths[3]}",
         "Table 4 and the axes of the figures say so; nothing to compute"),
        ("heads and hidden size", f"{one('LC-PFN', 'heads'):.0f} and {one('LC-PFN', 'hidden size'):,.0f} (Methods)",
         "a head for every 128 of the width, hidden size twice the width", f"the code, by width: {heads}"),
        ("dropout", "not mentioned", "0.2", "the code; nothing to compute"),
        ("fewest observed epochs", "0 epochs (Methods)", "1 epoch", "the code; it needs an observed point"),
    )]  # fmt: skip


def claims(rows: Rows, config: Config) -> list[Claim]:
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
    found = errors(rows, config)
    return [
        *(Claim(name, asks, found[way, cutoff], needs, "nats") for name, cutoff, way, needs, asks in stated),
        *of_its_own_table(),
    ]


def networks(quantity: str) -> pd.DataFrame:
    """Index (layers, width, curves), a column a cutoff; numbers read off a figure are left out."""
    cells = {cell.printed_name: tuple(cell) for cell in GRID}
    rows = where(printed(), table="Table 5", quantity=quantity)
    mine = rows[rows["method"].isin(cells)].fillna({"cutoff": 0})
    table = mine.pivot_table(index="method", columns="cutoff", values="value")
    return table.set_axis(table.index.map(cells))


def leads(larger: bool) -> pd.Series:
    """Nats, for all cutoffs: each network above each smaller one, or above its like of a tenth of the curves."""
    table = networks("log-likelihood")
    differences = []
    for a, b in permutations(table.index, 2):
        bigger = a[2] == b[2] and a[0] >= b[0] and a[1] >= b[1]
        fed = a[:2] == b[:2] and a[2] == 10 * b[2]
        if bigger if larger else fed:
            differences.append(table.loc[a] - table.loc[b])
    return pd.concat(differences).round(3)


def leads_over_chains() -> list[float]:
    """Of P3 over the longest chain, at each cutoff."""
    return [one("P3", "log-likelihood", c) - one("M3", "log-likelihood", c) for c in CUTOFFS]


def of_its_own_table() -> list[Claim]:
    """What the paper says in words, compared with its own Table 5. Nothing is measured: each number is known to its last
    digit, and an interval is what rounding leaves open, not chance: a printed number may lie half a digit either way."""
    rows = printed()
    chains = rows[rows["method"].str.match("M[123]|MCMC") & (rows["quantity"] == "log-likelihood")]
    best_chain = chains[chains["cutoff"] == 10]["value"].max()
    ten_million = networks("log-likelihood").xs(CURVES[-1], level=2).drop((3, 128))
    steps = pd.Series(leads_over_chains()).diff()
    slowest = networks("seconds per curve").max().item()
    own = "In the paper’s Table 5, does"
    said = "as Section 4.1 says?"
    return [
        rounded("own_table_beats_chains", f"{own} every network of ten million curves but P1 score above the best chain at "
                 "10 %?", ten_million[10].min() - best_chain, 2, Above(0)),
        rounded("own_table_size", f"{own} a larger network never score below a smaller one trained on as many curves?",
                 leads(larger=True).min(), 2, AtLeast(0)),
        rounded("own_table_data", f"{own} a network trained on ten times the curves never score lower?",
                 leads(larger=False).min(), 2, AtLeast(0)),
        rounded("own_table_gap", f"{own} the lead of P3 over the longest chain never grow from one cutoff to the next?",
                 steps.max(), 4, AtMost(0)),
        rounded("own_table_seconds", f"{own} even the slowest network take as little time {said}", slowest, 1, Below(0.1),
                 "s"),
        ratio("own_table_speed", f"{own} the chain M3 take as many times the seconds of P2 {said}", "M3",
               Above(one("P2", "times faster than M3"))),
        ratio("own_table_speed_m2", f"{own} the chain M2 take about as many times the seconds of P2 {said}", "M2",
               Between(6500, 7500)),  # rounds to the printed 7000
    ]  # fmt: skip


def rounded(
    name: str, asks: str, value: float, numbers: int, needs: Needs, unit: str = "nats per point"
) -> Claim:
    """A sum or difference of so many printed numbers."""
    low, high = round(value - numbers * HALF, 6), round(value + numbers * HALF, 6)
    return Claim(name, asks, Interval(value, low, high), needs, unit)


def ratio(name: str, asks: str, chain: str, needs: Needs) -> Claim:
    theirs, ours = one(chain, "seconds per curve"), one("P2", "seconds per curve")
    return Claim(
        name, asks, Interval(theirs / ours, theirs / (ours + HALF), theirs / (ours - HALF)), needs, "×"
    )


LABEL_FREE = {
    claim.name: "of numbers that the paper prints; nothing is measured" for claim in of_its_own_table()
}
