"""How fast is it, side by side with the reference package?"""

import math
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.bars import make_borders
from curvecast.evaluate import likelihood
from curvecast.metrics import paired
from curvecast.model import PFN
from curvecast.prior import PriorConfig, sample, test_set
from curvecast.train import CHUNK, Forecaster, TrainConfig, make_optimiser, one_step, train
from reproduce._contract import Claim
from reproduce._models import SMALL
from reproduce._rival import Rival
from reproduce._style import colour, faint, ink

ON_REQUEST = "make bench"

# (heads, dropout) of the reference: as the paper prints it, as its code sets it, and both without dropout
THEIRS = {
    "4 heads, dropout 0.2": (4, 0.2),
    "1 head, dropout 0.2": (1, 0.2),
    "4 heads, no dropout": (4, 0.0),
    "1 head, no dropout": (1, 0.0),
}
CHUNKS, RECIPE = f"batch {CHUNK}, as in training", "our recipe"
PUBLISHED: dict[str, Any] = {"epochs": 10, "batch_size": 100, "lr": 1e-4}  # 100,000 curves by its own recipe
TUNED: dict[str, Any] = {
    "epochs": 72,
    "batch_size": 25,
    "lr": 1e-3,
}  # the best we found for it, without dropout
RECIPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "likelihood": (PUBLISHED, {}),
    "likelihood_tuned": (TUNED, {"dropout": 0.0}),
}


@dataclass(frozen=True)
class Config:
    rounds: int = 9  # the median's 95 % interval then leaves out the two extreme rounds
    threads: int = 2
    model: TrainConfig = SMALL["3 × 128"]
    prior_curves: int = 2000  # of the reference, in each round; ours draws 50 times as many
    steps: int = 5  # of the reference, after as many to warm up
    our_curves: int = CHUNK  # ours trains on one chunk of curves in each round: sampling is paid in full
    shorter: int = 1  # the recipes of the likelihood parts, divided by this
    test_curves: int = 10_000
    cutoffs: tuple[int, ...] = (10, 20, 40)
    recipes: tuple[str, ...] = ("likelihood", "likelihood_tuned")


SCALES = {
    "smoke": Config(rounds=1, threads=1, prior_curves=200, steps=1, our_curves=320, shorter=100, test_curves=200,
                    recipes=("likelihood",)),
    "laptop": Config(),
    "paper": Config(rounds=15),
}  # fmt: skip


def parts(config: Config) -> list[str]:
    """The likelihood parts take 2 x 16 and 2 x 22 minutes of one thread: both programs at once, a core for each."""
    return ["throughput", *config.recipes]


def measure(config: Config, part: str) -> pd.DataFrame:
    return throughput(config) if part == "throughput" else equal_time(config, part)


# --- curves per second -------------------------------------------------------------------------------------------


