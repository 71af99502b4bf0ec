"""Guards curvecast/forecasting/api.py: one run or many, with holes, in any unit; and what cannot be forecast is said."""

import warnings

import numpy as np
import pytest
import torch

from curvecast import forecast
from curvecast.curves import prior
from curvecast.forecasting.api import Unlike
from curvecast.forecasting.doubts import RARE
from curvecast.ground.errors import UserError

RUN = [0.31, 0.42, 0.48, 0.52, 0.55]


def test_one_run_gives_one_forecast_to_epoch_100():
    run = forecast(RUN)
    assert run.steps.tolist() == list(range(6, 101))
    assert run.median.shape == (95,) and 0.5 < run.median[-1] < 1


def test_it_is_what_the_network_says():
    """The shipped weights, asked by hand."""
    from curvecast.forecasting import shipped, torch_network

    y = torch.tensor([RUN])
    density = torch_network.load(shipped.PATH).predict(
        torch.arange(1.0, 6)[None], y, torch.arange(6.0, 101)[None]
    )
    run = forecast(RUN)
    for q in (0.05, 0.5, 0.95):
        assert np.allclose(run.quantile(q), density.quantile(q)[0].clamp(0, 1), atol=2e-4)


def test_many_runs_give_what_each_gives_alone():
    """Different lengths and holes in one call."""
    runs = [RUN, RUN[:2], [0.3, None, 0.5, None, 0.6], [0.2]]
    together = forecast(runs, horizon=60)
    for run, found in zip(runs, together, strict=True):
        alone = forecast(run, horizon=60)
        assert found.steps.tolist() == alone.steps.tolist()
        assert np.allclose(found.median, alone.median, atol=1e-4)
    assert [run.name for run in together] == ["run 1", "run 2", "run 3", "run 4"]


def test_a_hole_is_no_value_and_no_end():
    assert forecast([0.3, None, 0.5, None], horizon=10).steps.tolist() == [4, 5, 6, 7, 8, 9, 10]


def test_arrays_tensors_and_masked_arrays_are_taken():
    a = np.array([RUN, RUN])
    masked = np.ma.masked_array(a, mask=[[False] * 5, [False, True, False, False, False]])
    for values in (a, a.astype(np.float32), torch.tensor(a), list(a), masked):
        assert len(forecast(values)) == 2
    assert len(forecast(masked)[1].observed) == 4


def test_a_column_of_a_table_is_a_run():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"step": [10, 20, 30], "accuracy": [0.3, 0.4, 0.5], "b": [None, 0.2, None]})
    assert forecast(frame["accuracy"], steps=frame["step"]).steps[0] == 40
    with pytest.raises(UserError, match=r"column 'step' holds steps: .*set_index\('step'\)"):
        forecast(frame)
    a, b = forecast(frame.set_index("step"))
    assert (a.name, a.steps[0], *b.observed_steps, *b.observed) == ("accuracy", 40, 20, 0.2)
    assert forecast(frame["accuracy"]).observed_steps.tolist() == [1, 2, 3]


def test_long_runs_are_thinned_and_go_twice_as_far():
    values = 0.8 - 0.5 * np.arange(1, 501) ** -0.5
    run = forecast(values)
    assert run.thinned and run.steps[-1] == 1000 and abs(run.median[0] - values[-1]) < 0.03


def test_less_is_better_mirrors_the_quantiles():
    """An error is one minus an accuracy: its upper quantiles are the lower ones of the other."""
    up, down = forecast(RUN), forecast([1 - v for v in RUN], metric="error")
    assert np.allclose(down.quantile(0.95), 1 - up.quantile(0.05), atol=1e-4)
    assert np.allclose(down.prob_above(0.3), 1 - up.prob_above(0.7), atol=1e-4)
    assert down.prob_beats(0.3) == pytest.approx(up.prob_beats(0.7), abs=1e-4)


