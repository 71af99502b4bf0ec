"""Guards pools of runs that compete: which runs they hold, who stops what and when, and how much sooner."""

import numpy as np
import torch

from curvecast.curves import real_table
from curvecast.curves.real_table import RealCurve, side
from curvecast.scores import baselines, pools_of_runs, stopping
from reproduce.protocols import tables_of_others
from reproduce.protocols.lazy_forecasts import LazyForecasts
from reproduce.protocols.pools_of_real_runs import pools


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


def last_value(x, y, later):
    return baselines.forecast("last value", x, y, later)


def pool():
    return pools_of_runs.draw(30, 3, np.random.default_rng(1))


def test_asking_when_a_decision_needs_it_changes_no_decision():
    """With one chance and then another: as with all forecasts made, of which most are spared."""
    some, whole = pool(), 30 * 100
    asked = LazyForecasts(last_value, some.noisy, [0.05, 0.2])
    for delta in (0.05, 0.2):
        every = stopping.reaches(last_value, some.noisy, stopping.fine(100), delta)
        want = stopping.play(some.noisy, every, some.orders)
        table = asked.table(some, stopping.fine(100), delta, whole)
        assert torch.equal(stopping.play(some.noisy, table, some.orders), want)
    assert 0 < asked.forecasts < 0.6 * every.isfinite().sum()
