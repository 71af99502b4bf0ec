"""What the networks reach, beside what the paper prints and beside fits, as sentences that can fail."""

import math
from itertools import product

import pandas as pd
import torch

from curvecast.scores import metrics
from curvecast.scores.metrics import Estimate
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _luck_of_seeds
from reproduce.reproduction._grid_rows import from_printed
from reproduce.reproduction.accuracy import order_of_measures

NOTHING = pd.DataFrame()

PAPER = {
    "P1": "the paper's P1 (3 × 128, 10M curves)",
    "P2": "the paper's P2 (3 × 256, 10M curves)",
    "P3": "the paper's P3 (12 × 512, 10M curves)",
}


def claims(rows: dict[str, pd.DataFrame], best: str, size: str) -> list[Claim]:
    scores = rows["rows"].set_index(["method", "cutoff"])
    fresh, luck, order = (rows.get(name, NOTHING) for name in ("second", "luck", "order"))
    second = fresh.set_index(["method", "cutoff"]) if len(fresh) else scores[:0]
    stated = []
    for method in ("P1", "P2"):
        for cutoff in (10, 20, 40, 80):
            printed = log_likelihood(method, cutoff)
            stated.append(claim(
                f"reaches_{method.lower()}_at_{cutoff}",
                f"With {cutoff} % of the epochs seen, our {size} network reaches {PAPER[method]}: "
                "{value:.3f} nats against {printed:.3f} printed.",
                _at(second, luck, best, cutoff, printed), f">= {printed}", printed,
            ))  # fmt: skip
    stated.append(_chosen_by_the_first(scores, second, best))
    return [
        *stated,
        *_against_fits(rows["each"], best, size),
        *order_of_measures.claims(order),
        *_retrained(scores),
    ]


def _at(
    second: pd.DataFrame, luck: pd.DataFrame, method: str, cutoff: int, printed: float | None
) -> Interval | None:
    """Log-likelihood on the second set, with the error of its distance to what is printed, and the luck of the training."""
    if (method, cutoff) not in second.index:
        return None
    ours = second.loc[(method, cutoff)]
    error = 1.96 * from_printed(ours, printed or math.nan).se
    return Interval.around(float(ours["ll_even"]), math.hypot(error, _luck_of_seeds.half_width(luck, cutoff)))


def _chosen_by_the_first(first: pd.DataFrame, second: pd.DataFrame, best: str) -> Claim:
    """Did choosing a recipe on the first set flatter it there?"""
    at, found = (best, 10), None
    if at in first.index and at in second.index:
        a, b = first.loc[at], second.loc[at]
        found = Interval.with_error(a["ll_even"] - b["ll_even"], math.hypot(a["ll_even_se"], b["ll_even_se"]))
    sentence = (
        "The test set on which the recipe was chosen flatters the network by at most 0.05 nats: after 10 epochs its score "
        "there differs by {value:+.3f} from that on a second one, which has chosen nothing."
    )
    return claim("first_set_does_not_flatter", sentence, found, "<= 0.05")


def _retrained(scores: pd.DataFrame) -> list[Claim]:
    """At paper scale: the paper's own recipe against what it prints, and ours against its largest network."""
    stated = []
    again = (
        "{method}, trained again with the paper's recipe, gives what is printed to within {{most}} nats; the "
        "largest gap is {{value:.3f}}."
    )
    for name, method, sentence, condition in (
        ("reproduces_p1", "P1", again.format(method="P1"), "< 0.03"),
        ("reproduces_p2", "P2", again.format(method="P2"), "< 0.03"),
        ("reproduces_p3", "P3", again.format(method="P3"), "< 0.03"),
        ("ours_reaches_p3", "ours", "Our recipe at the size and the number of curves of P3 reaches it at every cutoff; the "
         "smallest lead is {value:+.3f} nats.", ">= 0"),
    ):  # fmt: skip
        leads = []  # at each cutoff
        for cutoff in (10, 20, 40, 80):
            printed = float(log_likelihood(method if method != "ours" else "P3", cutoff) or "nan")
            there = (method, cutoff) in scores.index
            gap = (
                from_printed(scores.loc[(method, cutoff)], printed) if there else Estimate(math.nan, math.nan)
            )
            lead = gap.value if method == "ours" else -abs(gap.value)
            leads.append(Interval.with_error(lead, gap.se))
        worst = Interval(*map(min, zip(*leads, strict=True)))  # of a worst case: the worst of each end
        if method != "ours":
            worst = Interval(-worst.value, max(0.0, -worst.high), -worst.low)
        stated.append(claim(name, sentence, worst, condition))
    return stated


def _against_fits(each: pd.DataFrame, best: str, size: str) -> list[Claim]:
    """Paired on the same curves: how far is the network above the best fit for that cutoff?"""
    stated = []
    rivals = {
        "beats_fits": ("the best of three least-squares fits", ("pow3", "pow4", "mmf4")),
        "beats_the_sum": ("least squares with the sum of all the prior’s families", ("sum",)),
    }
    for (name, (rival, methods)), cutoff in product(rivals.items(), (10, 40)):
        name = f"{name}_at_{cutoff}"
        sentence = (
            f"With {cutoff} % of the epochs seen, our {size} network is above {rival}, by {{value:.2f}} nats."
        )
        columns = [f"{m}@{cutoff}" for m in methods]
        if not {f"{best}@{cutoff}", *columns} <= set(each.columns):
            stated.append(claim(name, sentence, None, "> 0"))
            continue
        fits = max(columns, key=lambda c: each[c].mean())
        ours, theirs = (torch.tensor(each[c].dropna().to_numpy()) for c in (f"{best}@{cutoff}", fits))
        found = metrics.paired(ours[: len(theirs)], theirs)  # the first curves of THE test set
        stated.append(claim(name, sentence, Interval.with_error(*found), "> 0"))
    return stated
