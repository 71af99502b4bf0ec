"""What the ladder shows: intervals over seeds and curves, differences curve by curve; on real runs over tasks."""

import numpy as np
import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.language.language_models.tails import (
    ALONE,
    FUTURES,
    HIGHEST,
    LAST,
    MIXED,
    RELEASED,
    SAMPLED,
    TRIMMED,
)  # fmt: skip
from reproduce.language.language_models.told_apart import CONTROL, LANGUAGE
from reproduce.language.language_models.trained import COUNTS, PFN, TIED

NATS = "nats per point"


def claims(rows: Rows) -> list[Claim]:
    return [*_next_point(rows["rows"]), *_later(rows["tails"], rows["highest"]), *_elsewhere(rows)]


def _ahead(table: pd.DataFrame, names: str, one: str, other: str) -> pd.DataFrame:
    """By seed and curve, means over cutoffs: what one has above the other."""
    mine, theirs = (_by_curve(where(table, **{names: name}), "ll") for name in (one, other))
    return (mine - theirs).dropna()


def _by_curve(rows: pd.DataFrame, value: str) -> pd.DataFrame:
    """(seeds, curves)"""
    return rows.pivot_table(index="seed", columns="curve", values=value)


def times(these: pd.DataFrame, those: pd.DataFrame) -> Interval | None:
    """The ratio of two means of values (seeds, curves), with the error of its linear part. One training meets all seeds."""
    if 1 not in (len(these), len(those)):
        these, those = these.align(those, join="inner", axis=0)
    if not these.size or not those.size:
        return None
    own, rival = these.to_numpy(), those.to_numpy()
    ratio = own.mean() / rival.mean()
    return Interval.of_seeds_and_curves(pd.DataFrame(ratio + (own - ratio * rival) / rival.mean()))


def _by_seed(table: pd.DataFrame, names: str, one: str, value: str) -> pd.Series:
    return where(table, **{names: one}).groupby("seed")[value].mean()


def _next_point(rows: pd.DataFrame) -> list[Claim]:
    steps = (
        ("window_beats_counts", "feed-forward", COUNTS, "Does a feed-forward language model score higher than n-grams?"),
        ("lstm_beats_window", "LSTM", "feed-forward", "Does an LSTM score higher than a feed-forward language model?"),
        ("transformer_beats_lstm", "transformer", "LSTM", "Does a transformer language model score higher than an LSTM?"),
        ("tied_beats_lstm", TIED, "LSTM", "Does a transformer language model with tied ends score higher than an LSTM?"),
    )  # fmt: skip
    bits, own = (_by_seed(rows, "model", "LSTM", which) for which in ("bits", "own_perplexity"))
    return [
        *(Claim(name, asks, Interval.of_seeds_and_curves(_ahead(rows, "model", one, other)), Above(0), NATS)
          for name, one, other, asks in steps),
        Claim("tied_costs_nothing", "Do tied ends cost a transformer language model at most a hundredth of a nat?",
              Interval.of_seeds_and_curves(_ahead(rows, "model", TIED, "transformer")), AtLeast(-0.01), NATS),
        Claim("entropy_is_perplexity", "Is the perplexity of the LSTM’s own entropy that on curves, within 1 %?",
              Interval.of_mean(own / 2**bits), Between(0.99, 1.01), "%"),
        Claim("next_point_like_pfn", "Does the LSTM foresee the next point at least as well as the PFN?",
              Interval.of_seeds_and_curves(_ahead(rows, "model", "LSTM", PFN)), AtLeast(0), NATS),
    ]  # fmt: skip


def _later(tails: pd.DataFrame, highest: pd.DataFrame) -> list[Claim]:
    mine = where(tails, method=SAMPLED)
    against = (
        ("beats_last", SAMPLED, LAST, "Do the LSTM’s continuations score higher than the last value?", Above(0)),
        ("later_like_pfn", SAMPLED, PFN, "Do the LSTM’s continuations score at least as high as the PFN?", AtLeast(0)),
        ("mixture_beats_pfn", MIXED, PFN, "Does half of the PFN’s density and half of the LSTM’s score higher than the PFN?",
         Above(0)),
    )  # fmt: skip
    rivals = (
        ("highest", ALONE, "separate epochs of the PFN"), ("highest_beats_futures", FUTURES, "sampled futures of the PFN"),
        ("highest_beats_released", RELEASED, "sampled futures of the released model"),
    )  # fmt: skip

    def crps(method: str, cutoff: int) -> pd.DataFrame:
        return _by_curve(where(highest, method=method, cutoff=cutoff, words=TRIMMED), "crps")

    return [
        *(Claim(name, asks, Interval.of_seeds_and_curves(_ahead(tails, "method", one, other)), needs, NATS)
          for name, one, other, asks, needs in against),
        Claim("near_exact", "Are the LSTM’s sampled continuations within a tenth of a nat of the exact posterior?",
              Interval.of_seeds_and_curves(_by_curve(mine, "lost")), AtMost(0.1), NATS),
        Claim("covers", "Does the 90 % interval of the LSTM’s continuations cover 88 to 92 % of the later points?",
              Interval.of_seeds_and_curves(_by_curve(mine, "cover")), Between(0.88, 0.92), "%"),
        *(Claim(f"{name}_at_{cutoff}",
                f"After {cutoff} epochs, does the LSTM foresee the highest later value better than {words}?",
                times(crps(rival, cutoff), crps(SAMPLED, cutoff)), Above(1), "×")
          for name, rival, words in rivals for cutoff in HIGHEST),
    ]  # fmt: skip


def _elsewhere(found: Rows) -> list[Claim]:
    """On real runs by CRPS, since a likelihood has no bound where a run stands still."""
    by_task = found["runs"].pivot_table(index="task", columns="method", values="crps")
    apart = found["apart"].assign(share=found["apart"]["right"] / found["apart"]["judged"])

    def over(other: str) -> Interval | None:
        return Interval.of_mean(np.log(by_task[other] / by_task[SAMPLED]).dropna()) if len(by_task) else None

    return [
        *(Claim(f"runs_beat_{name}",
                f"On our own runs that learn, is the CRPS of {words} higher than that of the LSTM’s continuations?",
                ratio and ratio.exp(), Above(1), "×")
          for name, ratio, words in (("last", over(LAST), "the last value"), ("pfn", over(PFN), "the PFN"))),
        *(Claim(f"{name}_look_alike", f"Does a classifier attribute at most 55 % of {words} rightly?",
                Interval.of_mean(_by_seed(apart, "what", what, "share")), AtMost(0.55), "%")
          for name, what, words in (("sampled", LANGUAGE, "curves that the LSTM sampled, or fresh ones of the prior,"),
                                    ("fresh", CONTROL, "two sets of fresh curves of the prior"))),
    ]  # fmt: skip
