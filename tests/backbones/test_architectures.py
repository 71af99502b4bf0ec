"""Guards reproduce/backbones/architectures: what is trained, equal time, and what is claimed of whom."""

from dataclasses import fields

import pandas as pd
import pytest

from curvecast.networks.backbones.families import FAMILIES
from reproduce._press.where import where
from reproduce.backbones import _leads, _rows
from reproduce.backbones._rows import PFN
from reproduce.backbones.architectures import contests, question
from reproduce.backbones.architectures.contests import CONTESTS
from reproduce.backbones.state_and_seconds.question import CONTESTS as SMALL_ONES


def rows(**ll: float) -> pd.DataFrame:
    """backbone=mean likelihood, at both budgets; three seeds a hundredth apart, two cutoffs."""
    return pd.DataFrame([
        {"backbone": name.replace("_", " "), "budget": budget, "seed": seed, "setting": "Muon", "width": 64, "curves": 64,
         "seconds": 1.0, "cutoff": cutoff, "ll": value + 0.01 * seed + 0.001 * ((seed * len(name)) % 3), "lost": 0.1}
        for name, value in ll.items() for budget in contests.BUDGETS for seed in range(3) for cutoff in (5, 10)
    ])  # fmt: skip


def test_every_row_is_trained_with_each_seed_and_the_first_seed_comes_first():
    parts = question.parts(question.SCALES["paper"])
    assert len(parts) == len(set(parts)) == 1 + 3 * len(_rows.COMPARED)
    assert all(part.endswith("-0") for part in parts[1 : 1 + len(_rows.COMPARED)])


def differences(one: _leads.Contest) -> list[str]:
    """Of two settings of one backbone: all that differ; of two kinds of backbones: depth and heads, if they do."""
    ahead, of = (FAMILIES[name] for name in (one.ahead, one.of))
    names = [field.name for field in fields(of)] if type(ahead) is type(of) else ["layers", "heads"]
    return [name for name in names if getattr(ahead, name, None) != getattr(of, name, None)]


@pytest.mark.parametrize("contests", [CONTESTS, SMALL_ONES])
def test_a_contest_of_one_idea_differs_in_nothing_else_and_never_in_depth(contests):
    for one in contests:
        assert one.ahead in FAMILIES and one.of in FAMILIES and one.ahead != one.of
        found = differences(one)
        assert not one.one_idea or ("layers" not in found and len(found) <= 1), f"{one.name}: {found}"
    assert len({one.name for one in contests}) == len(contests) and any(one.one_idea for one in contests)
    assert differences(_leads.Contest("gates", "LSTM", "Elman", "")) == ["layers"]


def test_a_contest_says_who_is_ahead_by_how_much():
    stated = {one.name: one for one in contests.claims(rows(LSTM=1.3, Elman=1.1, GRU=1.2))}
    found = stated["gates_pay_at_equal_time"]
    assert found.value == pytest.approx(0.2, abs=0.002) and found.holds()
    assert stated["selection_pays_at_equal_time"].value is None


def test_the_bottleneck_is_what_attention_adds_later_beyond_what_it_adds_early():
    rows = pd.DataFrame([
        {"backbone": name, "budget": "time", "seed": seed, "cutoff": cutoff, "ll": 1.0 + 0.01 * seed + more.get(cutoff, 0.0)}
        for name, more in {"encoder–decoder": {5: 0.1}, "encoder–decoder, attention": {5: 0.2, 70: 0.4}, "GRU": {}}.items()
        for seed in range(3) for cutoff in (5, 70)
    ])  # fmt: skip
    assert contests.bottleneck(rows).value == pytest.approx(0.3)


def test_the_best_of_many_is_held_to_more():
    """Its interval counts all the others, and it is never the PFN itself."""
    mine = rows(LSTM=1.3, Elman=1.1, GRU=1.2)
    mine = pd.concat([mine, rows(x=1.0).assign(backbone=PFN)])
    table = where(mine, budget="time").pivot_table(index="backbone", columns="seed", values="ll")
    best = _leads.of_the_best(table, PFN)
    assert best.value == pytest.approx(0.3, abs=0.002)
    assert best.half > _leads.lead(table, "LSTM", PFN).half


def test_elmans_scatter_can_be_left_out():
    """One training that went astray blurs all comparisons, since scatter is taken from all rows together."""
    mine = pd.concat([rows(LSTM=1.03, Elman=1.0, GRU=1.02, CNN=1.01), rows(x=1.0).assign(backbone=PFN)])
    mine.loc[(mine["backbone"] == "Elman") & (mine["seed"] == 1), "ll"] -= 0.2
    stated = {one.name: one for one in contests.claims(mine)}
    blurred, steady = (stated[f"another_is_ahead{which}_at_equal_time"] for which in ("", "_without_elman"))
    assert blurred.value == steady.value and blurred.holds() is None and steady.holds()
