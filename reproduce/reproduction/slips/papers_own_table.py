"""What the paper says in words, compared with its own Table 5. Nothing is measured: each number is known to its last digit.

The interval of a claim is what rounding leaves open, not chance: a printed number may lie half a digit either way.
"""

import re

import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim, Needs
from reproduce._press.intervals import Interval
from reproduce.printed.numbers import printed

NAMED = {"P1": ("10M", 3, 128), "P2": ("10M", 3, 256), "P3": ("10M", 12, 512)}  # curves, layers, width
SIZE = re.compile(r"(\w+) curves, (\d+) layers, (\d+) wide")
CURVES = ("100k", "1M", "10M")  # each ten times the one before
HALF = 0.0005  # of the last digit of a log-likelihood or of a network's seconds
CUTOFFS = (10, 20, 40, 80)


def networks(quantity: str) -> pd.DataFrame:
    """Index (curves, layers, width), a column a cutoff; numbers read off a figure are left out."""
    rows = printed()
    rows = rows[(rows["table"] == "Table 5") & (rows["quantity"] == quantity)]
    sizes = {m: NAMED.get(m) or _size(m) for m in rows["method"]}
    mine = rows[[sizes[m] is not None for m in rows["method"]]]
    index = pd.MultiIndex.from_tuples([sizes[m] for m in mine["method"]], names=["curves", "layers", "width"])
    table = mine.assign(cutoff=mine["cutoff"].fillna(0).astype(int)).set_index(index)
    return table.pivot_table(index=["curves", "layers", "width"], columns="cutoff", values="value")


def _size(method: str) -> tuple[str, int, int] | None:
    match = SIZE.fullmatch(method)
    return (match[1], int(match[2]), int(match[3])) if match else None


def one(method: str, quantity: str, cutoff: int | None = None) -> float:
    rows = printed()
    at = rows["cutoff"].isna() if cutoff is None else rows["cutoff"] == cutoff
    return float(rows[(rows["method"] == method) & (rows["quantity"] == quantity) & at]["value"].iloc[0])


def leads(larger: bool) -> pd.Series:
    """Nats, for all cutoffs: each network above each smaller one, or above its like of a tenth of the curves."""
    table = networks("log-likelihood")
    found = []
    for a in table.index:
        for b in table.index:
            bigger = a[0] == b[0] and a != b and a[1] >= b[1] and a[2] >= b[2]
            fed = a[1:] == b[1:] and CURVES.index(a[0]) == CURVES.index(b[0]) + 1
            if bigger if larger else fed:
                found.append(table.loc[a] - table.loc[b])
    return pd.concat(found).round(3)


def leads_over_chains() -> list[float]:
    """Of P3 over the longest chain, at each cutoff."""
    return [one("P3", "log-likelihood", c) - one("M3", "log-likelihood", c) for c in CUTOFFS]


def claims() -> list[Claim]:
    rows = printed()
    chains = rows[rows["method"].str.match("M[123]|MCMC") & (rows["quantity"] == "log-likelihood")]
    best_chain = chains[chains["cutoff"] == 10]["value"].max()
    ten_million = networks("log-likelihood").loc["10M"].drop((3, 128))
    steps = pd.Series(leads_over_chains()).diff()
    slowest = networks("seconds per curve").max().item()
    own = "In the paper’s Table 5, does"
    said = "as Section 4.1 says?"
    return [
        _rounded("own_table_beats_chains", f"{own} every network of ten million curves but P1 score above the best chain at "
                 "10 %?", ten_million[10].min() - best_chain, 2, Above(0)),
        _rounded("own_table_size", f"{own} a larger network never score below a smaller one trained on as many curves?",
                 leads(larger=True).min(), 2, AtLeast(0)),
        _rounded("own_table_data", f"{own} a network trained on ten times the curves never score lower?",
                 leads(larger=False).min(), 2, AtLeast(0)),
        _rounded("own_table_gap", f"{own} the lead of P3 over the longest chain never grow from one cutoff to the next?",
                 steps.max(), 4, AtMost(0)),
        _rounded("own_table_seconds", f"{own} even the slowest network take as little time {said}", slowest, 1, Below(0.1),
                 "s"),
        _ratio("own_table_speed", f"{own} the chain M3 take as many times the seconds of P2 {said}", "M3",
               Above(one("P2", "times faster than M3"))),
        _ratio("own_table_speed_m2", f"{own} the chain M2 take about as many times the seconds of P2 {said}", "M2",
               Between(6500, 7500)),  # rounds to the printed 7000
    ]  # fmt: skip


def _rounded(
    name: str, asks: str, value: float, numbers: int, needs: Needs, unit: str = "nats per point"
) -> Claim:
    """A sum or difference of so many printed numbers."""
    low, high = round(value - numbers * HALF, 6), round(value + numbers * HALF, 6)
    return Claim(name, asks, Interval(value, low, high), needs, unit)


def _ratio(name: str, asks: str, chain: str, needs: Needs) -> Claim:
    theirs, ours = one(chain, "seconds per curve"), one("P2", "seconds per curve")
    return Claim(
        name, asks, Interval(theirs / ours, theirs / (ours + HALF), theirs / (ours - HALF)), needs, "×"
    )
