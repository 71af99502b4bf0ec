"""Guards curvecast/curves/factory/plan.py: the same plan everywhere, and a shorter one is a piece of a longer one."""

import json
from collections import Counter

import pytest

from curvecast.curves.factory import plan
from curvecast.curves.factory.tasks import TASKS


def every() -> list[plan.Run]:
    banks = [bank for task in TASKS for bank in plan.networks(task, 4, 20, 0)]
    alone = [run for learner in plan.SETTINGS for run in plan.single_runs(learner, 30, 0)]
    return [*(run for bank in banks for run in bank), *alone, *plan.sizes(80, 0)]


def test_a_shorter_plan_is_a_piece_of_a_longer_one():
    """So what is trained at laptop scale is trained at paper scale, too."""
    (few,), (many, *_) = plan.networks("digits", 1, 15, 0), plan.networks("digits", 4, 20, 0)
    assert few == many[:15]
    assert (
        plan.single_runs("sgd", 15, 0) == plan.single_runs("sgd", 50, 0)[:15]
        and plan.sizes(30, 0) == plan.sizes(80, 0)[:30]
    )


def test_every_run_has_a_name_and_a_seed_of_its_own():
    runs = every()
    assert len({run.name for run in runs}) == len({run.seed for run in runs}) == len(runs)


def test_near_copies_have_one_group_and_nothing_else_has():
    """Two runs are of one group just where learner, task and settings are the same: every fifth run repeats another."""
    groups: dict[str, list[plan.Run]] = {}
    for run in every():
        groups.setdefault(run.group, []).append(run)
    settings = [
        {(run.learner, run.task, json.dumps(run.settings)) for run in runs} for runs in groups.values()
    ]
    assert all(len(group) == 1 for group in settings) and len(set().union(*settings)) == len(groups)
    counts = Counter(len(runs) for runs in groups.values() if runs[0].learner != "sizes")
    assert set(counts) == {1, 2} and counts[2] * 4 == counts[1] + counts[2]


def test_networks_of_a_bank_share_what_a_bank_shares():
    for bank in plan.networks("cancer", 3, 20, 0):
        for name in ("hidden", "activation", "batch", "adam", "share"):
            assert len({json.dumps(run.settings[name]) for run in bank}) == 1


def test_all_that_was_asked_for_is_among_the_networks():
    """Drops, warm-up, cosine, lines to zero; dropout, wrong labels, tiny first weights, rates far too large."""
    settings = [run.settings for run in every() if run.learner == "networks"]
    schedules = [run["schedule"] for run in settings]
    assert {schedule["shape"] for schedule in schedules} == {"constant", "drops", "cosine", "linear"}
    assert {len(schedule["drops"]) for schedule in schedules} == {0, 1, 2}
    for share in (
        sum(schedule["warm_up"] > 0 for schedule in schedules), sum(run["dropout"] > 0 for run in settings),
        sum(run["wrong"] > 0 for run in settings), sum(run["start"] < 0.3 for run in settings),
    ):  # fmt: skip
        assert 0.1 < share / len(settings) < 0.6
    assert max(run["rate"] for run in settings if not run["adam"]) > 3


@pytest.mark.parametrize("learner", plan.SETTINGS)
def test_settings_are_plain_values_that_a_table_can_hold(learner):
    for run in plan.single_runs(learner, 10, 0):
        assert json.loads(json.dumps(run.settings)) == run.settings and run.task in TASKS
