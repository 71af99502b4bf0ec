"""The claims: which backbone solves which task, as the papers say that introduced the tasks."""

from typing import NamedTuple

import pandas as pd

from reproduce._press.claim import Above, AtLeast, Claim, Needs
from reproduce._press.intervals import Interval
from reproduce._press.where import where

COUNTING = "counts values"  # answers the value that was shown most often
LONGER = ("H3", "S4, HiPPO")  # recall few values at first
TITLES = {COUNTING: "most frequent value"}  # as figures and tables name it


class Solves(NamedTuple):
    name: str
    backbone: str
    task: str
    asks: str
    times: int = 1
    needs: Needs = AtLeast(0.95)


SOLVE = (
    Solves("attention_recalls", "transformer, decoder", "recall", "Does attention recall nearly all values by their key?"),
    Solves("h3_recalls", "H3", "recall", "Does H3 recall nearly all values by their key?"),
    Solves("mamba_copies", "Mamba", "copying", "Does Mamba copy nearly all values from among blanks?"),
    Solves("attention_induces", "transformer, decoder", "induction",
           "At the length of its training, does attention solve induction in nearly all sequences?"),
    Solves("mamba_induces", "Mamba", "induction",
           "At the length of its training, does Mamba solve induction in nearly all sequences?"),
    Solves("mamba_induces_further", "Mamba", "induction",
           "At four times the length of its training, does Mamba still solve induction in nearly all sequences?", 4),
    Solves("elman_forgets", "Elman", "recall", "Does Elman’s network recall most values by their key?", 1, Above(0.5)),
)  # fmt: skip


class Leads(NamedTuple):
    name: str
    ahead: str
    of: str
    task: str
    asks: str
    needs: Needs = Above(0)
    times: int = 1


LEAD = (
    Leads("s4_recalls_less", "H3", "S4, HiPPO", "recall",
          "Does H3, which multiplies two state spaces, recall far more values than S4 alone?", AtLeast(0.1)),
    Leads("s4_copies_less", "Mamba", "S4, HiPPO", "copying",
          "Does Mamba, which selects, copy far more values than S4, which does not?", AtLeast(0.1)),
    Leads("correcting_recalls_more", "DeltaNet", "linear attention", "recall",
          "Does DeltaNet, which corrects its state, recall more values than linear attention, which only adds to it?"),
    Leads("gates_recall_more", "LSTM, all states", "Elman", "recall",
          "Does an LSTM recall more values than Elman’s network?"),
    Leads("mamba_goes_further", "Mamba", "transformer, decoder", "induction",
          "At four times the length of training, does Mamba solve induction more often than attention with RoPE?", times=4),
)  # fmt: skip


def claims(rows: pd.DataFrame, longer: pd.DataFrame) -> list[Claim]:
    stated = [
        Claim(one.name, one.asks, share(by_seed(rows, one.backbone, one.task, one.times)), one.needs, "%")
        for one in SOLVE
    ]
    for lead in LEAD:
        ahead, of = (by_seed(rows, name, lead.task, lead.times) for name in (lead.ahead, lead.of))
        stated.append(Claim(lead.name, lead.asks, Interval.of_mean((ahead - of).dropna()), lead.needs, "%"))
    after = "After four times as many steps, does"
    stated.append(
        Claim("h3_recalls_later", f"{after} H3 recall nearly all values by their key?",
              share(by_seed(longer, "H3", "recall")), AtLeast(0.95), "%")
    )  # fmt: skip
    for name in LONGER:
        more = (by_seed(longer, name, "recall") - by_seed(rows, name, "recall")).dropna()
        slug, words = name.partition(",")[0].replace(" ", "_").lower(), name.partition(",")[0]
        stated.append(Claim(f"{slug}_learns_on", f"{after} {words} recall more values by their key than before?",
                            Interval.of_mean(more), Above(0), "%"))  # fmt: skip
    return stated


def by_seed(rows: pd.DataFrame, backbone: str, task: str, times: int = 1) -> pd.Series:
    """Share of right answers, by seed."""
    return where(rows, backbone=backbone, task=task, times=times).set_index("seed")["right"].astype(float)


def share(values: pd.Series) -> Interval | None:
    found = Interval.of_mean(values)
    return found and found.of_share()
