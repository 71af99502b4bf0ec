"""How fast are sampling, training and forecasts beside the authors’ package?"""

import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig, sample
from curvecast.forecasting import shipped, torch_network
from curvecast.forecasting.api import Unlike, forecast
from curvecast.training.batches import CHUNK
from curvecast.training.steps import Training
from curvecast.training.train import TrainConfig
from curvecast.while_training.stopper import Stopper
from presswork import Above, AtLeast, Claim, Estimates, Interval, Rows, there
from presswork.claim import Needs
from presswork.claim_text import tidy
from presswork.estimates import by_mean, ratios
from presswork.style import colour, faint, ink
from reproduce.protocols import timing
from reproduce.protocols.timing import ROUNDS
from reproduce.rival.partner import Rival
from reproduce.trainings import SMALL

ON_REQUEST = "make bench", ".bench/bin/python"
TABLES = {
    "rows": ("what", "program", "setting", "round", "curves", "seconds", "value", "unit"),
    "calls": ("task", "program", "round", "seconds", "curves"),
}
TIMED = True
STOPWATCHES = ("rows.value", "rows.seconds", "calls.seconds")
CHUNKS, RECIPE, PUBLISHED = f"batch {CHUNK}", "our recipe", "published recipe"
BATCH = 100  # of the reference
HEAD = "1 head, dropout 0.2"  # as its code takes at width 128
SEEN, LEVELS = 10, (0.05, 0.5, 0.95)
ONE, MANY = "three quantiles", "many"
PAPER = TrainConfig.paper(128, 3, 100_000)
STEPS = {  # what makes a step of the paper's grid cheaper on a processor, one after the other
    "torch’s dropout": PAPER,
    "single precision": replace(PAPER, draws="number"),  # dropout from a counter
    "half precision": replace(PAPER, draws="number", precision="bf16"),
}

Turn = Callable[[], dict[str, float]]


@dataclass(frozen=True)
class Config:
    rounds: int = ROUNDS
    threads: int = 2
    model: TrainConfig = SMALL["3x128"]
    prior_curves: int = 2000  # of the reference, a turn; ours draws 50 times as many, for a similar time
    steps: int = 5  # of the reference, a turn
    our_curves: int = 4096  # trained on a turn: whole chunks pay for sampling in full
    one: int = 50  # forecasts of one curve, a turn
    many: int = 1000  # curves in one call
    checks: int = 40  # a turn
    seen: tuple[int, ...] = (10, 100)  # values of a run that is checked while it trains
    horizon: int = 200


SCALES = {
    "smoke": Config(1, 1, prior_curves=100, steps=1, our_curves=320, one=2, many=20, checks=1),
    "laptop": Config(),
    "paper": Config(rounds=15),
}


PARTS = ("throughput", "forecast", "check", "step")  # seven minutes on two cores, the first of them five


def models(config: Config) -> list[TrainConfig]:
    """None: what is timed is trained inside."""
    return []


def measure(config: Config, part: str) -> Rows:
    """A row for each program, task and round. All have warmed up, and take turns on the same cores."""
    if part == "throughput":
        return {"rows": throughput(config)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Unlike)
        return {"calls": {"forecast": forecasts, "check": checks, "step": training_steps}[part](config)}


