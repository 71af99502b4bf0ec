"""Guards the Stopper and its check: it says what `forecast` says, and no value of a training breaks it."""

import json
import math

import numpy as np
import pytest
import torch

import curvecast
from curvecast.ground.errors import UserError
from curvecast.while_training.check import Check, beats, check_run
from curvecast.while_training.stopper import Stopper

RISING = [0.31, 0.42, 0.48, 0.52, 0.55, 0.57, 0.58, 0.59]


def fed(values=RISING, **how) -> tuple[Stopper, list[str], list[bool]]:
    """A stopper that has seen these values at steps 1, 2, ...; what it told, and what it answered."""
    lines: list[str] = []
    stopper = Stopper(**{"horizon": 50, "tell": lines.append} | how)
    answers = []
    for step, value in enumerate(values, 1):
        stopper.observe(step, value)
        answers.append(stopper.should_stop())
    return stopper, lines, answers


def run(values=RISING, **how):
    return curvecast.forecast(values, horizon=50, check=False, **how)


@pytest.mark.parametrize("best", [0.6, 0.7, 0.8, None])
def test_hopeless_is_where_no_later_step_has_a_chance_above_delta(best):
    """The paper's rule: the target counts the run's own values; at a delta just below the largest chance there is hope."""
    chance = max(run().prob_above(max(best or 0, max(RISING))))
    assert check_run(run(), best, chance).hopeless and not check_run(run(), best, chance - 1e-6).hopeless


def test_less_is_better_turns_all_round():
    """A loss that mirrors an accuracy looks the same, with the target on the other side."""
    up, down = check_run(run(), 0.7, 0.05), check_run(run([1 - y for y in RISING], metric="error"), 0.3, 0.05)
    assert [down.chance, 1 - down.end, down.half] == pytest.approx([up.chance, up.end, up.half], abs=1e-4)
    low, high = run().interval(0.9)
    assert up.half == pytest.approx((high[-1] - low[-1]) / 2)
    assert beats(run(), 1.0) == beats(run(), 1.0 + 1e-9) == 0, "the bound is never beaten"


def test_the_line_says_end_chance_and_target():
    check = Check(6, 50, 0.712, 0.031, 0.04, 0.78, False, True, False)
    assert check.line() == "will end at 0.71 ± 0.03, 4 % to beat 0.78"
    assert check.line(horizon_told=False) == "will be at 0.71 ± 0.03 at step 50, 4 % to beat 0.78"
    assert check._replace(own=True).line().endswith("4 % to beat its own best, 0.78")
    assert check._replace(odd=True).line().endswith("unlike the curves that the model was trained on")


def test_only_a_verdict_that_stops_is_checked_for_odd_runs():
    """The check takes longer than all else; what the last look found is not asked again while it stays hopeless."""
    zigzag = run([0.9, 0.1] * 6)
    assert not check_run(zigzag, 0.5, 1e-9, odd=True).odd and check_run(zigzag, 0.99, 0.999, odd=True).odd
    assert not check_run(zigzag, 0.99, 0.999, odd=False).odd and "in_prior" not in zigzag.__dict__
    assert check_run(zigzag, 0.99, 0.999).odd


def test_it_says_what_a_forecast_says():
    stopper, lines, _ = fed(best=0.65)
    check = stopper.check()
    assert check.chance == run().prob_beats(0.65) and check.end == run().median[-1]
    assert stopper.forecast().median.tolist() == run().median.tolist()
    assert lines[-1].startswith("curvecast: step 8: will end at 0.6") and "to beat 0.65" in lines[-1]


def test_by_default_it_never_stops():
    """It says that the run could stop; only act=True makes it an answer, and asking twice tells once."""
    _, lines, answers = fed(best=0.95)
    assert not any(answers) and lines[-1].endswith(": could stop now")
    stopper, lines, answers = fed(best=0.95, act=True)
    assert answers[-1] is True and lines[-1].endswith(": stopped")
    assert stopper.should_stop() and len(lines) == 4
    assert not any(fed(best=0.6, act=True)[2]), "with a chance to win it goes on"


