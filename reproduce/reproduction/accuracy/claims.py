"""What the networks reach, beside what the paper prints and beside fits, as sentences that can fail."""

import math

import pandas as pd
import torch

from curvecast.scores import metrics
from curvecast.scores.metrics import Estimate
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction._grid_rows import from_printed

PAPER = {
    "P1": "the paper's P1 (3 × 128, 10M curves)",
    "P2": "the paper's P2 (3 × 256, 10M curves)",
    "P3": "the paper's P3 (12 × 512, 10M curves)",
}


def claims(rows: dict[str, pd.DataFrame], best: str, size: str) -> list[Claim]:
    scores = rows["rows"].set_index(["method", "cutoff"])
    stated = []
    for method in ("P1", "P2"):
        for cutoff in (10, 20, 40, 80):
            printed = log_likelihood(method, cutoff)
            stated.append(claim(
                f"reaches_{method.lower()}_at_{cutoff}",
                f"With {cutoff} % of the epochs seen, our {size} network reaches {PAPER[method]}: "
                "{value:.3f} nats against {printed:.3f} printed.",
                _at(scores, best, cutoff, printed), f">= {printed}", printed,
            ))  # fmt: skip
    return [*stated, *_against_fits(rows["each"], best), *_retrained(scores)]


def _at(scores: pd.DataFrame, method: str, cutoff: int, printed: float | None) -> Interval | None:
    """Log-likelihood, with the error of its distance to what is printed."""
    if (method, cutoff) not in scores.index:
        return None
    ours = scores.loc[(method, cutoff)]
    return Interval.with_error(float(ours["ll_even"]), from_printed(ours, printed or math.nan).se)


def _retrained(scores: pd.DataFrame) -> list[Claim]:
    """At paper scale: the paper's own recipe against what it prints, and ours against its largest network."""
    stated = []
    again = "{method}, trained again with the paper's recipe, gives what is printed; the largest gap is {{value:.3f}} nats."
    for name, method, sentence, condition in (
        ("reproduces_p1", "P1", again.format(method="P1"), "< 0.03"),
        ("reproduces_p2", "P2", again.format(method="P2"), "< 0.03"),
        ("reproduces_p3", "P3", again.format(method="P3"), "< 0.03"),
        ("ours_reaches_p3", "ours", "Our recipe reaches P3 at every cutoff; the smallest lead is {value:+.3f} nats.", ">= 0"),
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


def _against_fits(each: pd.DataFrame, best: str) -> list[Claim]:
    """Paired on the same curves: how far is the network above the best fit for that cutoff?"""
    stated = []
    for cutoff in (10, 40):
        name = f"beats_fits_at_{cutoff}"
        sentence = f"With {cutoff} % of the epochs seen, it is {{value:.2f}} nats above the best of three least-squares fits."
        columns = [f"{m}@{cutoff}" for m in ("pow3", "pow4", "mmf4")]
        if not {f"{best}@{cutoff}", *columns} <= set(each.columns):
            stated.append(claim(name, sentence, None, "> 0"))
            continue
        fits = max(columns, key=lambda c: each[c].mean())
        ours, theirs = (torch.tensor(each[c].dropna().to_numpy()) for c in (f"{best}@{cutoff}", fits))
        stated.append(claim(name, sentence, Interval.with_error(*metrics.paired(ours, theirs)), "> 0"))
    return stated
