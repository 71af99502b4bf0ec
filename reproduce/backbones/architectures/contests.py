"""The claims: of two backbones, which scores higher. Few pairs differ in one idea; the others compare two designs."""

import pandas as pd

from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.backbones import _leads
from reproduce.backbones._leads import Contest
from reproduce.backbones._rows import BUDGETS, PFN
from reproduce.backbones._trainings import CUTOFFS

EARLY, LATE = CUTOFFS[0], CUTOFFS[-1]


CONTESTS = (
    Contest("gates_pay", "LSTM", "Elman", "does an LSTM of two layers score higher than Elman’s network of one"),
    Contest("states_pay", "LSTM, all states", "LSTM",
            "does an LSTM that passes on the state after each point score higher than one with its last state alone", True),
    Contest("looking_back_pays", "encoder–decoder, attention", "encoder–decoder",
            "does an encoder–decoder with attention over its states score higher than one without", True),
    Contest("both_ways_pay", PFN, "transformer, decoder",
            "does a transformer that reads in both directions score higher than one that reads forwards"),
    Contest("llama_pays", "LLaMA block", "transformer, decoder",
            "does the block of LLaMA score higher than a plain transformer decoder"),
    Contest("palm_pays", "PaLM block", "transformer, decoder",
            "does the block of PaLM score higher than a plain transformer decoder"),
    Contest("hippo_pays", "S4, HiPPO", "S4",
            "does S4 with the eigenvalues of HiPPO score higher than S4 with evenly spread ones", True),
    Contest("selection_pays", "Mamba", "S4, HiPPO", "does Mamba, which selects, score higher than S4, which does not"),
    Contest("hybrid_pays", "H3, attention", "H3", "does H3 with attention in every second layer score higher than H3 alone"),
    Contest("correcting_pays", "DeltaNet", "linear attention",
            "does DeltaNet, which corrects its state, score higher than linear attention, which only adds to it"),
    Contest("forgetting_pays", "Mamba-2", "linear attention",
            "does Mamba-2, which forgets, score higher than linear attention, which cannot"),
)  # fmt: skip


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Differences in log-likelihood between trainings with the same seeds, for each budget."""
    stated = []
    for budget, words in BUDGETS.items():
        mine = where(rows, budget=budget)
        table = _leads.by_seed(mine, "backbone")
        steady = table[~table.index.str.startswith("Elman")]
        asked = [(one.name, one.asks, _leads.lead(table, one.ahead, one.of)) for one in CONTESTS] + [
            ("bottleneck", "does attention over all states help an encoder–decoder more where more epochs are observed",
             bottleneck(mine)),
            ("another_is_ahead", "does the best of all other backbones score higher than the attention of the PFN",
             _leads.of_the_best(table, PFN)),
            ("another_is_ahead_without_elman",
             "with run-to-run variation estimated without Elman’s three networks, does the best of all other backbones "
             "score higher than the attention of the PFN", _leads.of_the_best(steady, PFN)),
        ]  # fmt: skip
        stated += [
            Claim(f"{name}_at_equal_{budget}", f"At {words}, {asks}?", found, Above(0), "nats per point")
            for name, asks, found in asked
        ]
    return stated


def bottleneck(rows: pd.DataFrame) -> Interval | None:
    """A summary of fixed size contains less and less of a longer past; attention to all states could make up for that."""
    early, late = (_leads.by_seed(where(rows, cutoff=cutoff), "backbone") for cutoff in (EARLY, LATE))
    return _leads.lead(late - early, "encoder–decoder, attention", "encoder–decoder")