def throughput(config: Config) -> pd.DataFrame:
    """The two programs take turns, round after round, in one run on the same cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(config.threads)
    rows = []
    try:
        with Rival(config.threads) as rival:
            turns = _turns(config, rival)
            for number in range(1, config.rounds + 1):
                for (what, program, setting), turn in turns.items():
                    done = turn()
                    row = {"what": what, "program": program, "setting": setting, "round": number} | done
                    rows.append(row | {"value": done["curves"] / done["seconds"], "unit": "curves/s"})
                print(f"speed: round {number} of {config.rounds}", flush=True)
    finally:
        torch.set_num_threads(before)
    return pd.DataFrame(rows)


def _turns(config: Config, rival: Rival) -> dict[tuple[str, str, str], Callable[[], dict]]:
    """All that is timed in a round: (what, program, setting) -> a function that does it once."""
    n, turns = config.prior_curves, {}
    for batch in (100, 1000):
        turns["prior", "reference", f"batch {batch}"] = partial(
            rival.ask, "prior", curves=n, batch=min(batch, n)
        )
        turns["prior", "ours", f"batch {batch}"] = partial(our_prior, 50 * n, batch)
    turns["prior", "ours", CHUNKS] = partial(our_prior, 50 * n, CHUNK)
    shape = {"width": config.model.model.width, "layers": config.model.model.layers, "batch": 100}
    for setting, (heads, dropout) in THEIRS.items():
        request = {**shape, "heads": heads, "dropout": dropout, "steps": config.steps}
        turns["training", "reference", setting] = partial(rival.ask, "train", **request)
    paper = TrainConfig.paper(config.model.model.width, config.model.model.layers, config.model.curves)
    turns["training", "ours", RECIPE] = partial(_warm(config.model, config).run, config.our_curves)
    turns["training", "ours", "published recipe"] = partial(_warm(paper, config).run, config.our_curves // 4)
    return turns


def _warm(model: TrainConfig, config: Config) -> "OurTraining":
    training = OurTraining(model)
    training.run(config.our_curves // 4)
    return training


def our_prior(curves: int, batch: int) -> dict[str, float]:
    generator = torch.Generator().manual_seed(0)
    count = max(1, curves // batch)
    start = time.perf_counter()
    for _ in range(count):
        sample(PriorConfig(), batch, generator)
    return {"curves": count * batch, "seconds": time.perf_counter() - start}


class OurTraining:
    """Our training step by step, so that it can stop after each round and go on."""

    def __init__(self, config: TrainConfig):
        torch.manual_seed(config.seed)
        self.config, self.step = config, 0
        self.net = PFN(config.model, make_borders(config.bars, config.prior)).train()
        self.optimiser = make_optimiser(config, self.net)

    def run(self, curves: int) -> dict[str, float]:
        steps = curves // self.config.batch
        start = time.perf_counter()
        for _ in range(steps):
            one_step(self.config, self.net, self.optimiser, self.net.log_density, self.step, "cpu")
            self.step += 1
        return {"curves": steps * self.config.batch, "seconds": time.perf_counter() - start}


# --- likelihood at equal CPU time --------------------------------------------------------------------------------


def equal_time(config: Config, part: str) -> pd.DataFrame:
    """Both train at once, one thread each; ours gets as many curves as its speed allows in the other's CPU time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with Rival(threads=1) as rival, tempfile.TemporaryDirectory() as folder:
            return _equal_time(config, part, rival, Path(folder))
    finally:
        torch.set_num_threads(before)


