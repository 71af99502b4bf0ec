"""Freeze-thaw as Syne Tune 0.14.2 has it (Apache-2.0; 0.15 left it out): forecasts of the ends of runs that compete.

A Gaussian process of the ends, plus one of exponential decays around each, whose sizes are fitted to the runs of a pool
together. Settings are not given: no run is near another, so that they share sizes, mean and shape alone. It asks for numpy
below 1.27, so this file is also the program that runs in .thaw, an environment of its own: a pool a line.
"""

import importlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PYTHON = Path(".thaw", "bin", "python")  # from the root
WAY = "python3.11 -m venv .thaw && .thaw/bin/pip install 'syne-tune[gpsearchers]==0.14.2'"
ROOM = "syne_tune.optimizer.schedulers.searchers.bayesopt.gpautograd"
FAR = 1e6  # between any two runs: at whatever length scale is fitted, they are independent
SAMPLES = 500  # of each end, from the same random numbers for all runs


def installed(root: Path) -> bool:
    """If it is not, a sentence says what to do."""
    there = (root / PYTHON).exists()
    if not there:
        print(f"Syne Tune’s freeze-thaw is not installed and is left out: {WAY}, then ask again.")
    return there


def ends(pools: Sequence[tuple[np.ndarray, int]], root: Path) -> list[list[float]]:
    """Of pools, each with the values observed so far (runs, epochs) and the epochs of a whole run: the mean ends."""
    if not pools:
        return []
    text = "".join(json.dumps([y.tolist(), whole]) + "\n" for y, whole in pools)
    command = [str(root / PYTHON), "-m", "reproduce.rival.freeze_thaw"]
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, cwd=root, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def of_pool(y: np.ndarray, whole: int) -> list[float]:
    """As in its searcher lower is better, values have mean 0 and variance 1, and sizes begin at its defaults."""
    names = ("learncurve.freeze_thaw", "learncurve.gpiss_model", "kernel")
    decay, joint, kernel = (importlib.import_module(f"{ROOM}.{name}") for name in names)
    n, mean, sd = len(y), y.mean(), max(y.std(), 1e-9)
    z, places = (mean - y) / sd, FAR * np.eye(n)

    def data(*runs: int) -> dict[str, Any]:
        each = {"configs": [{"run": i} for i in runs], "targets": [z[i][:, None] for i in runs]}
        return each | {"features": places[[*runs]], "r_min": 1, "r_max": whole, "do_fantasizing": False}

    ends = kernel.Matern52(n, has_covariance_scale=True)
    decays = decay.ExponentialDecayBaseKernelFunction(r_max=whole)
    model = joint.GaussianProcessLearningCurveModel(ends, decays, random_seed=0)
    model.fit(data(*range(n)))
    found = []
    for i in range(n):  # given all others, and then its own values
        others = model.likelihood.get_posterior_state(data(*range(i), *range(i + 1, n)))
        (one,) = others.sample_curves(data(i), SAMPLES, np.random.RandomState(0))
        found.append(round(float(mean - sd * one["y"][-1].mean()), 5))
    return found


if __name__ == "__main__":
    for line in sys.stdin:
        observed, whole = json.loads(line)
        print(json.dumps(of_pool(np.array(observed), whole)), flush=True)
