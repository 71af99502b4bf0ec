"""Guards curvecast/while_training/for_optuna.py, with Optuna itself."""

import logging
import pickle

import pytest

from curvecast.while_training.stopper import Stopper
from tests.curvecast.refusals import refuses

optuna = pytest.importorskip("optuna", reason="needs optuna: make adapters installs it")

from curvecast.while_training.for_optuna import CurvecastPruner  # noqa: E402  # needs optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
LENGTH = 20
LEVELS = [0.9, 0.3, 0.92, 0.2]  # of the trials, one after the other: the second and the last cannot win


def curve(level: float) -> list[float]:
    return [level * (1 - 0.8 * step**-1.0) for step in range(1, LENGTH + 1)]


def search(direction="maximize", study=None, change=lambda y: y, **how) -> tuple["optuna.Study", list[str]]:
    lines: list[str] = []
    pruner = CurvecastPruner(**{"horizon": LENGTH, "tell": lines.append} | how)
    study = study or optuna.create_study(direction=direction)
    study.pruner = pruner

    def objective(trial):
        for step, value in enumerate(map(change, curve(LEVELS[trial.number % 4])), 1):
            trial.report(value, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study.optimize(objective, n_trials=4)
    return study, lines


def states(study) -> list[str]:
    return [trial.state.name for trial in study.trials]


def reports(study) -> list[int]:
    return [len(trial.intermediate_values) for trial in study.trials]


def test_with_act_hopeless_trials_are_pruned_and_others_are_not():
    study, _ = search("minimize", change=lambda y: 1 - y, metric="error", act=True)
    assert states(study) == ["COMPLETE", "PRUNED", "COMPLETE", "PRUNED"]
    study, lines = search(act=True)
    assert states(study) == ["COMPLETE", "PRUNED", "COMPLETE", "PRUNED"]
    planned, others = search(act=True, schedule="constant")
    assert states(planned) == states(study) and others != lines  # another network is asked
    assert max(reports(study)[1], reports(study)[3]) < LENGTH / 2
    assert any(line.startswith("curvecast: trial 1, step 5: will end at 0.") for line in lines)


@pytest.mark.parametrize("act", [True, False])
def test_by_default_nothing_is_pruned_and_optunas_log_gets_one_line_a_hopeless_trial(act):
    logged: list[str] = []
    listener = logging.Handler()
    listener.emit = lambda record: logged.append(record.getMessage())
    log = logging.getLogger("optuna.curvecast")
    log.addHandler(listener)
    log.setLevel(logging.INFO)
    study, _ = search(tell=None, **({"act": True} if act else {}))
    assert states(study) == ["COMPLETE", "PRUNED" if act else "COMPLETE"] * 2
    log.removeHandler(listener)
    log.setLevel(logging.NOTSET)
    ends = ": stopped" if act else ": could stop now"
    assert [line.split(",")[0] for line in logged] == ["curvecast: trial 1", "curvecast: trial 3"]
    assert all(line.endswith(ends) for line in logged)


def test_a_wrong_setting_is_an_error_at_the_first_call():
    """As with Optuna's own pruners; a search in which it were only told would prune nothing."""
    refuses("the study minimises but the pruner's metric is accuracy", search, "minimize")
    refuses("trial 0, the first value is 18, outside 0 to 1", search, change=lambda y: 100 * y)


def trial(state: str, best: float) -> "optuna.trial.FrozenTrial":
    """Whose best value is the first."""
    return optuna.trial.create_trial(
        state=optuna.trial.TrialState[state], value=best if state == "COMPLETE" else None,
        intermediate_values={1: best, 2: float("nan")} | dict.fromkeys(range(3, 9), best / 2),
    )  # fmt: skip


@pytest.mark.parametrize(("others", "how", "pruned"), [
    ({"COMPLETE": 0.7}, {}, False), ({"COMPLETE": 0.9}, {}, True), ({"COMPLETE": 0.8}, {}, False),
    ({"COMPLETE": 0.7, "RUNNING": 0.9}, {}, True), ({"COMPLETE": 0.7, "PRUNED": 0.9}, {}, True),
    ({"COMPLETE": 0.7, "FAIL": 0.9}, {}, False), ({"PRUNED": 0.9, "RUNNING": 0.9}, {}, False),
    ({"COMPLETE": 0.9}, {"n_startup_trials": 2}, False), ({"COMPLETE": 0.9}, {"n_warmup_steps": 9}, False),
    ({"COMPLETE": 0.9}, {"interval_steps": 3}, False),
])  # fmt: skip
def test_a_trial_leads_that_is_as_good_as_all_others_that_have_not_failed(others, how, pruned):
    study = optuna.create_study(direction="maximize")
    for state, best in others.items():
        study.add_trial(trial(state, best))
    pruner = CurvecastPruner(LENGTH, act=True, tell=lambda _: None, **how)
    assert pruner.prune(study, trial("RUNNING", 0.8)) is pruned


def test_studies_of_one_name_in_two_storages_are_two():
    pruner = CurvecastPruner(LENGTH, act=True, tell=lambda _: None)
    for best, pruned in ((0.9, True), (0.7, False)):
        storage = optuna.storages.InMemoryStorage()
        study = optuna.create_study(direction="maximize", study_name="one", storage=storage)
        study.add_trial(trial("COMPLETE", best))
        assert pruner.prune(study, trial("RUNNING", 0.8)) is pruned


def test_a_trial_that_reports_nan_goes_on():
    """It is told; whether a trial that diverged ends is for the user to say."""
    study, lines = search(change=lambda y: float("nan"), act=True)
    assert states(study) == ["FAIL"] * 4, "Optuna fails a trial whose last value is NaN"
    assert reports(study) == [LENGTH] * 4 and sum("not a finite number" in line for line in lines) == 1


def test_complete_trials_that_came_to_the_horizon_calibrate_the_bands(monkeypatch):
    # of each look the first values of the runs that its bands are calibrated on
    seen, real = [], Stopper.forecast

    def firsts(one):
        return [round(float(run.seen.values[0]), 3) for run in one.finished.runs]

    monkeypatch.setattr(Stopper, "forecast", lambda one: seen.append(firsts(one)) or real(one))
    search(calibrate=False)
    assert seen and not any(seen)
    study, _ = search(act=True)
    early = dict.fromkeys(range(1, LENGTH), 0.5)
    complete = optuna.trial.TrialState.COMPLETE
    study.add_trial(optuna.trial.create_trial(state=complete, value=0.5, intermediate_values=early))
    assert states(study) == ["COMPLETE", "PRUNED", "COMPLETE", "PRUNED", "COMPLETE"]
    assert seen[-1] == [0.18, 0.184]
    search(study=study, act=True)  # its trials are numbered 5 to 8: low, high, low, high
    assert seen[-1] == [0.18, 0.184, 0.184]


def test_a_pruner_can_be_stored_and_a_trial_that_is_asked_again_gets_the_same_answer():
    study, _ = search(act=True, tell=print)
    again = pickle.loads(pickle.dumps(study.pruner))
    assert isinstance(again, CurvecastPruner) and again.prune(study, study.trials[1])
