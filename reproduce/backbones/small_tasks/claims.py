"""The claims: which backbone solves which task, as the papers say that introduced the tasks."""

from typing import NamedTuple

import pandas as pd

from reproduce._press.claim import Above, AtLeast, Claim, Needs
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.backbones.small_tasks.tasks import FAR

COUNTING = "counts values"  # answers the value that was shown most often
RECALL_LATE = ("Elman", "LSTM, all states", "S4, HiPPO", "H3", "Mamba", "linear attention")  # fewer at first
LONGER = (
    *(("recall", name) for name in RECALL_LATE), ("induction", "linear attention"),
    *((FAR, name) for name in ("transformer, decoder", "S4, HiPPO", "Mamba")),
)  # fmt: skip
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
    return stated + later(rows, longer)


def later(rows: pd.DataFrame, longer: pd.DataFrame) -> list[Claim]:
    """After more steps than all others had."""
    after, far = "After four times as many steps, does", "copy 16 values from among 256 places"
    on = {"h3": "H3", "s4": "S4, HiPPO", "lstm": "LSTM, all states", "linear_attention": "linear attention"}
    more = {name: by_seed(longer, name, "recall") - by_seed(rows, name, "recall") for name in on.values()}
    corrected = by_seed(rows, "DeltaNet", "recall") - by_seed(longer, "linear attention", "recall")
    mamba, s4 = (by_seed(longer, name, FAR) for name in ("Mamba", "S4, HiPPO"))
    return [
        Claim("h3_recalls_later", f"{after} H3 recall nearly all values by their key?",
              share(by_seed(longer, "H3", "recall")), AtLeast(0.95), "%"),
        *(Claim(f"{slug}_learns_on", f"{after} {name.partition(',')[0]} recall more values by their key than before?",
                Interval.of_mean(more[name].dropna()), Above(0), "%") for slug, name in on.items()),
        Claim("correcting_recalls_more_later", "Does DeltaNet recall more values than linear attention, if only the latter "
              "has four times as many steps?", Interval.of_mean(corrected.dropna()), Above(0), "%"),
        Claim("mamba_copies_far", f"{after} Mamba {far}, nearly all of them?", share(mamba), AtLeast(0.95), "%"),
        Claim("s4_copies_less_far", f"{after} Mamba, which selects, {far}, far more of them than S4, which does not?",
              Interval.of_mean((mamba - s4).dropna()), AtLeast(0.1), "%"),
    ]  # fmt: skip


def by_seed(rows: pd.DataFrame, backbone: str, task: str, times: int = 1) -> pd.Series:
    """Share of right answers, by seed."""
    return where(rows, backbone=backbone, task=task, times=times).set_index("seed")["right"].astype(float)


def share(values: pd.Series) -> Interval | None:
    found = Interval.of_mean(values)
    return found and found.of_share()
