"""What the ladder shows: intervals over seeds, differences seed by seed; on real runs over tasks."""

import numpy as np
import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.language.language_models.tails import HIGHEST, LAST, MIXED, SAMPLED
from reproduce.language.language_models.told_apart import CONTROL, LANGUAGE
from reproduce.language.language_models.trained import COUNTS, PFN, TIED

NATS = "nats per point"


def claims(rows: Rows) -> list[Claim]:
    return [*_next_point(rows["rows"]), *_later(rows["tails"], rows["highest"]), *_elsewhere(rows)]


def _ahead(table: pd.DataFrame, names: str, one: str, other: str) -> pd.Series:
    """By seed, means over cutoffs: what one has above the other."""
    return (_by_seed(table, names, one, "ll") - _by_seed(table, names, other, "ll")).dropna()


def _by_seed(table: pd.DataFrame, names: str, one: str, value: str) -> pd.Series:
    return where(table, **{names: one}).groupby("seed")[value].mean()


def _next_point(rows: pd.DataFrame) -> list[Claim]:
    after5 = where(rows, cutoff=5)
    steps = (
        ("window_beats_counts", "feed-forward", COUNTS, "Does a feed-forward language model score higher than n-grams?"),
        ("lstm_beats_window", "LSTM", "feed-forward", "Does an LSTM score higher than a feed-forward language model?"),
        ("transformer_beats_lstm", "transformer", "LSTM", "Does a transformer language model score higher than an LSTM?"),
    )  # fmt: skip
    on_curves, own = (_by_seed(after5, "model", "LSTM", which) for which in ("perplexity", "own_perplexity"))
    return [
        *(Claim(name, asks, Interval.of_mean(_ahead(after5, "model", one, other)), Above(0), NATS)
          for name, one, other, asks in steps),
        Claim("tied_costs_nothing", "Do tied ends cost a transformer language model at most a hundredth of a nat?",
              Interval.of_mean(_ahead(after5, "model", TIED, "transformer")), AtLeast(-0.01), NATS),
        Claim("entropy_is_perplexity", "Is the perplexity of the LSTM’s own entropy that on curves, within 1 %?",
              Interval.of_mean(own / on_curves), Between(0.99, 1.01), "%"),
        Claim("next_point_like_pfn", "Does the LSTM foresee the next point at least as well as the PFN?",
              Interval.of_mean(_ahead(after5, "model", "LSTM", PFN)), AtLeast(0), NATS),
    ]  # fmt: skip


def _later(tails: pd.DataFrame, highest: pd.DataFrame) -> list[Claim]:
    by_method = {
        name: where(highest, method=name).pivot_table("crps", "seed", "cutoff") for name in (PFN, SAMPLED)
    }
    crps = (by_method[PFN] / by_method[SAMPLED]).reindex(columns=list(HIGHEST))
    against = (
        ("beats_last", SAMPLED, LAST, "Do the LSTM’s continuations score higher than the last value?", Above(0)),
        ("later_like_pfn", SAMPLED, PFN, "Do the LSTM’s continuations score at least as high as the PFN?", AtLeast(0)),
        ("mixture_beats_pfn", MIXED, PFN, "Does half of the PFN’s density and half of the LSTM’s score higher than the PFN?",
         Above(0)),
    )  # fmt: skip
    return [
        *(Claim(name, asks, Interval.of_mean(_ahead(tails, "method", one, other)), needs, NATS)
          for name, one, other, asks, needs in against),
        Claim("near_exact", "Are the LSTM’s sampled continuations within a tenth of a nat of the exact posterior?",
              Interval.of_mean(_by_seed(tails, "method", SAMPLED, "lost")), AtMost(0.1), NATS),
        Claim("covers", "Does the 90 % interval of the LSTM’s continuations cover 88 to 92 % of the later points?",
              Interval.of_mean(_by_seed(tails, "method", SAMPLED, "cover")), Between(0.88, 0.92), "%"),
        *(Claim(f"highest_at_{cutoff}",
                f"After {cutoff} epochs, does the LSTM foresee the highest later value better than separate epochs?",
                Interval.of_mean(crps[cutoff].dropna()), Above(1), "×")
          for cutoff in HIGHEST),
    ]  # fmt: skip


def _elsewhere(found: Rows) -> list[Claim]:
    """On real runs by CRPS, since a likelihood has no bound where a run stands still."""
    by_task = found["runs"].pivot_table(index="task", columns="method", values="crps")
    apart = found["apart"].assign(share=found["apart"]["right"] / found["apart"]["judged"])

    def times(other: str) -> Interval | None:
        return Interval.of_mean(np.log(by_task[other] / by_task[SAMPLED]).dropna()) if len(by_task) else None

    return [
        *(Claim(f"runs_beat_{name}",
                f"On our own runs that learn, is the CRPS of {words} higher than that of the LSTM’s continuations?",
                ratio and ratio.exp(), Above(1), "×")
          for name, ratio, words in (("last", times(LAST), "the last value"), ("pfn", times(PFN), "the PFN"))),
        *(Claim(f"{name}_look_alike", f"Does a classifier attribute at most 55 % of {words} rightly?",
                Interval.of_mean(_by_seed(apart, "what", what, "share")), AtMost(0.55), "%")
          for name, what, words in (("sampled", LANGUAGE, "curves that the LSTM sampled, or fresh ones of the prior,"),
                                    ("fresh", CONTROL, "two sets of fresh curves of the prior"))),
    ]  # fmt: skip
