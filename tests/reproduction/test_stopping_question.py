"""Guards reproduce/reproduction/stopping/question.py: what the claims do with regret."""

import numpy as np
import pandas as pd
import pytest

from curvecast.scores import pools_of_runs
from reproduce.reproduction.stopping import question as stopping

CONFIG = stopping.SCALES["smoke"]
GRID = pools_of_runs.grid(400)


def rows(reach: dict[str, float], tasks: int = 20, spread: float = 0.0) -> dict[str, pd.DataFrame]:
    """Regret falls from 1 evenly in log epochs, to 0.5 at the epoch given for a method (no stopping: the last)."""
    noise = np.random.default_rng(0).normal(size=tasks) * spread
    made = []
    for method in stopping.METHODS:
        end = reach.get(method, 400)
        fall = 0.5 * np.log(GRID) / np.log(end)
        for task in range(tasks):
            at = dict(zip(map(str, GRID), np.maximum(1 - fall, 0.2) + noise[task], strict=True))
            made += [
                {"task": task, "method": method, "goal": g, "runs": 9, "epochs": 99} | at
                for g in stopping.GOALS
            ]
    return {
        "rows": pd.DataFrame(made),
        "looks": pd.DataFrame({"task": range(tasks), "after": 10, "missed": 1e-4}),
    }


def claims(found: dict[str, pd.DataFrame]) -> dict:
    return {claim.name: claim for claim in stopping.claims(found, CONFIG)}


def test_a_speed_up_is_a_ratio_of_epochs():
    """Half the regret after 100 epochs instead of 400 is four times sooner; a slower rival is beaten by that."""
    found = claims(rows({"fine": 100, "coarse": 200}))
    assert found["observed_speed_up"].value == pytest.approx(4, rel=0.01)
    assert found["observed_speed_up"].holds() is True and found["true_speed_up"].holds() is True
    assert found["observed_beats_four_looks"].value == pytest.approx(2, rel=0.01)
    assert found["observed_beats_four_looks"].holds() is True
    assert found["observed_no_harm"].holds() is True


def test_claims_fail_where_the_rule_is_no_good():
    """A rule that never gets there speeds nothing up; one that is slower than a rival is not faster."""
    never = claims(rows({"fine": 4000}))
    assert never["observed_speed_up"].value == 0 and never["observed_speed_up"].holds() is False
    assert never["observed_no_harm"].holds() is False
    slower = claims(rows({"fine": 100, "one epoch": 50, "patience 5": 20}))
    assert slower["observed_beats_one_epoch"].value == pytest.approx(0.5, rel=0.01)
    assert slower["observed_beats_one_epoch"].holds() is False
    assert slower["observed_beats_patience"].value == pytest.approx(0.2, rel=0.01)


def test_a_rival_that_never_gets_there_counts_as_if_it_did_at_the_end():
    """The budget is the least that it would need."""
    found = claims(rows({"fine": 100, "coarse": 40_000}))["observed_beats_four_looks"]
    assert found.value == pytest.approx(4, rel=0.01)


def test_tasks_that_disagree_leave_it_unclear():
    """Variation that both rules share cancels; variation of one alone leaves the answer unclear."""
    shared = rows({"fine": 100}, spread=0.3)
    assert claims(shared)["observed_no_harm"].holds() is True
    mine = shared["rows"]["method"] == "fine"
    luck = np.random.default_rng(1).normal(size=mine.sum())
    shared["rows"].loc[mine, str(GRID[-1])] += luck
    assert claims(shared)["observed_no_harm"].holds() is None


def test_one_task_claims_nothing():
    """How tasks vary is not known."""
    assert all(claim.holds() is None for claim in claims(rows({"fine": 100}, tasks=1)).values())


def test_who_ends_lower_is_told_apart_from_who_is_sooner():
    """A rule that gets to half the regret first, and stays there, is sooner and ends above one that goes on falling."""
    found = rows({"fine": 100, "coarse": 200})
    fine = found["rows"]["method"] == "fine"
    later = [column for column in map(str, GRID) if column in found["rows"]]
    found["rows"].loc[fine, later] = found["rows"].loc[fine, later].clip(lower=0.5)
    found["rows"].loc[found["rows"]["method"] == "coarse", later[-1]] = 0.3
    stated = claims(found)
    assert stated["observed_beats_four_looks"].holds() is True
    assert stated["observed_fine_ends_below_coarse"].holds() is False
    assert stated["observed_coarse_ends_below_one_epoch"].holds() is True
