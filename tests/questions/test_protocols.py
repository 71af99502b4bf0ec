"""Guards what several chapters share: ways of measuring, pools of runs that compete, and shapes of figures."""

import gzip
import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves import real_table
from curvecast.curves.real_table import RealCurve, side
from curvecast.ground.errors import UserError
from curvecast.scores import baselines, pools_of_runs, stopping
from curvecast.scores.baselines import Gaussian
from curvecast.scores.quantile_scores import LEVELS
from presswork.intervals import Interval
from reproduce.pictures.panels import dots, panels, speed_ups
from reproduce.protocols import asked, benchmarks, forecasters, timing
from reproduce.protocols.own_runs import own_runs
from reproduce.protocols.pools_of_real_runs import pools
from reproduce.protocols.real_curve import POINTS, SHARES, trial, worth
from reproduce.protocols.scores_by_share import scores
from reproduce.protocols.stopping_rules import LazyForecasts
from reproduce.protocols.timing import in_turns, threads


def accuracy(values):
    return trial(np.asarray(values, float), 0.0, 1.0, False)


def loss(values):
    return trial(np.asarray(values, float), 0.0, math.inf, True)


def test_more_is_better_for_the_network_and_nothing_of_the_future_enters():
    """An error is mirrored; the unit of a loss is its first value, whatever follows."""
    assert trial(np.array([0.4, 0.1]), 0, 1, True).seen == pytest.approx([0.6, 0.9])
    one, other = loss([2.0, 1.5, 0.5]), loss([2.0, 1.5, 19.0])
    assert one.seen[:2] == pytest.approx(other.seen[:2]) and (np.diff(one.seen) > 0).all()


def test_a_clock_that_ticks_never_says_that_work_took_no_time(monkeypatch):
    readings = iter([5.0, 5.0, 5.0, 5.006])
    monkeypatch.setattr(timing.time, "process_time", lambda: next(readings))
    assert timing.core_seconds(lambda: None) == pytest.approx(0.002)


def test_what_diverged_is_clipped_and_counted():
    """At ten times the first loss, which the map can still tell; an accuracy keeps its bound."""
    found = loss([0.7, 0.6, 2e19, 0.5])
    assert found.values.tolist() == pytest.approx([0.7, 0.6, 7.0, 0.5]) and found.clipped == 0.25
    assert found.scale.back(found.seen) == pytest.approx(found.values, rel=1e-6)
    assert accuracy([0.1, 0.9]).clipped == 0


def test_a_loss_that_begins_at_its_best_has_no_unit():
    """It cannot be put to anyone."""
    assert loss([0.0, 0.1, 0.1]) is None


@pytest.mark.parametrize("minimise", [False, True])
def test_a_forecast_that_knows_the_truth_has_no_error(minimise):
    """Narrow quantiles around what comes hold it, in either direction; those around something else do not."""
    one = trial(np.linspace(0.2, 0.8, 10), 0, 1, minimise)
    around = one.seen[4:] + 1e-4 * (LEVELS[:, None] - 0.5)
    good, bad = worth(one, 4, around), worth(one, 4, around - 0.1)
    assert good.error < 1e-6 and good.in50 == good.in90 == 1 and good.crps < 1e-4
    assert bad.error == pytest.approx(0.1, rel=0.01) and bad.in90 == 0


def test_without_the_folder_it_says_what_to_set(monkeypatch):
    monkeypatch.delenv(real_table.VARIABLE, raising=False)
    with pytest.raises(UserError, match=real_table.VARIABLE):
        benchmarks.of_side("deepobs", "look")


def test_a_table_has_one_fingerprint_however_it_is_packed(tmp_path, monkeypatch):
    """Machines pack with other versions of zlib: that is no other table."""
    monkeypatch.setenv(real_table.VARIABLE, str(tmp_path))
    found = set()
    for level in (1, 9):
        (tmp_path / benchmarks.FILES["deepobs"]).write_bytes(gzip.compress(b"a,b\n" * 500, level))
        found.add(benchmarks.fingerprint("deepobs"))
    assert len(found) == 1


RISES = {n: 0.9 - 0.7 * np.arange(1.0, n + 1) ** -0.7 for n in (20, 31, 100)}


@pytest.fixture(scope="module")
def trials():
    """Made-up curves of three lengths and a falling loss."""
    found = [trial(y + 0.01 * np.sin(np.arange(n)), 0, 1, False) for n, y in RISES.items()]
    return [*found, trial(1 - RISES[20], 0, math.inf, True)]


