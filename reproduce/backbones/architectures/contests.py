"""What is claimed: of two backbones that differ in one thing, which is ahead."""

from typing import NamedTuple

import pandas as pd

from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.backbones import _leads
from reproduce.backbones._rows import BUDGETS, PFN
from reproduce.backbones._trainings import CUTOFFS

EARLY, LATE = CUTOFFS[0], CUTOFFS[-1]


class Contest(NamedTuple):
    name: str
    ahead: str
    of: str
    sentence: str


CONTESTS = (
    Contest("gates_pay", "LSTM", "Elman", "an LSTM is ahead of Elman's network"),
    Contest("states_pay", "LSTM, all states", "LSTM",
            "an LSTM that hands on the state after each point is ahead of one that hands on the last"),
    Contest("looking_back_pays", "encoder–decoder, attention", "encoder–decoder",
            "an encoder–decoder with attention over its states is ahead of one without"),
    Contest("both_ways_pay", PFN, "transformer, decoder",
            "a transformer that reads both ways is ahead of one that reads forwards"),
    Contest("llama_pays", "LLaMA block", "transformer, decoder", "LLaMA's block is ahead of the plain decoder"),
    Contest("palm_pays", "PaLM block", "transformer, decoder", "PaLM's block is ahead of the plain decoder"),
    Contest("hippo_pays", "S4, HiPPO", "S4", "S4 with HiPPO's eigenvalues is ahead of S4 with evenly spread ones"),
    Contest("selection_pays", "Mamba", "S4, HiPPO", "Mamba, which selects, is ahead of S4, which does not"),
    Contest("hybrid_pays", "H3, attention", "H3", "H3 with attention in every second layer is ahead of H3 alone"),
    Contest("correcting_pays", "DeltaNet", "linear attention",
            "DeltaNet, which corrects its state, is ahead of linear attention, which adds to it"),
    Contest("forgetting_pays", "Mamba-2", "linear attention",
            "Mamba-2, which forgets, is ahead of linear attention, which cannot"),
)  # fmt: skip


def claims(rows: pd.DataFrame) -> list[Claim]:
    stated = []
    for budget, words in BUDGETS.items():
        table = _leads.by_seed(where(rows, budget=budget), "backbone")
        for one in CONTESTS:
            sentence = f"At {words} {one.sentence} by more than {{least}} nats a point: {{value:+.3f}}."
            found = _leads.lead(table, one.ahead, one.of)
            stated.append(claim(f"{one.name}_at_equal_{budget}", sentence, found, "> 0"))
        sentence = (
            f"At {words} what attention over all states adds to an encoder–decoder grows from {EARLY} to {LATE} epochs seen, "
            "by more than {least} nats a point: {value:+.3f}."
        )
        stated.append(
            claim(f"bottleneck_at_equal_{budget}", sentence, bottleneck(where(rows, budget=budget)), "> 0")
        )
        sentence = (
            f"At {words} the best other backbone is ahead of the PFN's attention by more than {{least}} nats a point, "
            "all of them counted: {value:+.3f}."
        )
        stated.append(claim(f"another_is_ahead_at_equal_{budget}", sentence, best_other(table), "> 0"))
        sentence = (
            f"At {words}, with the luck of seeds taken from the rows without Elman's three networks, the best other "
            "backbone is ahead of the PFN's attention by more than {least} nats a point: {value:+.3f}."
        )
        steady = table[~table.index.str.startswith("Elman")]
        stated.append(
            claim(f"another_is_ahead_without_elman_at_equal_{budget}", sentence, best_other(steady), "> 0")
        )
    return stated


def bottleneck(rows: pd.DataFrame) -> Interval | None:
    """A summary of one size holds less and less of a longer past; a look at all states should mend that."""
    early, late = (_leads.by_seed(where(rows, cutoff=cutoff), "backbone") for cutoff in (EARLY, LATE))
    return _leads.lead(late - early, "encoder–decoder, attention", "encoder–decoder")


def best_other(table: pd.DataFrame) -> Interval | None:
    """With an interval that holds for all of them, since it is the best by being chosen."""
    others = [name for name in table.index if name != PFN]
    leads = [found for name in others if (found := _leads.lead(table, name, PFN, len(others)))]
    return max(leads, key=lambda one: one.value) if leads else None
