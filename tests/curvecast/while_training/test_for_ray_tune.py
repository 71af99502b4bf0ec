"""Guards curvecast/while_training/for_ray_tune.py, with Ray Tune itself."""

import json

import pytest

from curvecast.while_training.stopper import Stopper
from curvecast.while_training.watched import Kept
from tests.curvecast.refusals import refuses

tune = pytest.importorskip("ray.tune", reason="needs ray[tune]: make adapters installs it")

from curvecast.while_training.for_ray_tune import CurvecastTrialStopper  # noqa: E402  # needs ray

LENGTH = 12
LEVELS = {"high": 0.9, "low": 0.3}


def searched(stopper, **more) -> dict[str, int]:
    """Trials side by side; how many results each has given."""
    given = dict.fromkeys(LEVELS, 0)
    for step in range(1, LENGTH + 1):
        for trial, level in LEVELS.items():
            if given[trial] == step - 1:
                result = {"training_iteration": step, "acc": level * (1 - 0.8 / step)} | more
                given[trial] += 1
                if stopper(trial, result):
                    given[trial] += 100  # it is over
    return {trial: n % 100 for trial, n in given.items()}


def made(monitor="acc", **how):
    lines = []
    return CurvecastTrialStopper(monitor, LENGTH, tell=lines.append, **how), lines


@pytest.fixture
def looks(monkeypatch):
    """Of each forecast the trial, the best of the others, how many values it has, and the finished runs that it had."""
    seen, real = [], Stopper.forecast
    told = lambda one: (one.name, one.best, len(one.values), len(one.finished))  # noqa: E731  # one line is enough
    monkeypatch.setattr(Stopper, "forecast", lambda one: seen.append(told(one)) or real(one))
    return seen


def test_a_search_that_is_restored_knows_what_was_and_is_calibrated_on_what_has_finished(tmp_path, looks):
    keep = tmp_path / "search.json"
    searched(made(keep=keep)[0])
    assert keep.read_text().count("\n") == 2 * LENGTH - 1
    for how, taken in (({"keep": keep}, 2), ({"keep": keep, "calibrate": False}, 0)):
        stopper, _ = made(**how, least=1)
        assert keep.read_text().count("\n") == 0, "what was read is a line from here on"
        stopper("third", {"training_iteration": 1, "acc": 0.1})
        assert looks[-1] == ("trial third", pytest.approx(0.84), 1, taken)
        keep.write_text(
            json.dumps({name: one for name, one in Kept(keep).read().items() if name != "third acc"})
        )


def test_two_stoppers_of_a_search_keep_their_values_in_one_file(tmp_path):
    keep = tmp_path / "search.json"
    both = made(keep=keep)[0], made("loss", keep=keep, metric="loss")[0]
    searched(lambda trial, result: [one(trial, result) for one in both] == [True, True], loss=2.0)
    for monitor, how, best in (
        ("acc", {}, {"high": 0.84, "low": 0.28}),
        ("loss", {"metric": "loss"}, dict.fromkeys(LEVELS, 2)),
    ):
        assert made(monitor, keep=keep, **how)[0]._best == pytest.approx(best)


def test_a_search_that_reports_something_else_is_an_error_and_a_later_trial_goes_on():
    refuses("'f1' is not among", lambda: searched(CurvecastTrialStopper("f1", LENGTH)))
    stopper, lines = made()
    searched(stopper)
    assert stopper("third", {"training_iteration": 1, "f1": 0.5}) is False
    assert "trial third reports no 'acc'" in lines[-1]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Ray itself
def test_a_real_search_ends_a_hopeless_trial(tmp_path):
    """Tune asks it after each report of a trial."""
    import ray

    def train(config):
        for step in range(1, LENGTH + 1):
            tune.report({"acc": config["level"] * (1 - 0.8 / step)})

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        run = tune.RunConfig(stop=made(act=True)[0], storage_path=str(tmp_path), verbose=0)
        levels = {"level": tune.grid_search(list(LEVELS.values()))}
        found = tune.Tuner(train, param_space=levels, run_config=run).fit()
    finally:
        ray.shutdown()
    assert {one.config["level"]: one.metrics["training_iteration"] for one in found} == {0.9: LENGTH, 0.3: 5}