def knows(y, ahead):
    """A flat density at .5, so that the scores can be told beforehand."""
    return Gaussian(torch.full((len(y), ahead), 0.5), torch.full((len(y), ahead), 0.1))


def test_scores_are_those_of_the_curve_alone(trials):
    """However many curves are asked at once, and whatever lengths they have."""
    together = scores(trials, {"knows": knows}).set_index(["curve", "seen"])
    alone = scores(trials[1:2], {"knows": knows}, at_once=1).set_index(["curve", "seen"])
    for share in SHARES:
        assert together.loc[(1, share)].tolist()[1:] == pytest.approx(alone.loc[(0, share)].tolist()[1:])
    hidden = torch.tensor(trials[1].seen[trials[1].cutoff(40) :])
    expected = torch.distributions.Normal(0.5, 0.1).log_prob(hidden).mean()
    assert together.loc[(1, 40), "ll"] == pytest.approx(float(expected), rel=1e-5)
    off = np.abs(trials[1].values[trials[1].cutoff(40) :] - 0.5).mean()
    assert together.loc[(1, 40), "error"] == pytest.approx(off, rel=1e-6)


def test_who_is_refused_has_no_scores_and_takes_nobody_along(trials):
    """Even if the refusal comes for a whole portion."""

    def picky(y, ahead):
        if (y[:, 0] < 0.25).any():
            raise UserError("too low for me")
        return knows(y, ahead)

    rows = scores(trials, {"picky": picky})
    refused = rows[rows["crps"].isna()]["curve"].unique().tolist()
    assert refused == [i for i, one in enumerate(trials) if one.seen[0] < 0.25] != []
    assert len(rows) == len(trials) * len(SHARES)


def test_all_take_turns_and_the_first_round_is_not_told():
    said = []
    turns = {name: (lambda name=name: said.append(name) or len(said)) for name in "ab"}
    assert list(in_turns(turns, 2)) == [(1, "a", 3), (1, "b", 4), (2, "a", 5), (2, "b", 6)]
    assert "".join(said) == "ababab"


def test_threads_are_given_back_whatever_happens():
    before = torch.get_num_threads()
    with pytest.raises(ValueError, match="invalid literal"), threads():
        int(f"only {torch.get_num_threads()}")
    assert torch.get_num_threads() == before


def test_a_long_curve_is_thinned_evenly_and_keeps_its_ends():
    """A hundred points at most; a short one is left as it is."""
    long = accuracy(np.linspace(0.1, 0.9, 351))
    assert len(long.values) == POINTS and long.values[[0, -1]].tolist() == [0.1, 0.9]
    assert np.diff(long.values).max() < 1.4 * np.diff(long.values).min()
    assert len(accuracy(np.linspace(0, 1, 27)).values) == 27


def test_something_is_shown_and_something_hidden_of_the_shortest_curve():
    """At every share of two points and of a hundred."""
    for n in (2, 3, 20, 100):
        cutoffs = [accuracy(np.linspace(0, 0.5, n)).cutoff(share) for share in SHARES]
        assert min(cutoffs) >= 1 and max(cutoffs) < n and cutoffs == sorted(cutoffs)
    assert cutoffs == [10, 20, 40, 70]


ROWS = {
    "runs": pd.DataFrame({
        "run": ["a", "b"], "learner": ["networks", "ada"], "task": "wine", "group": ["a", "b"], "seed": 1,
        "x": ["epoch", "tree"], "classes": 3, "guess": 0.4, "broke": [2.0, None], "settings": ['{"rate":0.1}', "{}"],
    }),
    "rows": pd.DataFrame({
        "run": ["a"] * 4 + ["b"] * 2, "step": [0, 1, 2, 3, 1, 2], "accuracy": [0.3, 0.5, 0.4, 0.4, 0.9, 0.8],
        "loss": [1.1, 0.9, 16.12, 16.12, 0.2, 0.3],
    }),
}  # fmt: skip


def test_a_run_has_its_values_its_bounds_and_its_settings():
    """The untrained value is no observation."""
    run = own_runs(ROWS, least=1)[2]
    assert (run.name, run.metric, run.low, run.high, run.minimise) == ("a", "loss", 0, math.inf, True)
    assert run.steps.tolist() == [1, 2, 3] and run.values.tolist() == [0.9, 16.12, 16.12]
    assert run.untrained == 1.1 and run.broke == 2 and run.settings == {"rate": 0.1} and run.classes == 3


