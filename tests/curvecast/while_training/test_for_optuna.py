"""Guards curvecast/while_training/for_optuna.py, with Optuna itself."""

import logging
import pickle

import pytest

from curvecast.while_training.stopper import Stopper

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
    """A low trial ends early, one that is about to be the best does not."""
    study, lines = search(act=True)
    assert states(study) == ["COMPLETE", "PRUNED", "COMPLETE", "PRUNED"]
    assert max(reports(study)[1], reports(study)[3]) < LENGTH / 2
    assert any(line.startswith("curvecast: trial 1, step 5: will end at 0.") for line in lines)


def test_by_default_nothing_is_pruned_and_lines_say_what_could_be():
    study, lines = search()
    assert states(study) == ["COMPLETE"] * 4
    assert any(
        line.startswith("curvecast: trial 1, ") and line.endswith(": could stop now") for line in lines
    )


@pytest.mark.parametrize("act", [True, False])
def test_by_default_optunas_log_gets_one_line_a_hopeless_trial(act):
    """Whether it is pruned or goes on; lines of every check are for those who ask."""
    logged: list[str] = []
    listener = logging.Handler()
    listener.emit = lambda record: logged.append(record.getMessage())
    log = logging.getLogger("optuna.curvecast")
    log.addHandler(listener)
    log.setLevel(logging.INFO)
    search(act=act, tell=None)
    log.removeHandler(listener)
    log.setLevel(logging.NOTSET)
    ends = ": stopped" if act else ": could stop now"
    assert [line.split(",")[0] for line in logged] == ["curvecast: trial 1", "curvecast: trial 3"]
    assert all(line.endswith(ends) for line in logged)


def test_a_study_that_minimises_prunes_the_same_trials():
    """The direction is the study's."""
    study, _ = search("minimize", change=lambda y: 1 - y, metric="error", act=True)
    assert states(study) == ["COMPLETE", "PRUNED", "COMPLETE", "PRUNED"]


def test_a_metric_against_the_studys_direction_is_told_once_and_prunes_nothing():
    study, lines = search("minimize", change=lambda y: 1 - y, act=True)
    assert states(study) == ["COMPLETE"] * 4
    assert lines == ["curvecast: the study minimises but the pruner's metric is accuracy: set metric, "
                     "or bounds (the training goes on)"]  # fmt: skip


def test_pruned_and_failed_trials_are_no_rivals():
    """The best known is that of complete trials alone."""
    study = optuna.create_study(direction="maximize")
    for state in (optuna.trial.TrialState.PRUNED, optuna.trial.TrialState.FAIL):
        study.add_trial(optuna.trial.create_trial(state=state, intermediate_values={1: 0.99}))
    study.add_trial(
        optuna.trial.create_trial(
            state=optuna.trial.TrialState.COMPLETE, value=0.4, intermediate_values={1: float("nan"), 2: 0.4}
        )
    )
    pruner = CurvecastPruner(LENGTH)
    pruner._read_complete(study, minimise=False)
    assert pruner._best(study.study_name, minimise=False) == 0.4


def test_a_trial_that_reports_nan_goes_on():
    """It is told; whether a trial that diverged ends is for the user to say."""
    study, lines = search(change=lambda y: float("nan"), act=True)
    assert states(study) == ["FAIL"] * 4, "Optuna fails a trial whose last value is NaN"
    assert reports(study) == [LENGTH] * 4 and sum("not a finite number" in line for line in lines) == 1


def test_a_trial_that_is_asked_again_gets_the_same_answer(tmp_path):
    """Another process, which shares nothing but the storage, decides as the first did."""
    study, _ = search(act=True)
    trial = study.trials[1]
    assert CurvecastPruner(LENGTH, act=True, tell=lambda _: None).prune(study, trial)


def test_several_objectives_have_no_pruner():
    """Optuna says so itself where a value is reported; asked all the same, the pruner tells, and prunes nothing."""
    lines = []
    study = optuna.create_study(directions=["maximize", "minimize"])
    trial = optuna.trial.create_trial(values=[0.5, 0.5], intermediate_values={1: 0.5})
    assert CurvecastPruner(LENGTH, act=True, tell=lines.append).prune(study, trial) is False
    assert len(lines) == 1


def calibrating(monkeypatch) -> list[list[float]]:
    """Of each look the first values of the runs that its bands are calibrated on."""
    seen = []
    real = Stopper.forecast
    monkeypatch.setattr(
        Stopper, "forecast",
        lambda self: seen.append([round(float(run.seen.values[0]), 3) for run in self.finished.runs]) or real(self),
    )  # fmt: skip
    return seen


def test_complete_trials_that_came_to_the_horizon_calibrate_the_bands(monkeypatch):
    """Never pruned ones, which were stopped for a reason, nor one that its own training ended early."""
    seen = calibrating(monkeypatch)
    study, _ = search(act=True)
    early = dict.fromkeys(range(1, LENGTH), 0.5)
    study.add_trial(
        optuna.trial.create_trial(
            state=optuna.trial.TrialState.COMPLETE, value=0.5, intermediate_values=early
        )
    )
    assert states(study) == ["COMPLETE", "PRUNED", "COMPLETE", "PRUNED", "COMPLETE"] and seen[-1] == [
        0.18,
        0.184,
    ]
    search(study=study, act=True)
    assert seen[-1] == [0.18, 0.184, 0.184], (
        "the trials of the second search are numbered 5 to 8: low, high, low, high"
    )


def test_calibration_can_be_left_out(monkeypatch):
    seen = calibrating(monkeypatch)
    search(calibrate=False)
    assert seen and not any(seen)


def test_a_pruner_can_be_stored():
    """As a study is, with its pruner."""
    study, _ = search(tell=print)
    assert isinstance(pickle.loads(pickle.dumps(study.pruner)), CurvecastPruner)
