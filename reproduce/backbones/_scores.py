"""How a row is scored: nats per point on fresh curves, and below the exact posterior where that is known."""

from collections.abc import Callable
from functools import partial
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
from reproduce.backbones._trainings import CUTOFFS, SETTINGS, likelihoods

CLOSED_FORMS: dict[str, Callable[[Tensor, Tensor, Tensor], Any]] = {  # without training
    "last value": partial(baselines.forecast, "last value"),
    "kernel ridge regression": partial(ridge_regression, CurveKernel()),
    "Gaussian process": partial(gaussian_process, CurveKernel()),
}


def scores(of: Callable[[Tensor], dict[int, Tensor]], judged: pd.DataFrame, scored: int) -> pd.DataFrame:
    """By cutoff: nats per point on fresh curves, and below the exact posterior on the curves where that is known.

    `of` gives those of curves (n, T), by cutoff (n,).
    """
    fresh = of(prior.second_test_set(scored).noisy)
    known = of(prior.test_set(min(scored, 1 + int(judged["curve"].max()))).noisy)
    lines = []
    for cutoff in CUTOFFS:
        exact = where(judged, cutoff=cutoff).set_index("curve")["ll"]
        both = [i for i in exact.index if i < len(known[cutoff])]
        lost = exact[both].to_numpy() - known[cutoff][both].double().numpy()
        lines.append((cutoff, round(float(fresh[cutoff].mean()), 4), round(float(lost.mean()), 4)))
    return pd.DataFrame(lines, columns=["cutoff", "ll", "lost"])


def closed_form(name: str, y: Tensor) -> dict[int, Tensor]:
    x, forecast = torch.arange(1.0, y.shape[1] + 1), CLOSED_FORMS[name]
    return {c: forecast(x[:c], y[:, :c], x[c:]).log_density(y[:, c:].double()).mean(1) for c in CUTOFFS}


def at_budget(budget: str, config: Any, name: str, seed: int, how: str, judged: pd.DataFrame) -> pd.DataFrame:
    """A row after one training: on as many curves as all others, or on as many as its speed allows at equal time.

    `config` has parameters, curves, core_seconds and the number of curves to be scored on. No number: the loss became NaN.
    """
    curves = config.curves if budget == "parameters" else affordable(config.core_seconds, name)
    model = _rows.reader(name, config.parameters)
    done, nan = _trainings.train(_trainings.training(model, SETTINGS[how], curves, seed)), float("nan")
    frame = pd.DataFrame({"cutoff": CUTOFFS, "ll": nan, "lost": nan})
    if done:
        frame = scores(partial(likelihoods, done.forecaster), judged, config.scored)
    frame["seconds"] = round(done.seconds, 1) if done else nan
    about = {"backbone": name, "budget": budget, "seed": seed, "setting": how}
    return frame.assign(**about, width=model.width, curves=curves)


def affordable(core_seconds: float, name: str) -> int:
    """Training curves of a row at equal time, in whole batches, by the seconds that a step took when budgets were set."""
    steps = pd.read_csv(Path(printed.__file__).with_name("budgets.csv")).set_index("backbone")["step"]
    return 64 * max(1, round(core_seconds / steps[name]))