def test_nothing_is_said_before_enough_was_seen_nor_between_two_looks_nor_at_the_horizon():
    _, lines, answers = fed(best=0.6, act=True, delta=0.999, least=4, every=3)
    assert answers == [False, False, False, True, True, True, True, True]
    assert [line.split(":")[1] for line in lines] == [" step 4", " step 7"]
    stopper, _, answers = fed(horizon=6, best=0.95, act=True)
    assert answers == [False, False, False, False, True, False, False, False]
    assert stopper.forecast() is None and stopper.check() is None


@pytest.mark.parametrize(
    "how", [{"others": [RISING, [0.2, math.nan, 0.93]]}, {"best": 0.93}, {"best": 0.93, "others": [RISING]}]
)
def test_the_best_of_other_runs_is_the_target(how):
    """Told as a number or as runs, of which one may have diverged; of a leader its own best."""
    assert fed(**how)[0].check().target == 0.93
    assert Stopper(others=[[2.0, 1.5]], metric="loss").best == 1.5
    check = fed(best=0.4)[0].check()
    assert check.own and check.target == 0.59


def test_one_run_alone_ends_when_it_will_not_improve_and_never_while_it_leads_others():
    """As with early stopping; `best`, or `others` that are still none, say that others are or will be."""
    peaks = [0.5, 0.6, 0.7] + [0.2] * 9
    assert fed(peaks, act=True)[2][-1]
    for how in ({"best": 0.7}, {"best": 0.2}, {"others": []}):
        assert not any(fed(peaks, act=True, **how)[2])


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, None, "0.5", [0.1, 0.2], np.zeros(3), torch.zeros(2), 93.0]
)
def test_a_value_that_is_none_is_left_out_and_told_once(value):
    """NaN, infinite, absent, a text, several numbers, out of bounds: the values around it count as without it."""
    stopper, lines, _ = fed([*RISING[:6], value, value, *RISING[6:]], best=0.95)
    assert stopper.values == RISING and stopper.missing == 2 and stopper.steps[-2:] == [9, 10]
    (told,) = (line for line in lines if "ignored" in line)
    assert told.startswith("curvecast: step 7 has ") and told.isprintable()


@pytest.mark.parametrize(("how", "value"), [({}, 93.0), ({"metric": "loss"}, -2.0), ({"bounds": (0, 9)}, 10)])
def test_a_first_value_that_cannot_be_is_an_error(how, value):
    """Percent as accuracy, for one. After NaN or a value that fits it is left out."""
    with pytest.raises(UserError, match=f"the first value is {value:g}, outside 0 to .*: set metric"):
        Stopper(**how).observe(1, value)
    assert fed([math.nan, value], **how)[0].missing == 2


@pytest.mark.parametrize("value", [np.float32(0.5), torch.tensor(0.5), torch.tensor([0.5]), np.array([0.5])])
def test_numbers_of_every_library_are_numbers(value):
    stopper, lines, _ = fed([value])
    assert stopper.values == [0.5] and not lines


@pytest.mark.parametrize("step", [-1, math.nan, None, "three"])
def test_a_step_that_is_none_is_left_out_and_told(step):
    stopper, lines, _ = fed()
    stopper.observe(step, 0.5)
    assert stopper.values == RISING and "not a step" in lines[-1]


def test_a_run_that_is_resumed_replaces_what_came_after():
    """From step 4 on the values count that came last; it is told once, and a step given twice in a row is not told."""
    stopper, lines, _ = fed()
    for step in (4, 5, 3, 3):
        stopper.observe(step, 0.6)
    assert (stopper.steps, stopper.values) == ([1, 2, 3], [0.31, 0.42, 0.6])
    assert [line for line in lines if "resumed" in line] == [
        "curvecast: step 4 comes after step 8: treated as a resumed run, whose new values count"
    ]


def test_its_state_survives_as_json():
    """One that was loaded goes on as if nothing had been; with another metric, which would turn the advice, it is refused."""
    stopper, _, _ = fed(best=0.7, bounds=(-math.inf, 1))
    state = json.loads(json.dumps(stopper.state_dict(), allow_nan=False))
    again = Stopper(50, bounds=(-math.inf, 1), tell=lambda _: None)
    again.load_state_dict(state)
    for one in (stopper, again):
        one.observe(9, 0.6)
    assert again.check() == stopper.check() and again.best == 0.7
    with pytest.raises(UserError, match="lower is better: use the same metric, or start again"):
        Stopper().load_state_dict(Stopper(metric="loss").state_dict())


