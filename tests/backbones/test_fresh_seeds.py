"""Guards reproduce/backbones/fresh_seeds.py: seeds that chose nothing, whole pairs, and an interval for two comparisons."""

import pandas as pd
import pytest

from reproduce.backbones import fresh_seeds
from reproduce.backbones._rows import FIRST_FRESH_SEED, LEADERS, PFN
from reproduce.backbones.architectures import question as architectures


def rows(ahead: float) -> pd.DataFrame:
    return pd.DataFrame([
        {"backbone": name, "budget": budget, "seed": seed, "curves": 64, "seconds": 1.0, "cutoff": cutoff, "lost": 0.1,
         "ll": 1 + ahead * (name != PFN) + 0.1 * seed + 0.001 * (seed % 3) * (name != PFN)}
        for budget, leader in LEADERS.items() for name in (leader, PFN) for seed in range(10, 18) for cutoff in (5, 70)
    ])  # fmt: skip


def test_the_seeds_are_none_of_those_that_chose_the_leaders():
    seeds = {int(part.rpartition("-")[2]) for part in fresh_seeds.parts(fresh_seeds.SCALES["paper"])}
    assert len(seeds) == 8 and min(seeds) == FIRST_FRESH_SEED >= architectures.SCALES["paper"].seeds


def test_a_run_that_is_cut_short_has_whole_pairs():
    parts = fresh_seeds.parts(fresh_seeds.SCALES["paper"])
    assert parts[:4] == [
        "parameters-encoder-decoder-10", "parameters-transformer.encoder-10", "time-CNN.pooled-10",
        "time-transformer.encoder-10",
    ]  # fmt: skip


def test_what_all_runs_of_a_seed_share_does_not_widen_the_interval():
    found = {claim.name: claim for claim in fresh_seeds.claims(rows(0.02))}["leader_again_at_equal_time"]
    assert found.value == pytest.approx(0.021, abs=1e-3) and found.found.half < 0.002 and found.holds()


def test_no_lead_is_no_yes():
    assert not any(claim.holds() for claim in fresh_seeds.claims(rows(-0.02)))
