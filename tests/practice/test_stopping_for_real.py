"""Guards reproduce/practice/stopping_for_real: what is chosen, intervals, and claims."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp, ttest_ind

from curvecast.curves import real_table
from reproduce.practice import _chosen as chosen
from reproduce.practice import stopping_for_real as question
from reproduce.protocols import stopping_rules as rules


def test_without_the_tables_a_source_has_no_rows(monkeypatch):
    monkeypatch.delenv(real_table.VARIABLE, raising=False)
    found = question.measure(question.Config(sources=("taskset",)), "taskset-judge", {"own_curves/paper": {}})
    assert {name: len(table) for name, table in found.items()} == {"rows": 0, "pools": 0, "looks": 0}


def rows(reach, tasks: int = 4, source: str = "taskset", which: str = "judge", by_task=None) -> pd.DataFrame:
    """Regret falls from 1, evenly in the log of the epochs spent, to 0.5 at a method's thousandth, else at 1000."""
    made = []
    for task in range(tasks):
        own = reach | ((by_task or {}).get(task, {}))
        for method in ("no stopping", *chosen.PATIENT, "shipped", "old"):
            falls = np.maximum(1 - 0.5 * np.log(rules.SPENT) / np.log(own.get(method, 1000)), 0.2)
            about = {
                "source": source,
                "side": which,
                "task": f"{source}/{which}{task}",
                "unit": f"{which}{task}",
            }
            about |= {"method": method, "begun": 9, "spent": 0.2}
            made.append(about | dict(zip(map(str, rules.SPENT), falls, strict=True)))
    return pd.DataFrame(made)


def claims(table: pd.DataFrame) -> dict:
    return {one.name: one for one in question.claims({"rows": table})}


def test_patience_is_tuned_on_other_tasks():
    """A task whose own runs in the tuning set favour another patience does not decide about its own."""
    look = rows({"patience 5": 100}, 3, which="look", by_task={0: {"patience 20": 10}})
    judge = rows({"patience 5": 300}, 3)
    judge["task"] = judge["task"].str.replace("judge", "look")  # the same tasks, other runs
    found = chosen.judged(pd.concat([look, judge], ignore_index=True))
    told = found[found["method"] == chosen.CHOSEN].set_index("task")[
        "333" if "333" in found else str(rules.SPENT[-5])
    ]
    five, twenty = (found[found["method"] == f"patience {k}"].set_index("task")[told.name] for k in (5, 20))
    assert told["taskset/look0"] == five["taskset/look0"] and told["taskset/look0"] != twenty["taskset/look0"]
    assert chosen.fastest_patience(look) == "patience 5"


def test_twice_as_fast_is_yes_and_slower_is_no():
    fast = claims(
        pd.concat([rows({"patience 5": 500}, which="look"), rows({"shipped": 250, "patience 5": 500})])
    )
    assert (
        fast["taskset_speed_up"].value == pytest.approx(4, rel=0.02)
        and fast["taskset_speed_up"].holds() is True
    )
    assert (
        fast["taskset_patience"].value == pytest.approx(2, rel=0.02)
        and fast["taskset_patience"].holds() is True
    )
    assert fast["taskset_no_harm"].holds() is True
    slow = claims(
        pd.concat([rows({"patience 5": 500}, which="look"), rows({"shipped": 2000, "patience 5": 500})])
    )
    assert (
        slow["taskset_speed_up"].value == pytest.approx(1000 / 2000)
        and slow["taskset_speed_up"].holds() is False
    )
    assert slow["taskset_patience"].holds() is False and slow["taskset_no_harm"].holds() is False


def test_a_task_of_large_regret_weighs_no_more():
    """One task's regret in another unit, a hundred times as large: each rule reaches that task's own goal as before."""
    table = rows({"shipped": 250}, by_task={0: {"shipped": 100}})
    grid = [str(spent) for spent in rules.SPENT]
    large = table.assign(**table[grid].mul(np.where(table["task"] == table["task"][0], 100, 1), axis=0))
    one, other = (chosen.faster(chosen.reached(found, "taskset"), "shipped") for found in (table, large))
    assert one == pytest.approx(other) and one.value == pytest.approx((10 * 4**3) ** (1 / 4), rel=0.02)


def test_an_interval_over_sources_is_that_of_welch():
    """Half of the difference of two means, as scipy has it; of one source, Student's. Tasks of a unit are averaged first."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, 6), rng.normal(1, 3, 3)
    index = pd.MultiIndex.from_tuples(
        [("a", f"{i}", f"a{i}") for i in range(6)]
        + [("b", f"{i}", f"b{i}{j}") for i in range(3) for j in (0, 1)],
        names=["source", "unit", "task"],
    )
    values = pd.Series([*a, *np.repeat(b, 2) + np.tile([-0.5, 0.5], 3)], index)
    welch = ttest_ind(a, -b, equal_var=False).confidence_interval()
    assert chosen.over_units(values) == pytest.approx(
        ((a.mean() + b.mean()) / 2, welch.low / 2, welch.high / 2)
    )
    student = ttest_1samp(a, 0).confidence_interval()
    assert chosen.over_units(values[:6]) == pytest.approx((a.mean(), student.low, student.high))


def test_where_nothing_learns_the_share_of_all_epochs_is_judged():
    table = rows({}, source="nothing").assign(spent=0.5)
    assert claims(table)["nothing_spent"].holds() is False
    assert claims(table.assign(spent=0.1))["nothing_spent"].holds() is True


def test_two_tasks_and_absent_sources_claim_nothing():
    found = claims(rows({"shipped": 250}, tasks=2))
    assert not any(one.tested() for one in found.values()) and "algoperf_speed_up" in found
