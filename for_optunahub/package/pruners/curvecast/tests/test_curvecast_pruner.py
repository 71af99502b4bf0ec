"""In the registry: the module loads, and its pruner prunes what cannot win."""

from pathlib import Path

import optuna
import optunahub

REGISTRY = Path(__file__).resolve().parents[4]


def test_hopeless_trials_are_pruned() -> None:
    module = optunahub.load_local_module("pruners/curvecast", registry_root=str(REGISTRY / "package"))
    pruner = module.CurvecastPruner(horizon=20, act=True, tell=lambda _: None)
    study = optuna.create_study(direction="maximize", pruner=pruner)
    levels = iter([0.9, 0.2])

    def objective(trial: optuna.Trial) -> float:
        level = next(levels)
        for step in range(1, 21):
            trial.report(level * (1 - 0.8 / step), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return level

    study.optimize(objective, n_trials=2)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE", "PRUNED"]
