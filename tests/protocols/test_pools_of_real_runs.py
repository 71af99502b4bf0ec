"""Guards reproduce/protocols/pools_of_real_runs.py: which runs of a task compete, and what is known of them before."""

import numpy as np
import torch

from curvecast.curves import real_table
from curvecast.curves.real_table import RealCurve
from curvecast.curves.tuning_and_test import side
from reproduce.protocols import tables_of_others
from reproduce.protocols.pools_of_real_runs import pools, thinned


def losses(monkeypatch, *curves: np.ndarray) -> None:
    """A folder of tables with these losses of one task, which begin at 0.7."""
    made = [
        RealCurve("taskset", f"task/{i}", "task", "task", "loss", True, 0, np.inf, np.arange(len(values)), values, 0.7, "-")
        for i, values in enumerate(curves)
    ]  # fmt: skip
    monkeypatch.setenv(real_table.VARIABLE, "somewhere")
    monkeypatch.setattr(tables_of_others, "_read", lambda where, file: made)


def of_losses(source: str = "taskset", points: int = 50):
    return pools(source, side("taskset", "task"), 99, points, 9, 0, {})


def falling(n: int = 12, m: int = 20) -> list[np.ndarray]:
    return list(0.7 - np.linspace(0.05, 0.5, n)[:, None] * np.linspace(0.1, 1, m))


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
