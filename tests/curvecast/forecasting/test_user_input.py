"""Guards user_input, forecasts, epochs, normalise and progress: what a user gives becomes runs in the network's units."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from curvecast import forecast
from curvecast.forecasting import user_input
from curvecast.forecasting.epochs import LENGTH, axis, default_horizon, epochs
from curvecast.forecasting.normalise import Scale, metric_of
from curvecast.ground.errors import UserError
from curvecast.ground.progress import percent, plus_minus
from tests.curvecast.refusals import refuses

RUN = [0.31, 0.42, 0.48, 0.52, 0.55]


def test_many_runs_give_what_each_gives_alone():
    runs = [RUN, RUN[:2], [0.3, None, 0.5, None, 0.6], [0.2], [0.7 - 0.5 / (1 + i) for i in range(50)]]
    together = forecast(runs, horizon=60)
    for run, found in zip(runs, together, strict=True):
        alone = forecast(run, horizon=60, check=False)
        assert found.steps.tolist() == alone.steps.tolist()
        assert np.allclose(found.median, alone.median, atol=1e-4)
        assert found.in_prior == (alone.in_prior and pytest.approx(alone.in_prior, rel=0.05))
    assert [run.name for run in together] == [f"run {i}" for i in (1, 2, 3, 4, 5)]


def test_a_hole_is_no_value_and_no_end_and_shared_steps_may_go_on():
    assert forecast([0.3, None, 0.5, None], horizon=10).steps.tolist() == [4, 5, 6, 7, 8, 9, 10]
    short, _ = forecast([[0.3], [0.3, 0.4]], steps=[1, 2], horizon=5, check=False)
    assert short.observed_steps.tolist() == [1]


def test_arrays_tensors_and_masked_arrays_are_taken():
    a = np.array([RUN, RUN])
    masked = np.ma.masked_array(a, mask=[[False] * 5, [False, True, False, False, False]])
    for values in (a, a.astype(np.float32), torch.tensor(a), list(a), masked):
        assert len(forecast(values)) == 2
    assert len(forecast(masked)[1].observed) == 4


def test_a_column_of_a_table_is_a_run():
    frame = pd.DataFrame({"step": [10, 20, 30], "accuracy": [0.3, 0.4, 0.5], "b": [None, 0.2, None]})
    assert forecast(frame["accuracy"], steps=frame["step"]).steps[0] == 40
    refuses(r"column 'step' holds steps: .*set_index\('step'\)", forecast, frame)
    a, b = forecast(frame.set_index("step"))
    assert (a.name, a.steps[0], *b.observed_steps, *b.observed) == ("accuracy", 40, 20, 0.2)
    assert forecast(frame["accuracy"]).observed_steps.tolist() == [1, 2, 3]


@pytest.mark.parametrize(("values", "how", "words"), [
    ([], {}, "has no value"), ([[0.1], []], {}, "run 2 has no value"), ([0.1, float("nan")], {}, "value 2 is nan"),
    ([0.1, float("inf")], {}, "value 2 is inf"), (["a"], {}, "value 1 is 'a', which is not a number"),
    (None, {}, "give a list of numbers"), ([0.1, 0.2], {"steps": [2, 1]}, "step 1 comes after 2: steps must rise"),
    ([0.1, 0.2], {"steps": [-1, 1]}, "a step is negative"), ([0.1, 0.2], {"steps": [1, None]}, "step 2 is missing"),
    ([0.1, 0.2], {"steps": 5}, "steps are 5"), ([0.1, 0.2], {"steps": [1, 2, 3]}, "2 values but 3 steps"),
    ([[0.1], [0.2]], {"steps": [[1]]}, "there are 2 runs but steps for 1"),
    ([[0.1], [0.2]], {"names": ["a"]}, "there are 2 runs but 1 names"), ([[0.1], [0.2]], {"names": 5}, "names are 5"),
    ([0.1, 0.2], {"horizon": float("nan")}, "the horizon is nan"),
    ([0.1, 0.2], {"horizon": "far"}, "the horizon is 'far'"),
    ([0.1, 0.2], {"metric": (0, 500), "bounds": (0, 1)}, "give only one of them"),
    # near the end of what numbers there are
    ([1.0, 10**400], {"metric": "loss"}, "value 2 is inf"), ([1.0, 1e308], {"metric": "loss"}, "beyond"),
    ([0.5, -1e308], {"metric": (-float("inf"), 1)}, "beyond"),
    ([0.3, 0.4], {"bounds": (0, 10**400)}, "not two numbers"), (RUN, {"horizon": 10**400}, "the horizon is inf"),
    (np.zeros((1_000_000, 2)), {}, r"1,000,000 runs: at most 50,000 in one call"),
])  # fmt: skip
def test_what_cannot_be_forecast_is_said_in_one_sentence(values, how, words):
    with pytest.raises(UserError, match=words) as said:
        forecast(values, **how)
    assert "\n" not in str(said.value)


def test_one_long_run_is_one_run():
    column = pd.Series(np.zeros(60_000), index=range(7, 60_007))
    assert not user_input.runs_of(np.zeros(1_000_000))[1] and not user_input.runs_of(column)[1]


def test_names_in_complaints_cannot_move_the_cursor():
    for what, values in (("outside", [0.3, 5.0]), ("not a number", [0.3, "x"])):
        with pytest.raises(UserError, match=what) as error:
            forecast([values, RUN], names=["\x1b[31mred\nx" + "y" * 500, "b"])
        assert str(error.value).isprintable() and len(str(error.value)) < 400


@pytest.mark.parametrize(
    ("name", "shown"), [("a", "a"), ("$x$", r"\$x\$"), ("_hid", " _hid"), ("\ud800", "?"), ("a\x1b\0", "a??")]
)
def test_a_name_is_shown_as_a_name_in_a_picture(name, shown):
    (run,) = forecast([RUN], names=[name], check=False)
    assert shown in [line.get_label() for line in run.plot().lines]


def test_runs_are_taken_by_place_by_name_and_as_a_part():
    runs = forecast([RUN, RUN[:3], RUN[:2]], names=["a", "<b>", "b"], check=False)
    assert runs["b"] is runs[2] and isinstance(runs[:2], type(runs))
    with pytest.raises(UserError, match="0 runs are called 'c'"):
        runs["c"]
    shown = runs[:2].to_frame().set_index(["run", "step"])
    assert shown.loc[("a", 100), "median"] == runs[0].median[-1] and len(shown) == 95 + 97
    assert "&lt;b&gt;" in runs._repr_html_() and "<b>" not in runs[1]._repr_html_()


@pytest.mark.parametrize(
    "finished", [None, [[0.3 + 0.3 * (1 - 0.95**i) + k / 99 for i in range(100)] for k in range(12)]]
)
def test_a_pickle_is_small_and_answers_as_before(finished):
    """Without the weights and the runs beside it; the levels of a calibrated one alone took 96 kB."""
    run = forecast([RUN] * 50, finished=finished, check=False)[7]
    before = [run.quantile(0.05), run.median, run.mean, run.prob_above(0.6), run.futures(3)[1]]
    data = pickle.dumps(run)
    again = pickle.loads(data)
    after = [again.quantile(0.05), again.median, again.mean, again.prob_above(0.6), again.futures(3)[1]]
    assert len(data) < 50_000 and len(run.steps) == 95 and again.in_prior == run.in_prior
    assert run.finished == again.finished == len(finished or ())
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_the_run_with_the_best_future_wins_most_often():
    runs = forecast([[0.3, 0.5, 0.6, 0.66, 0.7], [0.1, 0.15, 0.18, 0.2, 0.21]], check=False)
    assert runs.wins().sum() == pytest.approx(1) and runs.wins()[0] > 0.8 and runs.best == 0.7
    assert forecast([RUN, RUN], check=False, horizon=5).wins().tolist() == [0.5, 0.5]
    good = [97, 99, 99.5, 99.6, 99.8, 99.9, 99.9, 99.9, 100, 99.9]
    assert abs(forecast([good, good], metric="percent", check=False).wins()[0] - 0.5) < 0.05
    losses = forecast([[0.3, 0.2, 0.15], [0.9, 0.85, 0.82]], metric="error", check=False)
    assert losses.wins()[0] > 0.8 and losses.best == 0.15


@pytest.mark.parametrize("metric", ["accuracy", "error"])
def test_who_has_ended_on_the_bound_cannot_be_beaten(metric):
    ended, going = [0.9, 0.95, 0.99, 1.0, 1.0, 1.0], [0.97, 0.99, 0.999, 1.0]
    given = [[1 - v if metric == "error" else v for v in run] for run in (ended, going)]
    runs = forecast(given, steps=[[1, 2, 3, 4, 5, 6], [1, 2, 3, 4]], horizon=6, metric=metric, check=False)
    bound = 0.0 if metric == "error" else 1.0
    ends = runs[1].sample_end(4000, 1, clip=False)
    level = (ends <= 0 if metric == "error" else ends >= 1).mean()
    assert len(runs[0].steps) == 0 and runs[1].prob_beats(bound) == 0
    assert level > 0.1 and runs.wins().tolist() == pytest.approx([1 - level / 2, level / 2])


def test_of_two_near_the_bound_the_better_one_still_wins():
    runs = forecast([[0.9, 0.97, 0.99, 0.995, 0.998], [0.5, 0.8, 0.95, 0.9, 0.97]], check=False)
    one, other = (run.sample_end(4000, i, clip=False) for i, run in enumerate(runs))
    assert ((one > 1) & (other > 1)).mean() > 0.05
    assert runs.wins().tolist() == pytest.approx([(one > other).mean(), (other > one).mean()])


def made(steps, horizon=None):
    steps = np.array(steps, dtype=float)
    own = axis(steps)
    return epochs(steps, own, default_horizon(steps, own) if horizon is None else horizon, "run")


@pytest.mark.parametrize(("steps", "horizon", "x", "ahead"), [
    ([0, 10, 20], None, [1, 2, 3], range(30, 991, 10)),  # counted from 0: moved by one epoch
    (range(1, 6), 8.5, [1, 2, 3, 4, 5], [6, 7, 8, 8.5]),  # a horizon between two epochs is asked for too
    (range(1, 301), 1000, range(1, 31), range(310, 1001, 10)),  # shrunk to a hundred epochs
    ([1], None, [1], range(2, 101)), ([1000], None, [1], range(2000, 100_001, 1000)), ([0], None, [1], range(1, 100)),
])  # fmt: skip
def test_steps_become_epochs_and_epochs_steps(steps, horizon, x, ahead):
    found = made(steps, horizon)
    assert found.x.tolist() == list(x) and found.ahead.tolist() == list(ahead)
    # of the points that fall on one epoch the last one stays
    assert found.kept.tolist() == list(range(9, 300, 10) if found.thinned else range(len(found.x)))


@pytest.mark.parametrize(
    ("steps", "unit"),
    [([1, 2, 4], 1), ([1, 3, 4, 5, 9], 1), ([0.1, 0.2, 0.3, 0.5], 0.1), ([10, 30, 50, 60], 20), ([1, 2.1, 3.05], 0.95)],
)  # fmt: skip
def test_the_usual_gap_is_the_most_frequent_one(steps, unit):
    assert axis(np.array(steps)).unit == pytest.approx(unit)


def test_holes_do_not_make_an_epoch_longer():
    found = epochs(np.array([2.0, 4, 6]), axis(np.arange(1, 8.0)), 10, "run")
    assert found.x.tolist() == [2, 4, 6] and found.ahead.tolist() == [7, 8, 9, 10]


@given(
    st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=60, unique=True).map(sorted),
    st.floats(1.0, 1e7),
)
def test_the_network_gets_rising_epochs_from_1_to_100(steps, further):
    assume(len(steps) == 1 or min(np.diff(steps)) >= 1e-3)
    assume((steps[-1] + further) / axis(np.array(steps)).unit <= 1e8)
    found = made(steps, horizon=steps[-1] + further)
    both = np.concatenate([found.x, found.x_ahead])
    assert (np.diff(both) > 0).all() and both[0] >= 1 and both[-1] <= LENGTH + 1e-6
    assert len(found.ahead) == len(found.x_ahead) <= LENGTH
    assert (found.ahead > steps[-1] - 1e-6 * max(1, steps[-1])).all()


@pytest.mark.parametrize(
    ("steps", "horizon"), [([7, 14, 21], 1e6), ([0.1, 0.2, 0.3], 77.7), ([1, 2, 3], 50.5)]
)
def test_the_last_step_is_the_horizon_to_the_last_digit(steps, horizon):
    assert made(steps, horizon=horizon).ahead[-1] == horizon


def test_a_horizon_in_another_unit_is_a_complaint():
    refuses("is it in the unit of the steps", made, [0.001, 0.002], horizon=1e9)


def scale(name="accuracy", values=(0.5,), bounds=None, minimise=None):
    return Scale.of(metric_of(name, bounds, minimise), np.array(values, dtype=float), "run")


@pytest.mark.parametrize(("name", "first", "values", "seen"), [
    ("accuracy", 0.5, [0.0, 0.3, 1.0], [0, 0.3, 1]), ("error", 0.5, [0.0, 0.25], [1, 0.75]),
    ("percent", 0.5, [50.0], [0.5]),
    ("loss", math.log(10), [0.0, math.log(10), 1e9], [1, 0.368, 0]),  # of ten classes, as the paper has it
])  # fmt: skip
def test_values_are_seen_as_the_paper_has_it(name, first, values, seen):
    assert scale(name, [first]).to(np.array(values)) == pytest.approx(seen, abs=1e-3)


@given(st.floats(0.01, 50), st.lists(st.floats(0.0, 60), min_size=1, max_size=20))
def test_back_undoes_to(first, values):
    """For values no larger than some times the first: beyond, the logistic curve is flat in floating point."""
    values = np.array([first, *(v for v in values if v < 8 * first)])
    for name, own in (("loss", values), ("accuracy", values / (values.max() + 1))):
        found = scale(name, own)
        assert np.allclose(found.back(found.to(own)), own, rtol=1e-5, atol=1e-6 * first)


@pytest.mark.parametrize("bounds", [(0, math.inf), (-math.inf, 10), (0, 10)])
@pytest.mark.parametrize("minimise", [False, True])
def test_better_values_are_higher_for_the_network(bounds, minimise):
    found = scale(values=[4], bounds=bounds, minimise=minimise)
    seen = found.to(np.array([1.0, 2.0, 4.0, 8.0]))
    assert (np.diff(seen) < 0).all() if minimise else (np.diff(seen) > 0).all()
    assert ((seen >= 0) & (seen <= 1)).all()
    assert np.isfinite(found.back(np.array([-0.3, 0.0, 1.0, 1.3]))).all()


def test_what_lies_beyond_a_bound_is_the_bound():
    assert scale().back(np.array([-0.2, 1.3])).tolist() == [0, 1]
    assert scale("error").back(np.array([-0.2, 1.3])).tolist() == [1, 0]
    assert str(scale("loss", [2.0]).back(np.array([1.2]))[0]) == "0.0"


def test_a_direction_may_be_turned():
    assert metric_of("loss", None, False).minimise is False
    assert metric_of((0, 7), None, True) == metric_of("accuracy", (0, 7), True)


@pytest.mark.parametrize(("how", "words"), [
    ({"values": [0.4, 93.1]}, "value 2 is 93.1, outside 0 to 1: set metric to 'percent' if"),
    ({"values": [0.4, -2]}, "outside 0 to 1"), ({"values": [0.4, 250]}, "'loss' if lower is better"),
    ({"values": [-0.1], "name": "loss"}, "outside 0 to inf"),
    ({"values": [0.0, 1.0], "name": "loss"}, "the first value equals the bound 0"),
    ({"name": "f1"}, "use one of accuracy, percent, error, loss"),
    ({"bounds": (1, 0)}, "the first must be below the second"),
    ({"bounds": (0, math.nan)}, "the first must be below the second"),
    ({"bounds": (-math.inf, math.inf)}, "without any bound"), ({"bounds": (0,)}, "not two numbers"),
    ({"bounds": ("a", "b")}, "not two numbers"),
    ({"bounds": (0, 1e308)}, r"bounds 0 to 1e\+308: one is beyond 1e\+150"),
])  # fmt: skip
def test_values_and_metrics_that_make_no_sense_are_refused_and_never_guessed(how, words):
    refuses(words, scale, **how)


@pytest.mark.parametrize(("value", "half", "shown"), [
    (0.7123, 0.031, "0.71 ± 0.03"), (0.7123, 0.0131, "0.712 ± 0.013"), (0.7123, 0.096, "0.71 ± 0.10"),
    (71.23, 3.1, "71 ± 3"), (71.23, 1.31, "71.2 ± 1.3"), (712.3, 31, "710 ± 30"), (5.0, 0.0, "5"),
    (0.71, float("nan"), "0.71"),
])  # fmt: skip
def test_a_value_has_the_digits_that_its_band_bears(value, half, shown):
    """One digit of the band, two where it begins with a one; no band, four digits of the value."""
    assert plus_minus(value, half) == shown


def test_a_chance_is_0_or_100_only_where_it_is_sure():
    shown = {0: "0 %", 0.004: "< 1 %", 0.012: "1 %", 0.99: "99 %", 0.995: "> 99 %", 1: "100 %"}
    assert {chance: percent(chance) for chance in shown} == shown