def test_quantiles_of_drawn_values_are_those_of_the_cloud():
    """As near as a few thousand members allow."""
    generator = torch.Generator().manual_seed(0)
    cloud = forecasters.Cloud(torch.rand(1, 4000, 3, generator=generator), torch.full((1, 4000), 0.05))
    drawn = forecasters.Drawn(cloud, generator)
    for level in (0.05, 0.5, 0.95):
        assert drawn.quantile(level) == pytest.approx(cloud.quantile(level), abs=0.03)


def losses(monkeypatch, *curves: np.ndarray) -> None:
    """A folder of tables with these losses of one task, which begin at 0.7."""
    made = [
        RealCurve("taskset", f"task/{i}", "task", "task", "loss", True, 0, np.inf, np.arange(len(values)), values, 0.7, "-")
        for i, values in enumerate(curves)
    ]  # fmt: skip
    monkeypatch.setenv(real_table.VARIABLE, "somewhere")
    monkeypatch.setattr(benchmarks, "_read", lambda where, file: made)


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


last_value = partial(baselines.forecast, "last value")


def pool():
    return pools_of_runs.draw(30, 3, np.random.default_rng(1))


def test_asking_when_a_decision_needs_it_changes_no_decision():
    """As with all forecasts made, of which most are spared."""
    some, whole = pool(), 30 * 100
    for delta in (0.05, 0.2):
        asked = LazyForecasts(last_value, some.noisy, delta)
        every = stopping.reaches(last_value, some.noisy, stopping.fine(100), delta)
        want = stopping.play(some.noisy, every, some.orders)
        table = asked.table(some, stopping.fine(100), whole)
        assert torch.equal(stopping.play(some.noisy, table, some.orders), want)
        assert 0 < asked.known.isfinite().sum() < 0.6 * every.isfinite().sum()


def test_a_dot_stands_in_its_row_and_what_was_not_measured_has_none():
    _, (axis,) = panels([""], (4, 2))
    dots(axis, [("a", Interval(1, 0.5, 2)), ("b", None), ("c", Interval(3, 2.5, 3.5))], fmt="o")
    (line,) = axis.containers[0].lines[:1]
    assert line.get_xdata().tolist() == [1, 3] and list(line.get_ydata(orig=True)) == ["a", "c"]
    (bars,) = axis.containers[0].lines[2]
    assert [segment[:, 0].tolist() for segment in bars.get_segments()] == [[0.5, 2], [2.5, 3.5]]


def test_left_of_the_edge_a_word_stands_for_the_dot():
    _, (axis,) = panels([""], (4, 2))
    found = [Interval(2, 1.5, 3), Interval(0, 0, 0), Interval(0.2, 0.1, 3), None]
    speed_ups(axis, [(one, "ours") for one in found], 0.4, None)
    assert [text.get_text() for text in axis.texts] == ["never", "below"]
    assert axis.get_xticks().tolist() == [1, 2, 5, 10, 20]


class Knows:
    """A forecaster whose law at epoch x is uniform from x - 1 to x, whatever it has seen."""

    def predict(self, x, y, x_query, mask=None):
        return Uniform(x_query)


class Uniform:
    def __init__(self, top: torch.Tensor):
        self.top = top
        self.log_p = top[..., None].expand(*top.shape, 3)

    def cdf(self, y):
        return (y - self.top + 1).clamp(0, 1)

    def log_density(self, y):
        return torch.where((y > self.top - 1) & (y < self.top), 0.0, -torch.inf)

    def quantile(self, level):
        return self.top - 1 + level


def test_a_row_is_the_mean_over_the_queries_of_its_curve():
    y = torch.tensor([[9.5, 19.5], [9.5, 30.0], [30.0, 30.0]])
    found = asked.ask(Knows(), torch.tensor([1.0]), y[:, :1], torch.tensor([10.0, 20.0]), y)
    assert list(found["cover90"]) == [1, 0.5, 0] and list(found["curve"]) == [0, 1, 2]


def test_gaps_show_what_they_say_and_ask_all_for_the_same_points():
    shown = {}

    class Notes(Knows):
        def predict(self, x, y, x_query, mask=None):
            shown[tuple(x[0].tolist())] = (y[0].tolist(), x_query[0].tolist())
            return super().predict(x, y, x_query, mask)

    y = torch.arange(1, 101.0).expand(3, -1)
    found = asked.gaps(Notes(), y, 20, torch.Generator().manual_seed(0))
    assert shown[1.0, 2.0] == ([10, 20], [4, 6, 8, 10])
    assert shown[10.0, 20.0] == ([10, 20], [40, 60, 80, 100])
    assert found.groupby("case").size().eq(3).all()