def _equal_time(config: Config, part: str, rival: Rival, folder: Path) -> pd.DataFrame:
    settings, changes = RECIPES[part]
    shape = {"emsize": config.model.model.width, "nlayers": config.model.model.layers}
    settings = {**settings, **shape, "epochs": max(1, settings["epochs"] // config.shorter)}
    if config.shorter > 1:
        changes = {**changes, "steps_per_epoch": 2}
    curves = settings["epochs"] * changes.get("steps_per_epoch", 100) * settings["batch_size"]
    mine = replace(config.model, curves=_affordable(config, rival, curves, settings["batch_size"], changes))
    noisy = test_set(config.test_curves).noisy
    np.savez(folder / "curves.npz", noisy=noisy.numpy())
    rival.begin("recipe", curves=str(folder / "curves.npz"), answer=str(folder / "answer.npz"), seed=0,
                cutoffs=config.cutoffs, changes=changes, **settings)  # fmt: skip
    wall, cpu = time.perf_counter(), time.process_time()
    net, history = train(mine, folder / "checkpoint")
    spent = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    net.eval()
    theirs = rival.answer()
    with np.load(folder / "answer.npz") as file:
        their_ll = torch.from_numpy(file["log_likelihood"]).double()  # (n, cutoffs)
    forecaster = Forecaster(mine, net, history)
    our_ll = torch.stack([likelihood(forecaster, noisy, cutoff) for cutoff in config.cutoffs], 1)
    budget = {"ours": {"curves": mine.curves} | spent, "reference": {"curves": curves} | theirs}
    return _compared(part, config, our_ll, their_ll, budget)


def _affordable(config: Config, rival: Rival, curves: int, batch: int, changes: dict) -> int:
    """Curves that ours can train on in nine tenths of the CPU time which the reference needs for `curves`."""
    shape = {"width": config.model.model.width, "layers": config.model.model.layers}
    request = {
        **shape,
        "heads": 1,
        "dropout": changes.get("dropout", 0.2),
        "batch": batch,
        "steps": 4 * config.steps,
    }
    ours, ratios = OurTraining(config.model), []
    ours.run(config.our_curves // 4)
    for _ in range(min(3, config.rounds)):
        theirs, mine = rival.ask("train", **request), ours.run(config.our_curves)
        ratios.append((mine["curves"] / mine["seconds"]) / (theirs["curves"] / theirs["seconds"]))
    affordable = 0.9 * curves * statistics.median(ratios)
    return max(1, int(affordable / config.model.batch)) * config.model.batch


def _compared(
    part: str, config: Config, ours: torch.Tensor, theirs: torch.Tensor, budget: dict[str, dict[str, float]]
) -> pd.DataFrame:
    """A row for each program and cutoff, and one for the paired difference on the same curves."""
    rows = []
    zero = torch.zeros(len(ours))
    for i, cutoff in enumerate(config.cutoffs):
        a, b = ours[:, i], theirs[:, i]
        for program, estimate in (
            ("ours", paired(a, zero)), ("reference", paired(b, zero)), ("difference", paired(a, b)),
        ):  # fmt: skip
            row = {
                "what": part,
                "program": program,
                "cutoff": cutoff,
                "value": estimate.value,
                "se": estimate.se,
            }
            rows.append(row | {"unit": "nats"} | budget.get(program, {}))
    return pd.DataFrame(rows)


# --- what the rows say -------------------------------------------------------------------------------------------

# name of the claim: (what stands above the line, what below, the sentence, the condition)
RATIOS = {
    "prior": (
        ("prior", "ours", CHUNKS), ("prior", "reference", "batch 100"), ">= 50",
        "Curves of the prior come {value:.0f} times as fast as from the reference package, each in the batch it trains with.",
    ),
    "training-published": (
        ("training", "ours", RECIPE), ("training", "reference", "4 heads, dropout 0.2"), ">= 3",
        "We train {value:.1f} times as many curves a second as the reference package with four heads and dropout 0.2.",
    ),
    "training-published-one-head": (
        ("training", "ours", RECIPE), ("training", "reference", "1 head, dropout 0.2"), ">= 3",
        "Against the one head that its code takes at this width, the factor is {value:.1f}.",
    ),
    "training-no-dropout": (
        ("training", "ours", RECIPE), ("training", "reference", "4 heads, no dropout"), ">= 2",
        "With its dropout switched off, the reference package is still {value:.1f} times slower.",
    ),
    "training-no-dropout-one-head": (
        ("training", "ours", RECIPE), ("training", "reference", "1 head, no dropout"), ">= 2",
        "With neither dropout nor four heads, its fastest setting, it is {value:.1f} times slower.",
    ),
    "sampling": (
        ("training", "ours", RECIPE), ("prior", "ours", CHUNKS), "< 0.05",
        "Sampling fresh curves takes {value:.1%} of the time of our training step.",
    ),
}  # fmt: skip


def ratios(rows: pd.DataFrame) -> dict[str, list[float]]:
    """For each claim on speed, the ratio in every round."""
    timed = rows[rows["unit"] == "curves/s"]
    values = {
        key: group.set_index("round")["value"] for key, group in timed.groupby(["what", "program", "setting"])
    }
    found = {}
    for name, (above, below, *_) in RATIOS.items():
        if above in values and below in values:
            found[name] = (values[above] / values[below]).dropna().tolist()
    return found


def median_interval(values: list[float]) -> tuple[float | None, float | None]:
    """The narrowest pair of order statistics that holds the median with 95 %; six values are the least."""
    n, values = len(values), sorted(values)
    outside, k = 2 * 0.5**n, 0  # chance that the median lies beyond the k-th smallest or largest
    if outside > 0.05:
        return None, None
    while outside + 2 * math.comb(n, k + 1) * 0.5**n <= 0.05:
        k += 1
        outside += 2 * math.comb(n, k) * 0.5**n
    return values[k], values[n - 1 - k]


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    stated, found = [], ratios(rows)
    for name, (_, _, condition, sentence) in RATIOS.items():
        values = found.get(name, [])
        middle = statistics.median(values) if values else None
        stated.append(Claim(name, sentence, middle, *median_interval(values), condition))
    for part, opponent, condition in (
        ("likelihood", "the reference package's own recipe", ">= 0.3"),
        ("likelihood_tuned", "the best recipe we found for it", "> 0"),
    ):
        for cutoff in config.cutoffs:
            sentence = f"At equal CPU time we are {{value:.2f}} nats above {opponent} at cutoff {cutoff}."
            name = f"{part.replace('_', '-')}-{cutoff}"
            stated.append(Claim(name, sentence, *_gain(rows, part, cutoff), condition))
    return stated


def _gain(rows: pd.DataFrame, part: str, cutoff: int) -> tuple[float | None, float | None, float | None]:
    """Ours minus theirs with its interval; nothing if it was not measured, or if ours took more CPU time."""
    mine = rows[(rows["what"] == part) & (rows.get("cutoff") == cutoff)].set_index("program")
    if mine.empty or mine.loc["ours", "cpu_seconds"] > mine.loc["reference", "cpu_seconds"]:
        return None, None, None
    value, se = mine.loc["difference", "value"], mine.loc["difference", "se"]
    return value, value - 1.96 * se, value + 1.96 * se


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    tables = {}
    timed = rows[rows["unit"] == "curves/s"]
    if len(timed):
        lines = []
        for (what, program, setting), group in timed.groupby(["what", "program", "setting"], sort=False):
            v = group["value"]
            spread = f"{v.min():,.0f} to {v.max():,.0f}"
            lines.append((f"{what}, {program}: {setting}", f"{v.median():,.0f}", spread, str(len(v))))
        tables["speed"] = pd.DataFrame(lines, columns=["what", "curves/s, median", "range", "rounds"])
    judged = rows[rows["unit"] == "nats"]
    if len(judged):
        tables["likelihood"] = _likelihoods(judged)
    return tables


def _likelihoods(judged: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for (what, program), group in judged.groupby(["what", "program"], sort=False):
        name = f"{'tuned recipe' if what.endswith('tuned') else 'published recipe'}: {program}"
        line = {"at equal CPU time": name}
        for _, row in group.iterrows():
            line[f"cutoff {row['cutoff']:.0f}"] = f"{row['value']:.3f} ± {row['se']:.3f}"
        first = group.iloc[0]
        line["curves"] = "" if pd.isna(first["curves"]) else f"{first['curves']:,.0f}"
        line["CPU minutes"] = "" if pd.isna(first["cpu_seconds"]) else f"{first['cpu_seconds'] / 60:.1f}"
        lines.append(line)
    return pd.DataFrame(lines)


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    figures = {}
    found = {name: values for name, values in ratios(rows).items() if name != "sampling"}
    if found:
        figures["ratios"] = _draw_ratios(found)
    judged = rows[rows["unit"] == "nats"]
    if len(judged):
        figures["likelihood"] = _draw_likelihood(judged)
    return figures


def _draw_ratios(found: dict[str, list[float]]) -> Figure:
    """A dot for each round, a bar at the median, a tick at what was asked for."""
    figure, axes = plt.subplots(figsize=(7, 0.5 * len(found) + 1.2))
    for y, (name, values) in enumerate(reversed(found.items())):
        _, below, condition, _ = RATIOS[name]
        middle, goal = statistics.median(values), float(condition.split()[1])
        axes.plot([1, middle], [y, y], color=faint(), linewidth=6, solid_capstyle="butt")
        axes.plot(values, [y] * len(values), "o", color=colour("ours"), markersize=4, alpha=0.6)
        axes.plot([goal] * 2, [y - 0.35, y + 0.35], color=colour("paper"), linewidth=2)
        axes.annotate(f"{middle:.3g} ×", (middle, y), (6, 7), textcoords="offset points", color=ink())
    labels = [f"{RATIOS[name][1][0]}: {RATIOS[name][1][2]}" for name in reversed(found)]
    axes.set_yticks(range(len(found)), labels)
    axes.set(xscale="log", xlabel="times as fast as the reference package (line: what was asked for)")
    axes.set_ylim(-0.6, len(found) - 0.4)
    return figure


def _draw_likelihood(judged: pd.DataFrame) -> Figure:
    parts_here = list(dict.fromkeys(judged["what"]))
    figure, panels = plt.subplots(
        1, len(parts_here), figsize=(3.6 * len(parts_here) + 0.4, 3), sharey=True, squeeze=False
    )
    for axes, part in zip(panels[0], parts_here, strict=True):
        for program, key in (("ours", "ours"), ("reference", "paper")):
            mine = judged[(judged["what"] == part) & (judged["program"] == program)]
            minutes = mine["cpu_seconds"].iloc[0] / 60
            label = f"{'ours' if program == 'ours' else 'lcpfn 0.1.3'}, {minutes:.1f} CPU min"
            axes.errorbar(
                mine["cutoff"], mine["value"], 1.96 * mine["se"], color=colour(key), marker="o", label=label
            )
        axes.set_title(
            "against its best tuned recipe" if part.endswith("tuned") else "against its own recipe"
        )
        axes.set_xlabel("points seen")
        axes.legend(loc="lower right")
    panels[0][0].set_ylabel("log-likelihood, nats per point")
    return figure
