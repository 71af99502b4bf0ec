"""What the paper says in words, compared with its own Table 5. Nothing is measured: each number is known to its last digit.

The interval of a claim is what rounding leaves open, not chance: a printed number may lie half a digit either way.
"""

from itertools import permutations

import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim, Needs
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.printed.numbers import HALF, printed
from reproduce.reproduction._grid_cells import CURVES, GRID
from reproduce.reproduction._printed_scores import CUTOFFS


def networks(quantity: str) -> pd.DataFrame:
    """Index (layers, width, curves), a column a cutoff; numbers read off a figure are left out."""
    cells = {cell.printed_name: tuple(cell) for cell in GRID}
    rows = where(printed(), table="Table 5", quantity=quantity)
    mine = rows[rows["method"].isin(cells)].fillna({"cutoff": 0})
    table = mine.pivot_table(index="method", columns="cutoff", values="value")
    return table.set_axis(table.index.map(cells))


def one(method: str, quantity: str, cutoff: int | None = None) -> float:
    rows = printed()
    at = rows["cutoff"].isna() if cutoff is None else rows["cutoff"] == cutoff
    return float(rows[(rows["method"] == method) & (rows["quantity"] == quantity) & at]["value"].iloc[0])


def leads(larger: bool) -> pd.Series:
    """Nats, for all cutoffs: each network above each smaller one, or above its like of a tenth of the curves."""
    table = networks("log-likelihood")
    found = []
    for a, b in permutations(table.index, 2):
        bigger = a[2] == b[2] and a[0] >= b[0] and a[1] >= b[1]
        fed = a[:2] == b[:2] and a[2] == 10 * b[2]
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
    ten_million = networks("log-likelihood").xs(CURVES[-1], level=2).drop((3, 128))
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
