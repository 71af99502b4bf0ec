"""How a row is scored: nats per point on fresh curves, and below the exact posterior where that is known."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.scores import baselines
from curvecast.scores.kernel_regression import CurveKernel, gaussian_process, ridge_regression
from presswork.estimates import where
from reproduce import printed
from reproduce.backbones import _rows, _trainings
from reproduce.backbones._trainings import CUTOFFS, SETTINGS, Trained, likelihoods

CLOSED_FORMS: dict[str, Callable[[Tensor, Tensor, Tensor], Any]] = {  # without training
    "last value": partial(baselines.forecast, "last value"),
    "kernel ridge regression": partial(ridge_regression, CurveKernel()),
    "Gaussian process": partial(gaussian_process, CurveKernel()),
}
Likelihoods = Callable[[Tensor], dict[int, Tensor]]  # of curves (n, T), by cutoff (n,)


def scores(of: Likelihoods | None, judged: pd.DataFrame, scored: int) -> pd.DataFrame:
    """By cutoff: nats per point on fresh curves, and below the exact posterior on the curves where that is known."""
    fresh = prior.second_test_set(scored).noisy
    known = prior.test_set(min(scored, 1 + int(judged["curve"].max()))).noisy
    ours = {name: of(y) if of else {} for name, y in (("fresh", fresh), ("known", known))}
    lines = []
    for cutoff in CUTOFFS:
        exact = where(judged, cutoff=cutoff).set_index("curve")["ll"]
        line = {"cutoff": cutoff, "ll": float("nan"), "lost": float("nan")}
        if of:
            both = [i for i in exact.index if i < len(known)]
            lost = exact[both].to_numpy() - ours["known"][cutoff][both].double().numpy()
            ll = ours["fresh"][cutoff]
            line |= {"ll": round(float(ll.mean()), 4), "lost": round(float(lost.mean()), 4)}
        lines.append(line)
    return pd.DataFrame(lines)


def of_training(done: Trained | None, judged: pd.DataFrame, scored: int) -> pd.DataFrame:
    """With the seconds it took; without numbers where the loss became NaN."""
    frame = scores(partial(likelihoods, done.forecaster) if done else None, judged, scored)
    return frame.assign(seconds=round(done.seconds, 1) if done else float("nan"))


def closed_form(name: str) -> Likelihoods:
    forecast = CLOSED_FORMS[name]

    def of(y: Tensor) -> dict[int, Tensor]:
        x = torch.arange(1.0, y.shape[1] + 1)
        return {c: forecast(x[:c], y[:, :c], x[c:]).log_density(y[:, c:].double()).mean(1) for c in CUTOFFS}

    return of


def at_budget(budget: str, config: Any, name: str, seed: int, how: str, judged: pd.DataFrame) -> pd.DataFrame:
    """A row after one training: on as many curves as all others, or on as many as its speed allows at equal time.

    `config` has parameters, curves, core_seconds and the number of curves to be scored on.
    """
    curves = config.curves if budget == "parameters" else affordable(config.core_seconds, name)
    model = _rows.reader(name, config.parameters)
    done = _trainings.train(_trainings.training(model, SETTINGS[how], curves, seed))
    about = {"backbone": name, "budget": budget, "seed": seed, "setting": how}
    return of_training(done, judged, config.scored).assign(**about, width=model.width, curves=curves)


def affordable(core_seconds: float, name: str) -> int:
    """Training curves of a row at equal time, in whole batches, by the seconds that a step took when budgets were set."""
    return 64 * max(1, round(core_seconds / seconds_of_a_step()[name]))


@cache
def seconds_of_a_step() -> dict[str, float]:
    budgets = pd.read_csv(Path(printed.__file__).with_name("budgets.csv"))
    return dict(zip(budgets["backbone"], budgets["step"], strict=True))
