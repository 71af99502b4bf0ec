"""How often does each interval hold the truth, by p and n?

The coverage is computed without chance: it is the sum of the binomial probabilities of all counts whose interval contains p.
"""

from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from presswork import Above, AtLeast, AtMost, Between, Claim, Estimates, Interval, Rows, style, where
from questions._proportion import COLOURS, KINDS, coverage, lowest_coverage, mean_coverage

FILES = ("printed/printed.csv",)
PRINTED = pd.read_csv(Path(__file__).parents[1] / "printed" / "printed.csv")
TABLES = {
    "by_p": ("interval", "n", "p", "coverage"),
    "by_n": ("interval", "n", "p", "coverage"),
    "all_p": ("interval", "n", "average", "lowest"),
    "printed": ("claim", "coverage"),
}


@dataclass(frozen=True)
class Config:
    n: int = 50
    steps: int = 1000  # of p, from 0 to 1
    sizes: tuple[int, ...] = (10, 50, 100)
    most: tuple[tuple[float, int], ...] = ((0.5, 100), (0.005, 2000))  # the largest n, by p


SCALES = {"smoke": Config(steps=20, most=((0.5, 20), (0.005, 12))), "full": Config()}


def measure(config: Config) -> Rows:
    by_p = [(config.n, step / config.steps) for step in range(1, config.steps)]
    by_n = [(n, p) for p, most in config.most for n in range(10, most + 1)]
    found = {
        name: [(kind, n, p, share) for n, p in places for kind, share in coverage(n, p).items()]
        for name, places in (("by_p", by_p), ("by_n", by_n))
    }
    found["all_p"] = [(k, n, mean_coverage(k, n), lowest_coverage(k, n)) for k in KINDS for n in config.sizes]
    found["printed"] = [(row.claim, coverage(row.n, row.p)["Wald"]) for row in PRINTED.itertuples()]
    return {name: pd.DataFrame(rows, columns=TABLES[name]) for name, rows in found.items()}


def estimates(rows: Rows) -> Estimates:
    """{(interval, n, "average" or "lowest")}, and {claim} of what the paper prints"""
    over_p = rows["all_p"].set_index(["interval", "n"]).stack()
    return {key: Interval.exactly(x) for key, x in [*over_p.items(), *rows["printed"].to_numpy()]}


def draw(rows: Rows, config: Config) -> dict[str, plt.Figure]:
    by_p, axes = plt.subplots(2, 2, figsize=(7, 4.6), sharex=True, sharey=True)
    for axis, kind in zip(axes.flat, KINDS, strict=True):
        panel(axis, where(rows["by_p"], interval=kind), "p", kind)
        axis.set(title=kind, ylim=(80, 100.5), xlim=(0, 1), xticks=(0.2, 0.4, 0.6, 0.8))
    by_p.supxlabel("true proportion p", fontsize=10)
    by_p.supylabel("coverage in %", fontsize=10)
    by_n, axes = plt.subplots(1, 2, figsize=(7, 3.2), sharey=True)
    for axis, (p, most) in zip(axes, config.most, strict=True):
        for kind in ("Wald", "Wilson"):
            panel(axis, where(rows["by_n"], interval=kind, p=p), "n", kind)
        axis.set(title=f"p = {p:g}", xlabel="tosses n", ylim=(70, 100.5), xlim=(0, most * 1.05))
    axes[0].set_ylabel("coverage in %")
    axes[0].legend(loc="lower right")
    return {"by_p": by_p, "by_n": by_n}


def panel(axis: plt.Axes, rows: pd.DataFrame, x: str, kind: str) -> None:
    axis.plot(rows[x], 100 * rows["coverage"], color=style.colour(COLOURS[kind]), linewidth=1, label=kind)
    axis.axhline(95, color=style.ink(), linewidth=0.8)


def tabulate(rows: Rows, found: Estimates, config: Config) -> dict[str, pd.DataFrame]:
    columns = [(n, what) for what in ("average", "lowest") for n in config.sizes]
    cells = [[f"{100 * found[kind, *key].value:.1f} %" for key in columns] for kind in KINDS]
    table = pd.DataFrame(cells, columns=[f"{what}, {n} tosses" for n, what in columns])
    return {"all_p": table.assign(interval=KINDS)[["interval", *table]]}


def claims(rows: Rows, found: Estimates, config: Config) -> list[Claim]:
    n = config.n
    mean = f"On average over all p, does the {{}} interval cover close to 95 % at n = {n}?"
    every = f"At n = {n}, does the {{}} interval cover every p {{}}?"
    again = "With p = {:g} and n = {}, is the coverage of the Wald interval the printed one, up to rounding?"
    names = {kind: kind.lower().replace("–", "_") for kind in KINDS}
    return [
        *(Claim(f"{name}_average", mean.format(kind), found[kind, n, "average"], Between(0.945, 0.955), "%")
          for kind, name in names.items()),
        Claim("wald_lowest", f"Is there a p that the Wald interval hardly ever covers at n = {n}?",
              found["Wald", n, "lowest"], AtMost(0.05), "%"),
        Claim("wilson_lowest", every.format("Wilson", "nearly as often as it says"),
              found["Wilson", n, "lowest"], AtLeast(0.9), "%"),
        Claim("clopper_pearson_lowest", every.format("Clopper–Pearson", "as often as it says"),
              found["Clopper–Pearson", n, "lowest"], AtLeast(0.95), "%"),
        Claim("falls_at_592", "At p = 0.005, does the coverage of the Wald interval fall from 591 tosses to 592?",
              Interval.exactly(100 * (found["p_0005_n_591"].value - found["p_0005_n_592"].value)), Above(0), "points"),
        *(Claim(row.claim, again.format(row.p, row.n), found[row.claim],
                Between(row.value - 0.0005, row.value + 0.0005), "%", row.value) for row in PRINTED.itertuples()),
    ]  # fmt: skip
