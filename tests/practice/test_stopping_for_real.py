"""Guards reproduce/practice/stopping_for_real: pools of real runs, rules that ask only when they must, and what is told."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves import real_table
from curvecast.curves.look_and_judge import side
from curvecast.curves.real_table import RealCurve
from curvecast.scores import baselines, pools_of_runs, stopping
from reproduce.practice import _chosen as chosen
from reproduce.practice import _rules as rules
from reproduce.practice._asked import Asked
from reproduce.practice._pools import pools, thinned
from reproduce.practice.stopping_for_real import question

CONFIG = replace(question.SCALES["smoke"], sources=("own",))
TASKS = ("wine", "photo_china", "cancer", "diabetes_median")  # two on each side


def last_value(x, y, later):
    return baselines.forecast("last value", x, y, later)


def own(length: int = 20, runs: int = 12) -> dict[str, pd.DataFrame]:
    """Accuracies that rise to heights by chance."""
    rng, rows, named = np.random.default_rng(0), [], []
    for task in TASKS:
        for number in range(runs):
            name = f"{task}-{number}"
            named.append({"run": name, "learner": "networks", "task": task})
            values = 0.5 + 0.4 * rng.random() * (1 - np.exp(-np.arange(length + 1) / 5))
            rows += [{"run": name, "step": step, "accuracy": v} for step, v in enumerate(values)]
    return {"runs": pd.DataFrame(named), "rows": pd.DataFrame(rows)}


def losses(monkeypatch, *curves: np.ndarray) -> None:
    """A folder of tables with these losses of one task, which begin at 0.7."""
    made = [
        RealCurve("taskset", f"task/{i}", "task", "task", "loss", True, 0, np.inf, np.arange(len(values)), values, 0.7, "-")
        for i, values in enumerate(curves)
    ]  # fmt: skip
    monkeypatch.setattr(real_table, "folder", lambda: Path("somewhere"))
    monkeypatch.setattr(real_table, "read", lambda where, file: made)


def of_losses(source: str = "taskset", points: int = 50):
    return pools(source, side("taskset", "task"), 99, points, 9, 0, {})


def falling(n: int = 12, m: int = 20) -> list[np.ndarray]:
    return list(0.7 - np.linspace(0.05, 0.5, n)[:, None] * np.linspace(0.1, 1, m))


# ------------------------------------------------------------------------------------------------------------- pools


def test_a_pool_that_is_thinned_keeps_the_last_point():
    assert thinned(np.arange(1, 101), 50).tolist() == list(range(2, 101, 2))
    assert thinned(np.arange(1, 52), 50)[-1] == 51 and len(thinned(np.arange(1, 52), 50)) == 26
    assert thinned(np.arange(1, 51), 50).tolist() == list(range(1, 51))


def test_runs_of_a_pool_are_as_long_as_its_shortest_and_very_short_ones_are_left_out(monkeypatch):
    curves = falling()
    curves[0], curves[1] = curves[0][:16], curves[1][:5]
    losses(monkeypatch, *curves)
    (task,) = of_losses()
    assert task.y.shape == (11, 16) and task.left_out == 1


def test_nothing_of_a_runs_future_moves_what_is_seen_of_any_run_before(monkeypatch):
    """Another end of one loss changes that end alone: no scale rests on it."""
    curves = falling()
    losses(monkeypatch, *curves)
    (before,) = of_losses()
    curves[3][10:] = 0.01
    losses(monkeypatch, *curves)
    (after,) = of_losses()
    assert torch.equal(before.y[:, :10], after.y[:, :10])
    assert ((before.y != after.y).any(1)).sum() == 1 and (after.y[:, 10:] >= before.y[:, 10:]).all()


def test_a_pool_in_which_nothing_learns_has_none_that_does(monkeypatch):
    flat = [np.full(20, 0.695 + 0.001 * i) for i in range(11)]
    losses(monkeypatch, *falling(), *flat)
    (task,) = of_losses("nothing")
    assert len(task.y) == 11


def test_without_the_tables_a_source_has_no_pools(monkeypatch):
    monkeypatch.delenv(real_table.VARIABLE, raising=False)
    assert pools("taskset", "judge", 9, 50, 9, 0, {}) == []
    found = question.measure(question.Config(sources=("taskset",)), "taskset-judge", {"own_curves/paper": {}})
    assert {name: len(table) for name, table in found.items()} == {"rows": 0, "pools": 0, "looks": 0}


# ------------------------------------------------------------------------------------------------------------- rules


def pool():
    return pools_of_runs.draw(30, 3, np.random.default_rng(1))


def test_asking_when_a_decision_needs_it_changes_no_decision():
    """With one chance and then another: as with all forecasts made, of which most are spared."""
    some, whole = pool(), 30 * 100
    asked = Asked(last_value, some.noisy, [0.05, 0.2])
    for delta in (0.05, 0.2):
        every = stopping.reaches(last_value, some.noisy, stopping.fine(100), delta)
        want = stopping.play(some.noisy, every, some.orders)
        table = asked.table(some, stopping.fine(100), delta, whole)
        assert torch.equal(stopping.play(some.noisy, table, some.orders), want)
    assert 0 < asked.forecasts < 0.6 * every.isfinite().sum()


def test_what_either_rule_ends_is_ended():
    """DeepHyper's rule is its fits and a patience: no run goes on longer than with patience alone."""
    some = pool()
    one, table = rules.fitted(some, 30 * 100)
    patient = stopping.play(some.noisy, stopping.patience(some.noisy, 25), some.orders)
    epochs = stopping.play(some.noisy, table, some.orders)
    assert (epochs <= 100).all() and epochs.sum() < patient.sum() and one.forecasts > 0
    assert (
        (epochs == patient) | torch.isin(epochs, torch.tensor(rules.FITS_AFTER)) | (epochs < patient)
    ).all()


