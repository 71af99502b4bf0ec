"""Ten trials of a made-up training: those that cannot win end early."""

import optuna
import optunahub

EPOCHS = 50


def objective(trial: optuna.Trial) -> float:
    level = trial.suggest_float("level", 0.2, 0.9)
    for epoch in range(1, EPOCHS + 1):
        accuracy = level * (1 - 0.8 / epoch)  # in place of an epoch of training
        trial.report(accuracy, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return accuracy


if __name__ == "__main__":
    module = optunahub.load_module("pruners/curvecast")
    study = optuna.create_study(direction="maximize", pruner=module.CurvecastPruner(EPOCHS, act=True))
    study.optimize(objective, n_trials=10)
    epochs = sum(len(trial.intermediate_values) for trial in study.trials)
    print(f"best {study.best_value:.3f} after {epochs} of {10 * EPOCHS} epochs")
