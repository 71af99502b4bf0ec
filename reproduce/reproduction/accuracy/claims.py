"""The claims: our networks against the scores that the paper prints, and against least-squares fits."""

import math
from itertools import product

import pandas as pd
import torch

from curvecast.scores import metrics
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Claim
from reproduce._press.intervals import Interval
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _luck_of_seeds
from reproduce.reproduction._grid_rows import from_printed
from reproduce.reproduction.accuracy import order_of_measures

NOTHING, NATS = pd.DataFrame(), "nats per point"

PAPER = {
    "P1": "P1 (3 × 128, 10M curves)",
    "P2": "P2 (3 × 256, 10M curves)",
    "P3": "P3 (12 × 512, 10M curves)",
}


def claims(rows: dict[str, pd.DataFrame], best: str, size: str) -> list[Claim]:
    scores = rows["rows"].set_index(["method", "cutoff"])
    fresh, luck, order = (rows.get(name, NOTHING) for name in ("second", "luck", "order"))
    second = fresh.set_index(["method", "cutoff"]) if len(fresh) else scores[:0]
    stated = []
    for method in ("P1", "P2"):
        for cutoff in (10, 20, 40, 80):
            printed = log_likelihood(method, cutoff)
            stated.append(Claim(
                f"reaches_{method.lower()}_at_{cutoff}",
                f"After {cutoff} % of the epochs, does our {size} network score at least as high as the paper prints for "
                f"{PAPER[method]}?",
                _at(second, luck, best, cutoff, printed), AtLeast(printed or math.nan), NATS, printed,
            ))  # fmt: skip
    stated.append(_chosen_by_the_first(scores, second, best, size))
    return [
        *stated,
        *_against_fits(rows["each"].dropna(axis=1, how="all"), best, size),
        *order_of_measures.claims(order),
        *_retrained(scores),
    ]


def _at(
    second: pd.DataFrame, luck: pd.DataFrame, method: str, cutoff: int, printed: float | None
) -> Interval | None:
    """Log-likelihood on the second set; its interval counts errors of the printed score and seed-to-seed variation."""
    if (method, cutoff) not in second.index:
        return None
    ours = second.loc[(method, cutoff)]
    gap = from_printed(ours, printed or math.nan, luck=_luck_of_seeds.half_width(luck, cutoff))
    return Interval.around(float(ours["ll_even"]), gap.half)


def _chosen_by_the_first(first: pd.DataFrame, second: pd.DataFrame, best: str, size: str) -> Claim:
    """The recipe was chosen on the first set: is the score there too high?"""
    at, found = (best, 10), None
    if at in first.index and at in second.index:
        a, b = first.loc[at], second.loc[at]
        found = Interval.with_error(a["ll_even"] - b["ll_even"], math.hypot(a["ll_even_se"], b["ll_even_se"]))
    question = (
        f"After 10 epochs, does this {size} network score hardly higher on the curves on which its recipe was chosen than "
        "on a second set of curves?"
    )
    return Claim("first_set_does_not_flatter", question, found, AtMost(0.05), NATS)


def _retrained(scores: pd.DataFrame) -> list[Claim]:
    """At paper scale: the paper’s recipe against its printed scores, and our recipe against its largest network."""
    stated = []
    again = "Does {}, trained again with the paper’s recipe, score as printed at every cutoff?"
    for name, method, question, needed in (
        ("reproduces_p1", "P1", again.format(PAPER["P1"]), Below(0.03)),
        ("reproduces_p2", "P2", again.format(PAPER["P2"]), Below(0.03)),
        ("reproduces_p3", "P3", again.format(PAPER["P3"]), Below(0.03)),
        ("ours_reaches_p3", "ours", "Does a network of the size of P3, trained with our recipe on as many curves, score at "
         "least as high as P3 as printed at every cutoff?", AtLeast(0)),
    ):  # fmt: skip
        leads = []  # at each cutoff
        for cutoff in (10, 20, 40, 80):
            printed = float(log_likelihood(method if method != "ours" else "P3", cutoff) or "nan")
            there = (method, cutoff) in scores.index
            gap = from_printed(scores.loc[(method, cutoff)], printed) if there else Interval(*[math.nan] * 3)
            leads.append(Interval.around(gap.value if method == "ours" else -abs(gap.value), gap.half))
        worst = Interval(*map(min, zip(*leads, strict=True)))  # the lowest of each end
        if method != "ours":
            worst = Interval(-worst.value, max(0.0, -worst.high), -worst.low)
        stated.append(Claim(name, question, worst, needed, NATS))
    return stated


def _against_fits(each: pd.DataFrame, best: str, size: str) -> list[Claim]:
    """Paired by curve: the network minus the fit that is best at that cutoff."""
    stated = []
    rivals = {
        "beats_fits": ("the best of three least-squares fits", ("pow3", "pow4", "mmf4")),
        "beats_the_sum": ("least squares with the sum of all the prior’s families", ("sum",)),
    }
    for (name, (rival, methods)), cutoff in product(rivals.items(), (10, 40)):
        name = f"{name}_at_{cutoff}"
        question = f"After {cutoff} % of the epochs, does this {size} network score higher than {rival}?"
        columns = [f"{m}@{cutoff}" for m in methods]
        if not {f"{best}@{cutoff}", *columns} <= set(each.columns):
            stated.append(Claim(name, question, None, Above(0), NATS))
            continue
        fits = max(columns, key=lambda c: each[c].mean())
        ours, theirs = (torch.tensor(each[c].dropna().to_numpy()) for c in (f"{best}@{cutoff}", fits))
        found = metrics.paired(ours[: len(theirs)], theirs)  # the first curves of THE test set
        stated.append(Claim(name, question, Interval.with_error(*found), Above(0), NATS))
    return stated
