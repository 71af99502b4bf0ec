"""Likelihood after equal CPU time: both programs train at once, one thread each, and meet the same curves."""

import statistics
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.curves.prior import test_set
from curvecast.scores.evaluate import likelihood
from curvecast.scores.metrics import paired
from curvecast.training.batches import CHUNK
from curvecast.training.train import Forecaster, TrainConfig, train
from reproduce.protocols.timing import threads
from reproduce.reproduction.speed.throughput import OurTraining
from reproduce.rival.partner import Rival

SHARE = 0.9  # of the reference's CPU time that ours plans to take: an estimate must not end above it


@dataclass(frozen=True)
class Recipe:
    """How the reference package trains: arguments of its entry point, and what is laid over its settings."""

    epochs: int  # of 100 steps
    batch: int
    lr: float
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def curves(self) -> int:
        return self.epochs * self.batch * int(self.changes.get("steps_per_epoch", 100))


RECIPES = {
    "likelihood": Recipe(epochs=10, batch=100, lr=1e-4),  # as published: 100,000 curves
    "likelihood_tuned": Recipe(epochs=72, batch=25, lr=1e-3, changes={"dropout": 0.0}),  # the best we found
    "likelihood_smoke": Recipe(epochs=1, batch=20, lr=1e-4, changes={"steps_per_epoch": 2}),
}


def equal_time(part: str, model: TrainConfig, test_curves: int, cutoffs: tuple[int, ...]) -> pd.DataFrame:
    """A row for each program and cutoff, and one for their difference."""
    with threads(), Rival(threads=1) as rival, tempfile.TemporaryDirectory() as folder:
        mine = replace(model, curves=affordable(RECIPES[part], rival, model))
        return side_by_side(part, mine, test_set(test_curves).noisy, cutoffs, rival, Path(folder))


def affordable(recipe: Recipe, rival: Rival, model: TrainConfig) -> int:
    """The curves that ours can train on while the reference trains on its own, a little less (SHARE)."""
    little = "steps_per_epoch" in recipe.changes
    request = {
        "width": model.model.width,
        "layers": model.model.layers,
        "heads": max(1, model.model.width // 128),  # as its code has it
        "dropout": recipe.changes.get("dropout", 0.2),
        "batch": recipe.batch,
        "steps": 1 if little else 1000 // recipe.batch,
    }
    ours = OurTraining(model, warm_up=320)
    ratios = []
    for _ in range(1 if little else 3):
        a, b = ours.run(320 if little else CHUNK), rival.ask("train", **request)
        ratios.append((a["curves"] / a["seconds"]) / (b["curves"] / b["seconds"]))
    steps = SHARE * recipe.curves * statistics.median(ratios) / model.batch
    return max(1, int(steps)) * model.batch


def side_by_side(
    part: str, mine: TrainConfig, noisy: Tensor, cutoffs: tuple[int, ...], rival: Rival, folder: Path
) -> pd.DataFrame:
    recipe = RECIPES[part]
    np.savez(folder / "curves.npz", noisy=noisy.numpy())
    rival.begin(
        "recipe", curves=str(folder / "curves.npz"), answer=str(folder / "answer.npz"), cutoffs=list(cutoffs),
        seed=0, changes=recipe.changes, emsize=mine.model.width, nlayers=mine.model.layers,
        epochs=recipe.epochs, batch_size=recipe.batch, lr=recipe.lr,
    )  # fmt: skip
    wall, cpu = time.perf_counter(), time.process_time()
    net, history = train(mine, folder / "checkpoint")
    spent = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    forecaster = Forecaster(mine, net.eval(), history)
    ours = torch.stack([likelihood(forecaster, noisy, cutoff) for cutoff in cutoffs], 1)  # (n, cutoffs)
    budget = {
        "ours": {"curves": mine.curves} | spent,
        "reference": {"curves": recipe.curves} | rival.answer(),
    }
    with np.load(folder / "answer.npz") as file:
        theirs = torch.from_numpy(file["log_likelihood"]).double()
    return compared(part, cutoffs, ours, theirs, budget)


def compared(
    part: str, cutoffs: tuple[int, ...], ours: Tensor, theirs: Tensor, budget: dict[str, dict[str, float]]
) -> pd.DataFrame:
    """Mean and standard error over curves; the difference is paired, on the same curves."""
    rows = []
    zero = torch.zeros(len(ours))
    for cutoff, a, b in zip(cutoffs, ours.T, theirs.T, strict=True):
        estimates = {"ours": paired(a, zero), "reference": paired(b, zero), "difference": paired(a, b)}
        for program, estimate in estimates.items():
            row = {"what": part, "program": program, "cutoff": cutoff, "unit": "nats"}
            rows.append(row | {"value": estimate.value, "se": estimate.se} | budget.get(program, {}))
    return pd.DataFrame(rows)