def test_a_metric_that_runs_the_other_way_is_told_once():
    _, lines, _ = fed([0.9, 0.7, 0.6, 0.55, 0.5, 0.48, 0.45])
    (told,) = (line for line in lines if "minimise" in line)
    assert "gets worse and worse: if lower is better, set minimise" in told


@pytest.mark.parametrize(("how", "sentence"), [
    ({"delta": 1.0}, "delta is 1.0"), ({"delta": "x"}, "give a number"), ({"least": 0}, "least is 0"),
    ({"every": 1.5}, "every is 1.5"), ({"every": True}, "every is"), ({"every": "3"}, "every is"),
    ({"metric": "f1"}, "metric 'f1' is unknown"), ({"best": math.nan}, "no finite number"),
    ({"horizon": math.inf}, "the horizon is inf"), ({"bounds": (1, 0)}, "the first must be below the second"),
    ({"finished": [[0.1, 0.2]], "finished_steps": [[1, 2, 3]]}, "finished run 1 has 2 values but 3 steps"),
])  # fmt: skip
def test_what_cannot_be_meant_is_refused_before_the_training(how, sentence):
    with pytest.raises(UserError, match=sentence):
        Stopper(**how)


def test_what_surrounds_a_training_changes_nothing():
    """Mixed precision, another default type or device, random numbers: neither touches the other."""
    plain = fed(best=0.7)[0].check()
    before = torch.random.get_rng_state(), np.random.get_state()[1].tolist()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.autocast("cpu", torch.bfloat16), torch.device("meta"), torch.no_grad():
            assert fed(best=0.7)[0].check() == plain
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(torch.random.get_rng_state(), before[0])
    assert np.random.get_state()[1].tolist() == before[1]


def test_finished_runs_calibrate_its_bands():
    """As `forecast` does with the same runs; those of another length are told, and do no harm."""
    ended = [[0.9 - 0.6 * 0.9**t - 0.01 * k for t in range(1, 51)] for k in range(6)]
    calibrated = fed(finished=ended)[0].forecast()
    assert calibrated.finished == 6
    assert calibrated.median.tolist() == run(finished=ended).median.tolist() != run().median.tolist()
    _, lines, answers = fed(finished=[[0.1, 0.2, 0.3]], act=True)
    assert not any(answers) and len(lines) == 1 and "finished run 1 ends at step 3" in lines[0]


def test_a_run_is_checked_once_when_it_becomes_hopeless_and_anew_after_hope(monkeypatch):
    """While it stays hopeless the answer stays, in the line too."""
    asked = []
    oddness = "curvecast.forecasting.forecast.belief.oddness"
    monkeypatch.setattr(oddness, lambda *_: asked.append(1) or [1e-300])
    stopper, lines, _ = fed(best=0.95)
    unlike = "unlike the curves that the model was trained on: could stop now"
    assert len(asked) == 1 and [line.endswith(unlike) for line in lines] == [False, True, True, True]
    stopper.best = 0.5
    stopper.observe(9, 0.6)
    assert not stopper.should_stop() and not stopper.check().hopeless and "unlike" not in lines[-1]
    stopper.best = 0.95
    stopper.observe(10, 0.6)
    assert stopper.check().odd and len(asked) == 2


def test_a_planned_rate_is_given_to_each_forecast_and_a_wrong_one_is_an_error_at_once():
    plan, values = [(1, 0.1), (81, 0.01)], [0.5 - 0.3 / e for e in range(1, 9)]
    stopper = Stopper(horizon=100, schedule=plan)
    for epoch, value in enumerate(values, 1):
        stopper.observe(epoch, value)
    found = curvecast.forecast(values, horizon=100, schedule=plan)
    assert np.array_equal(stopper.forecast().median, found.median)
    with pytest.raises(UserError, match="give one of constant"):
        Stopper(schedule="later")
