"""Curves per second of both programs, timed in turns on the same cores."""

import time
from collections.abc import Callable
from functools import partial

import pandas as pd
import torch

from curvecast.curves.prior import PriorConfig, sample
from curvecast.training.batches import CHUNK
from curvecast.training.steps import Training
from curvecast.training.train import TrainConfig
from reproduce.protocols import timing
from reproduce.rival.partner import Rival

# (heads, dropout) of the reference: four as the paper prints, one as its code takes at width 128
THEIRS = {
    "4 heads, dropout 0.2": (4, 0.2),
    "1 head, dropout 0.2": (1, 0.2),
    "4 heads, no dropout": (4, 0.0),
    "1 head, no dropout": (1, 0.0),
}
CHUNKS, RECIPE = f"batch {CHUNK}", "our recipe"
ONE_THREAD = f"{CHUNKS}, one thread"  # as in a step of training
BATCH = 100  # of the reference

Turn = Callable[[], dict[str, float]]


def throughput(
    model: TrainConfig, rounds: int, threads: int, prior_curves: int, steps: int, our_curves: int
) -> pd.DataFrame:
    """A row for each program, setting and round. Both programs have warmed up when they are timed.

    prior_curves: of the reference, a turn; ours draws 50 times as many, for a similar time
    steps: of the reference, a turn; our_curves: trained on a turn, whole chunks pay for sampling in full
    """
    rows = []
    with timing.threads(threads), Rival(threads) as rival:
        turns = prior_turns(rival, prior_curves) | training_turns(rival, model, steps, our_curves)
        for number in range(1, rounds + 1):
            for (what, program, setting), turn in turns.items():
                done = turn()
                row = {"what": what, "program": program, "setting": setting, "round": number} | done
                rows.append(row | {"value": done["curves"] / done["seconds"], "unit": "curves/s"})
            print(f"speed: round {number} of {rounds}", flush=True)
    return pd.DataFrame(rows)


def prior_turns(rival: Rival, n: int) -> dict[tuple[str, str, str], Turn]:
    turns: dict[tuple[str, str, str], Turn] = {}
    for batch in (100, 1000):
        turns["prior", "reference", f"batch {batch}"] = partial(
            rival.ask, "prior", curves=n, batch=min(batch, n)
        )
        turns["prior", "ours", f"batch {batch}"] = partial(draw_curves, 50 * n, batch)
    turns["prior", "ours", CHUNKS] = partial(draw_curves, 50 * n, CHUNK)
    turns["prior", "ours", ONE_THREAD] = partial(draw_curves, 50 * n, CHUNK, threads=1)
    return turns


def training_turns(
    rival: Rival, model: TrainConfig, steps: int, our_curves: int
) -> dict[tuple[str, str, str], Turn]:
    turns: dict[tuple[str, str, str], Turn] = {}
    shape = {"width": model.model.width, "layers": model.model.layers, "batch": BATCH, "steps": steps}
    for setting, (heads, dropout) in THEIRS.items():
        turns["training", "reference", setting] = partial(
            rival.ask, "train", heads=heads, dropout=dropout, **shape
        )
    paper = TrainConfig.paper(model.model.width, model.model.layers, model.curves)
    turns["training", "ours", RECIPE] = partial(OurTraining(model, warm_up=our_curves // 4).run, our_curves)
    turns["training", "ours", "published recipe"] = partial(
        OurTraining(paper, warm_up=BATCH).run, max(BATCH, our_curves // 4)
    )
    return turns


def draw_curves(curves: int, batch: int, threads: int | None = None) -> dict[str, float]:
    generator, count = torch.Generator().manual_seed(0), max(1, curves // batch)

    def draw() -> None:
        for _ in range(count):
            sample(PriorConfig(), batch, generator)

    with timing.threads(threads or torch.get_num_threads()):
        return {"curves": count * batch, "seconds": timing.seconds(draw)}


class OurTraining:
    """Our training, which stops after each turn and goes on in the next."""

    def __init__(self, config: TrainConfig, warm_up: int):
        self.training, self.done = Training(config, config.network()), 0
        self.run(warm_up)

    def run(self, curves: int) -> dict[str, float]:
        batch = self.training.config.batch
        steps = max(1, curves // batch)
        start = time.perf_counter()
        with self.training:
            for step in range(self.done, self.done + steps):
                self.training.step(step)
        self.done += steps
        return {"curves": steps * batch, "seconds": time.perf_counter() - start}
