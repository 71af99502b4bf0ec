"""The paper against its own Table 5, and all slips in one table.

Nothing is measured: each number is known to its last digit, and an interval is what rounding leaves open, not chance: a
printed number may lie half a digit either way.
"""

from itertools import permutations

import pandas as pd

from presswork import Above, AtLeast, AtMost, Below, Between, Claim, Estimates, Interval, where
from presswork.intervals import COUNTED
from reproduce.printed.numbers import HALF, printed, value
from reproduce.reproduction._grid_cells import CURVES, GRID
from reproduce.reproduction._printed_scores import CUTOFFS

WIDTHS = (128, 256, 512)  # of the paper's networks


def one(method: str, quantity: str, cutoff: int | None = None) -> float:
    """A number that is printed."""
    found = value(method, quantity, cutoff)
    assert found is not None, (method, quantity, cutoff)
    return found


def slips(found: Estimates, normaliser: pd.DataFrame, last: int, printed_sd: float) -> pd.DataFrame:
    """What is printed and where, a correction that fits the rest, and what we computed that tells."""
    code, law, points = (found[way, last].plus_minus(".4f") for way in ("curves", "printed", "points"))
    middle = normaliser.set_index(["low", "high"])
    least, most = ([one(m, f"standard error, {w}") for m in ("MCMC", "LC-PFN")] for w in ("least", "most"))
    chains, nets = map("{} to {}".format, least, most)
    curves = one("LCBench", "configurations a task") * one("LCBench", "tasks")
    epochs = [(b, f"epochs, in the {w}") for w in ("text", "table") for b in ("lm1b", "UniRef50")]
    lengths = [f"{one(*pair):.0f}" for pair in epochs]
    heads = ", ".join(f"{w}: {max(1, w // 128)} and {2 * w:,}" for w in WIDTHS)
    chains_behind, larger = leads_over_chains(), leads(larger=True)
    titles = ("slip", "as printed", "correction", "evidence")
    return pd.DataFrame([dict(zip(titles, cells, strict=True)) for cells in (
        ("distribution of the noise", "ln σ² ~ N(−8, 2), so that ln σ has standard deviation "
         f"{printed_sd:.3f} (Methods)", "ln σ ~ N(−4, 1), as in the code",
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
    )])  # fmt: skip


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


def estimates() -> Estimates:
    """{name of the claim: what Table 5 says}"""
    rows = printed()
    chains = rows[rows["method"].str.match("M[123]|MCMC") & (rows["quantity"] == "log-likelihood")]
    best_chain = chains[chains["cutoff"] == 10]["value"].max()
    ten_million = networks("log-likelihood").xs(CURVES[-1], level=2).drop((3, 128))
    return {
        "own_table_beats_chains": rounded(ten_million[10].min() - best_chain, 2),
        "own_table_size": rounded(leads(larger=True).min(), 2),
        "own_table_data": rounded(leads(larger=False).min(), 2),
        "own_table_gap": rounded(pd.Series(leads_over_chains()).diff().max(), 4),
        "own_table_seconds": rounded(networks("seconds per curve").max().item(), 1),
        "own_table_speed": times_p2("M3"),
        "own_table_speed_m2": times_p2("M2"),
    }


def rounded(value: float, numbers: int) -> Interval:
    """A sum or difference of so many printed numbers."""
    low, high = round(value - numbers * HALF, 6), round(value + numbers * HALF, 6)
    return Interval(value, low, high, COUNTED)


def times_p2(chain: str) -> Interval:
    theirs, ours = one(chain, "seconds per curve"), one("P2", "seconds per curve")
    return Interval(theirs / ours, theirs / (ours + HALF), theirs / (ours - HALF), COUNTED)


def claims(found: Estimates) -> list[Claim]:
    """What the paper says in words, compared with its own Table 5."""
    own, said, nats = "In the paper’s Table 5, does", "as Section 4.1 says?", "nats per point"
    stated = (
        ("own_table_beats_chains", "every network of ten million curves but P1 score above the best chain at 10 %?",
         Above(0), nats),
        ("own_table_size", "a larger network never score below a smaller one trained on as many curves?", AtLeast(0), nats),
        ("own_table_data", "a network trained on ten times the curves never score lower?", AtLeast(0), nats),
        ("own_table_gap", "the lead of P3 over the longest chain never grow from one cutoff to the next?", AtMost(0), nats),
        ("own_table_seconds", f"even the slowest network take as little time {said}", Below(0.1), "s"),
        ("own_table_speed", f"the chain M3 take as many times the seconds of P2 {said}",
         Above(one("P2", "times faster than M3")), "×"),
        ("own_table_speed_m2", f"the chain M2 take about as many times the seconds of P2 {said}",
         Between(6500, 7500), "×"),  # rounds to the printed 7000
    )  # fmt: skip
    return [Claim(name, f"{own} {asks}", found[name], needs, unit) for name, asks, needs, unit in stated]