def throughput(config: Config) -> pd.DataFrame:
    model, n = config.model.model, config.prior_curves
    theirs = {"width": model.width, "layers": model.layers, "heads": 1, "dropout": 0.2}
    rows = []
    with timing.threads(config.threads), Rival(config.threads) as rival:
        paper = TrainConfig.paper(model.width, model.layers, config.model.curves)
        published = OurTraining(paper, warm_up=BATCH)
        ours = OurTraining(config.model, warm_up=config.our_curves // 4)
        turns: dict[tuple[str, str, str], Turn] = {
            ("prior", "reference", "batch 100"): partial(rival.ask, "prior", curves=n, batch=BATCH),
            ("prior", "ours", "batch 100"): partial(draw_curves, 50 * n, BATCH),
            ("prior", "ours", CHUNKS): partial(draw_curves, 50 * n, CHUNK),
            ("training", "reference", HEAD): partial(
                rival.ask, "train", batch=BATCH, steps=config.steps, **theirs
            ),
            ("training", "ours", RECIPE): partial(ours.run, config.our_curves),
            ("training", "ours", PUBLISHED): partial(published.run, max(BATCH, config.our_curves // 4)),
        }
        for number, (what, program, setting) in product(range(1, config.rounds + 1), turns):
            done = turns[what, program, setting]()
            row = {"what": what, "program": program, "setting": setting, "round": number} | done
            rows.append(row | {"value": done["curves"] / done["seconds"], "unit": "curves/s"})
    return pd.DataFrame(rows)


def draw_curves(curves: int, batch: int) -> dict[str, float]:
    generator, count = torch.Generator().manual_seed(0), max(1, curves // batch)
    start = time.perf_counter()
    for _ in range(count):
        sample(PriorConfig(), batch, generator)
    return {"curves": count * batch, "seconds": time.perf_counter() - start}


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


def forecasts(config: Config) -> pd.DataFrame:
    noisy = prior.test_set(config.many).noisy.clamp(0, 1)  # its call refuses other values
    borders = torch_network.load(shipped.PATH).model.borders
    y, one = noisy[:, :SEEN].double().numpy(), config.one
    rows = []
    with (
        timing.threads(config.threads),
        Rival(config.threads) as rival,
        tempfile.TemporaryDirectory() as folder,
    ):
        file = Path(folder, "curves.npz")
        np.savez(file, y=noisy.numpy(), borders=borders.numpy())
        rival.ask("load", curves=str(file), width=128, layers=3)
        for number in range(config.rounds + 1):  # the first warms up
            forecast(y[0], horizon=100)  # alone on the cores: the other's threads wait a while for work
            done = [(task, "ours", seconds, count) for task, seconds, count in (
                (ONE, each_alone(y[:one]), one), (MANY, in_one_call(y), config.many),
            )]  # fmt: skip
            rival.ask("quantiles", seen=SEEN, curves=one, levels=LEVELS)
            told = rival.ask("quantiles", seen=SEEN, curves=one, levels=LEVELS)
            done.append((ONE, "reference", told["seconds"], one))
            rows += [
                (task, program, number, seconds, count) for task, program, seconds, count in done if number
            ]
    return pd.DataFrame(rows, columns=list(TABLES["calls"]))


def read(run: Any) -> object:
    return run.median, run.interval(0.9)


def each_alone(y: np.ndarray) -> float:
    return timing.seconds(lambda: [read(forecast(values, horizon=100)) for values in y])


def in_one_call(y: np.ndarray) -> float:
    return timing.seconds(lambda: [read(run) for run in forecast(y, horizon=100)])


def checks(config: Config) -> pd.DataFrame:
    """As a pruner makes them: a new Stopper reads all values of a trial, and decides."""
    curves = prior.test_set(config.checks).noisy.clamp(0, 1).double().numpy()  # (checks, 100)

    def look(seen: int) -> None:
        for values in curves[:, :seen].tolist():
            stopper = Stopper(config.horizon, best=0.0, tell=lambda _: None)
            for step, value in enumerate(values, 1):
                stopper.observe(step, value)
            stopper.should_stop()

    turns = {f"{seen} values": partial(look, seen) for seen in config.seen}
    return on_one_core(turns, config.checks, config.rounds)


def training_steps(config: Config) -> pd.DataFrame:
    """The smallest network of the paper's grid, with and without what makes its steps cheaper."""
    curves = config.steps * BATCH
    turns = {task: partial(OurTraining(recipe, BATCH).run, curves) for task, recipe in STEPS.items()}
    return on_one_core(turns, config.steps, config.rounds)


def on_one_core(turns: Mapping[str, Callable[[], object]], calls: int, rounds: int) -> pd.DataFrame:
    timed = {task: partial(timing.seconds, turn) for task, turn in turns.items()}
    with timing.threads():
        rows = [
            (task, "ours", number, seconds, calls) for number, task, seconds in timing.in_turns(timed, rounds)
        ]
    return pd.DataFrame(rows, columns=list(TABLES["calls"]))


# ------------------------------------------------------------------------------------------------- estimates

Setting = tuple[str, str, str]  # what is timed, whose program, how
# name of the claim: (numerator, denominator, what is needed, the question)
RATIOS: dict[str, tuple[Setting, Setting, Needs, str]] = {
    "prior": (
        ("prior", "ours", CHUNKS), ("prior", "reference", "batch 100"), AtLeast(50),
        "Does our sampler draw curves of the prior many times faster than the authors’ package?",
    ),
    "training-published-one-head": (
        ("training", "ours", RECIPE), ("training", "reference", HEAD), AtLeast(3),
        "Is our training several times faster, in curves per second, than the authors’ package with one attention head?",
    ),
    "training-same-recipe": (
        ("training", "ours", PUBLISHED), ("training", "reference", HEAD), Above(1),
        "Is our code faster, in curves per second, than the authors’ package when both train with that package’s recipe?",
    ),
}  # fmt: skip
CLAIMED = {name: (above, below) for name, (above, below, *_) in RATIOS.items()}
EQUAL = {"prior in equal batches": (("prior", "ours", "batch 100"), ("prior", "reference", "batch 100"))}


def by_round(rows: Rows, pairs: dict[str, tuple[Setting, Setting]] = CLAIMED) -> dict[str, pd.Series]:
    """For each name the ratio in every round, where both were measured."""
    what, program, setting = (rows["rows"][column] for column in ("what", "program", "setting"))
    named = rows["rows"].assign(of=what + "/" + program + "/" + setting)
    found = {
        name: ratios(named, "of", "/".join(above), "/".join(below), "value")
        for name, (above, below) in pairs.items()
    }
    return {name: values for name, values in found.items() if len(values)}


def estimates(rows: Rows) -> Estimates:
    """{name of the claim, or of EQUAL: the median ratio of all rounds; ("speed", task, program): milliseconds of a call,
    the median}"""
    found = there(
        {name: Interval.of_median(values) for name, values in by_round(rows, CLAIMED | EQUAL).items()}
    )
    calls = rows["calls"].assign(ms=1000 * rows["calls"]["seconds"] / rows["calls"]["curves"])
    ms = by_mean(calls, ["task", "program"], "ms", Interval.of_median)
    return found | {("speed", *key): one for key, one in ms.items()}


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    """A dot for each round, a bar at the median, a tick at what was needed."""
    if not (rounds := by_round(rows)):
        return {}
    figure, axes = plt.subplots(figsize=(7, 0.5 * len(rounds) + 1.2))
    for y, (name, values) in enumerate(reversed(rounds.items())):
        middle, goal = found[name].value, RATIOS[name][2].least
        axes.plot([1, middle], [y, y], color=faint(), linewidth=6, solid_capstyle="butt")
        axes.plot(values, [y] * len(values), "o", color=colour("ours"), markersize=4, alpha=0.6)
        axes.plot([goal] * 2, [y - 0.35, y + 0.35], color=colour("paper"), linewidth=2)
        edge = max(goal, *values)
        axes.annotate(f"{middle:#.3g}×", (edge, y), (8, -3), textcoords="offset points", color=ink())
    pairs = [RATIOS[name][:2] for name in reversed(rounds)]  # our setting against that of the reference
    labels = [
        f"{'sampling the prior' if what == 'prior' else what}: {tidy(ours)} against {tidy(theirs)}"
        for (what, _, ours), (*_, theirs) in pairs
    ]
    axes.set_yticks(range(len(rounds)), labels)
    axes.set(xscale="log", xlim=(1, 2 * max(max(values) for values in rounds.values())))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set(xlabel="× faster (orange line: needed)")
    axes.set_ylim(-0.6, len(rounds) - 0.4)
    return {"ratios": figure}


def claims() -> list[Claim]:
    return [Claim(name, question, name, needed, "×") for name, (_, _, needed, question) in RATIOS.items()]
