"""What is claimed of the tasks, as it stands in the papers that made them."""

from typing import NamedTuple

import pandas as pd

from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where

COUNTING = "counts values"  # answers the value that was shown most often


class Solves(NamedTuple):
    name: str
    backbone: str
    task: str
    sentence: str
    times: int = 1
    condition: str = ">= 0.95"


SOLVE = (
    Solves("attention_recalls", "transformer, decoder", "recall",
           "Attention finds at least {least:.0%} of values by their key"),
    Solves("h3_recalls", "H3", "recall", "H3 finds at least {least:.0%} of values by their key"),
    Solves("mamba_copies", "Mamba", "copying", "Mamba copies at least {least:.0%} of values from among blanks"),
    Solves("attention_induces", "transformer, decoder", "induction",
           "At the length of its training attention finds what came after the mark in at least {least:.0%} of sequences"),
    Solves("mamba_induces", "Mamba", "induction",
           "At the length of its training Mamba finds what came after the mark in at least {least:.0%} of sequences"),
    Solves("mamba_induces_further", "Mamba", "induction",
           "At four times the length of its training Mamba still finds it in at least {least:.0%} of sequences", 4),
    Solves("elman_forgets", "Elman", "recall",
           "Elman’s network finds at most {most:.0%} of values by their key", 1, "<= 0.5"),
)  # fmt: skip


class Leads(NamedTuple):
    name: str
    ahead: str
    of: str
    task: str
    sentence: str
    condition: str = "> 0"
    times: int = 1


LEAD = (
    Leads("s4_recalls_less", "H3", "S4, HiPPO", "recall",
          "H3, two state spaces with products between them, is ahead of S4 alone by at least {least:.0%} of the values",
          ">= 0.1"),
    Leads("s4_copies_less", "Mamba", "S4, HiPPO", "copying",
          "Mamba, which selects, is ahead of S4, which does not, by at least {least:.0%} of the values to copy", ">= 0.1"),
    Leads("correcting_recalls_more", "DeltaNet", "linear attention", "recall",
          "DeltaNet, which corrects its state, recalls more than linear attention, which adds to it"),
    Leads("gates_recall_more", "LSTM, all states", "Elman", "recall", "An LSTM recalls more than Elman’s network"),
    Leads("mamba_goes_further", "Mamba", "transformer, decoder", "induction",
          "At four times the length of its training Mamba finds it in more sequences than attention with RoPE", times=4),
)  # fmt: skip


def claims(rows: pd.DataFrame) -> list[Claim]:
    stated = []
    for solve in SOLVE:
        found = share(by_seed(rows, solve.backbone, solve.task, solve.times))
        limit = solve.condition.startswith("<")  # what it cannot do
        stated.append(
            claim(solve.name, f"{solve.sentence}: {{value:.1%}}.", found, solve.condition, limit=limit)
        )
    for lead in LEAD:
        ahead, of = (by_seed(rows, name, lead.task, lead.times) for name in (lead.ahead, lead.of))
        found = Interval.of_mean((ahead - of).dropna())
        stated.append(claim(lead.name, f"{lead.sentence}: {{value:+.1%}}.", found, lead.condition))
    return stated


def by_seed(rows: pd.DataFrame, backbone: str, task: str, times: int = 1) -> pd.Series:
    """Share of right answers, by seed."""
    return where(rows, backbone=backbone, task=task, times=times).set_index("seed")["right"].astype(float)


def share(values: pd.Series) -> Interval | None:
    found = Interval.of_mean(values)
    return found and found.of_share()