def test_percent_and_bounds_are_the_same_in_another_unit():
    fractions, percent = forecast(RUN), forecast([100 * v for v in RUN], metric="percent")
    assert np.allclose(percent.median, 100 * fractions.median, atol=1e-3)
    for own in (
        forecast([5 * v - 1 for v in RUN], bounds=(-1, 4)),
        forecast([5 * v - 1 for v in RUN], metric=(-1, 4)),
    ):
        assert np.allclose(own.median, 5 * fractions.median - 1, atol=1e-3)


def test_a_loss_stays_above_its_bound_and_falls():
    run = forecast([2.3, 1.9, 1.7, 1.55, 1.45], metric="loss")
    low, high = run.interval(0.98)
    assert (low >= 0).all() and np.isfinite(high).all() and run.median[-1] < 1.45
    assert np.isfinite(forecast([1.0, 1.2, 0.9], metric="loss").quantile(0.999)).all()


def test_all_runs_of_a_call_go_to_the_same_horizon():
    ends = {run.steps[-1] for run in forecast([RUN, list(np.linspace(0.1, 0.5, 80))])}
    assert ends == {160.0}


def test_a_warning_says_that_a_run_is_odd_and_can_be_switched_off():
    odd = [0.5, 0.55, 0.6, 0.1, 0.61, 0.1, 0.62, 0.1, 0.63]
    with pytest.warns(Unlike, match="do not trust the intervals"):
        assert forecast(odd).in_prior < RARE
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forecast(odd, check=False)


@pytest.mark.parametrize(
    ("values", "how", "words"),
    [
        ([], {}, "has no value"),
        ([[0.1], []], {}, "run 2 has no value"),
        ([0.1, float("nan")], {}, "value 2 is nan"),
        ([0.1, float("inf")], {}, "value 2 is inf"),
        (["a"], {}, "value 1 is 'a', which is not a number"),
        (None, {}, "give a list of numbers"),
        ([0.1, 0.2], {"steps": [2, 1]}, "step 1 comes after 2: steps must rise"),
        ([0.1, 0.2], {"steps": [-1, 1]}, "a step is negative"),
        ([0.1, 0.2], {"steps": [1, None]}, "step 2 is missing"),
        ([[0.1], [0.2]], {"steps": [[1]]}, "there are 2 runs but steps for 1"),
        ([[0.1], [0.2]], {"names": ["a"]}, "there are 2 runs but 1 names"),
        ([0.1, 0.2], {"horizon": float("nan")}, "the horizon is nan"),
        ([0.1, 0.2], {"steps": 5}, "steps are 5"),
        ([0.1, 0.2], {"steps": [1, 2, 3]}, "2 values but 3 steps"),
        ([0.1, 0.2], {"horizon": "far"}, "the horizon is 'far'"),
        ([[0.1], [0.2]], {"names": 5}, "names are 5"),
        ([0.1, 0.2], {"metric": (0, 500), "bounds": (0, 1)}, "give only one of them"),
    ],
)
def test_what_cannot_be_forecast_is_said_in_one_sentence(values, how, words):
    with pytest.raises(UserError, match=words) as said:
        forecast(values, **how)
    assert "\n" not in str(said.value)


def test_one_constant_or_long_prior_curve_is_no_trouble():
    assert np.isfinite(forecast([0.5] * 20, check=False).median).all()
    inside = prior.test_set(20).noisy.clamp(0, 1)
    assert all(np.isfinite(run.median).all() for run in forecast(inside[:, :90], check=False))


def test_names_in_complaints_cannot_move_the_cursor():
    for what, values in (("outside", [0.3, 5.0]), ("not a number", [0.3, "x"])):
        with pytest.raises(UserError, match=what) as error:
            forecast([values, RUN], names=["\x1b[31mred\nx" + "y" * 500, "b"])
        assert str(error.value).isprintable() and len(str(error.value)) < 400


@pytest.mark.parametrize("value", [10**400, 1e308, -1e308])
def test_numbers_near_the_end_of_what_there_is_are_refused(value):
    with pytest.raises(UserError):
        forecast([1.0, value], metric="loss" if value > 0 else (-float("inf"), 1))
    with pytest.raises(UserError):
        forecast([0.3, 0.4], bounds=(0, 10**400))
    with pytest.raises(UserError):
        forecast(RUN, horizon=10**400)