def test_after_the_budget_nothing_is_asked():
    some = pool()
    few, all_ = Asked(last_value, some.noisy, [0.05]), Asked(last_value, some.noisy, [0.05])
    few.table(some, stopping.fine(100), 0.05, 50)
    all_.table(some, stopping.fine(100), 0.05, 30 * 100)
    assert 0 < few.forecasts < 0.8 * all_.forecasts


def test_regret_is_what_the_best_so_far_lacks():
    y = torch.tensor([[0.2, 0.3], [0.5, 0.9]])
    lacks = rules.regret(y, [torch.tensor([0, 1, 2]), torch.tensor([2, 3])], [1, 2, 9])
    assert lacks.tolist() == pytest.approx([(0.7 + 0.4) / 2, (0.6 + 0) / 2, (0.4 + 0) / 2])


# -------------------------------------------------------------------------------------------------------------- told


def rows(reach, tasks: int = 4, source: str = "taskset", which: str = "judge", by_task=None) -> pd.DataFrame:
    """Regret falls from 1 evenly in the log of what is spent, to 0.5 at the thousandth given for a method, else at 1000."""
    made = []
    for task in range(tasks):
        own = reach | ((by_task or {}).get(task, {}))
        for method in ("no stopping", *chosen.PATIENT, "shipped", "old"):
            falls = np.maximum(1 - 0.5 * np.log(question.SPENT) / np.log(own.get(method, 1000)), 0.2)
            about = {
                "source": source,
                "side": which,
                "task": f"{source}/{which}{task}",
                "unit": f"{which}{task}",
            }
            about |= {"method": method, "begun": 9, "spent": 0.2}
            made.append(about | dict(zip(map(str, question.SPENT), falls, strict=True)))
    return pd.DataFrame(made)


def claims(table: pd.DataFrame) -> dict:
    return {one.name: one for one in question.claims({"rows": table}, CONFIG)}


def test_patience_is_chosen_on_other_tasks():
    """A task whose own runs on the other side say otherwise does not choose its own patience."""
    look = rows({"patience 5": 100}, 3, which="look", by_task={0: {"patience 20": 10}})
    judge = rows({"patience 5": 300}, 3)
    judge["task"] = judge["task"].str.replace("judge", "look")  # the same tasks, other runs
    found = chosen.judged(pd.concat([look, judge], ignore_index=True))
    told = found[found["method"] == chosen.CHOSEN].set_index("task")[
        "333" if "333" in found else str(question.SPENT[-5])
    ]
    five, twenty = (found[found["method"] == f"patience {k}"].set_index("task")[told.name] for k in (5, 20))
    assert told["taskset/look0"] == five["taskset/look0"] and told["taskset/look0"] != twenty["taskset/look0"]
    assert chosen.fastest_patience(look) == "patience 5"


def test_twice_as_fast_holds_and_slower_fails():
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
    assert slow["taskset_speed_up"].value == 0 and slow["taskset_speed_up"].holds() is False
    assert slow["taskset_patience"].holds() is False and slow["taskset_no_harm"].holds() is False


def test_where_nothing_learns_the_share_of_all_epochs_is_judged():
    table = rows({}, source="nothing").assign(spent=0.5)
    assert claims(table)["nothing_spent"].holds() is False
    assert claims(table.assign(spent=0.1))["nothing_spent"].holds() is True


def test_two_tasks_and_absent_sources_claim_nothing():
    found = claims(rows({"shipped": 250}, tasks=2))
    assert not any(one.tested() for one in found.values()) and "algoperf_speed_up" in found


def test_every_rule_has_its_rows_and_its_place():
    """In its smallest form, on made-up accuracies: all rules on both sides, the settings that are tried on look alone."""
    parts = [question.measure(CONFIG, part, {CONFIG.own: own()}) for part in question.parts(CONFIG)]
    found = {name: pd.concat([part[name] for part in parts], ignore_index=True) for name in question.TABLES}
    assert found["pools"]["runs"].tolist() == [10] * 4
    for task, mine in found["rows"].groupby("task"):
        tried = {method for method in mine["method"] if method.split()[0] in ("chance", "least")}
        assert bool(tried) == (mine["side"].iloc[0] == "look"), task
        assert {*rules.AT_RUNGS, rules.FITTED, "shipped", "old", "one epoch", "oracle"} <= set(mine["method"])
    assert found["rows"]["spent"].between(0, 0.5).all()
    tables = question.tabulate(found, CONFIG)
    assert len(tables["overhead"]) == 4 and set(tables["pools"]["side"]) == {"look", "judge"}
    assert set(question.draw(found, CONFIG)) == {"speed", "regret", "settings"}
