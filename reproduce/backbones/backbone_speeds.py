"""What does each backbone cost: a training step, a forecast, and a curve that is much longer?

All rows take turns in one process on one core, so that other load on the machine affects all of them alike. A training step
has the optimiser with which its row learns best. Forecasts in closed form are timed beside them. By length: the time to read
one curve without a gradient, and the bytes that a gradient would need. Attention is measured twice: unfused, which stores all
products of pairs, and fused, which stores none of them. Reported is the slope between two long curves, with both axes
logarithmic. Of the longest curve it is also measured how much of the time is spent in matrix products and Fourier transforms.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, UntypedStorage
from torch.nn.attention import SDPBackend, sdpa_kernel

from curvecast.curves import prior
from curvecast.networks.backbones.reader import FAMILIES
from curvecast.training.steps import Training
from presswork import Above, Between, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import by_mean, ratios, table
from reproduce.backbones import _products, _rows, _trainings
from reproduce.backbones._trainings import CLOSED_FORMS, SETTINGS
from reproduce.pictures.panels import legend, logarithmic, panels
from reproduce.protocols.timing import ROUNDS, core_seconds, in_turns, threads

SWEEP = "backbone_rates/paper"
SEEN = 50  # epochs of 100, from which the others are forecast
PLAIN, FUSED = "attention, written down", "transformer, encoder"
DRAWN = (FUSED, PLAIN, "LSTM", "CNN", "S4, HiPPO", "H3", "Mamba", "Mamba-2", "linear attention", "DeltaNet")
DASHES = {PLAIN: "--", "H3": "--", "Mamba": "-.", "Mamba-2": ":", "DeltaNet": "--"}  # of one colour
TITLES = {FUSED: "attention, fused", PLAIN: "attention, unfused"}  # in the figure and the table of lengths
TIMED = True
STOPWATCHES = ("rows.step", "rows.forecast", "lengths.seconds", "products.seconds", "products.products")
TABLES = {
    "rows": ("backbone", "round", "step", "forecast"),
    "lengths": ("backbone", "points", "round", "seconds", "kept"),
    "products": ("backbone", "points", "round", "seconds", "products"),
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = tuple(FAMILIES)
    parameters: int = _rows.PARAMETERS
    rounds: int = ROUNDS
    steps: int = 2  # of a training, in a round
    forecasts: int = 100  # curves forecast at once, half of each
    long_rows: tuple[str, ...] = (*DRAWN, *(name for name in FAMILIES if name not in DRAWN))
    points: tuple[int, ...] = (100, 200, 400, 800, 1_600, 3_200, 6_400)
    long_rounds: int = 6
    steep: tuple[int, int] = (1_600, 6_400)  # between these the slope is taken


SCALES = {
    "smoke": Config(
        parameters=2_000, rounds=1, steps=1, forecasts=4, points=(10, 20), long_rounds=1, steep=(10, 20)
    ),
    "laptop": Config(
        ("LSTM", *_rows.TELLING[-3:]),
        rounds=6,
        long_rows=(FUSED, PLAIN, "Mamba-2"),
        points=(100, 400, 1_600, 6_400),
    ),
    "paper": Config(),
}
# What a machine is asked to do again when somebody wants to know what a command would cost there.
PROBE = Config(_rows.TELLING[-3:], rounds=2)


def parts(config: Config) -> list[str]:
    return ["speeds", "lengths", *(["products"] if set(FAMILIES) <= set(config.long_rows) else [])]


def reads(config: Config) -> list[str]:
    return [SWEEP]


def measure(config: Config, part: str, read: dict[str, Any]) -> Rows:
    with threads():
        if part == "lengths":
            return {"lengths": pd.DataFrame(by_length(config))}
        if part == "products":
            products = _products.measured(passes(config), config.long_rounds)
            return {"products": products.assign(points=config.points[-1])}
        turns = {name: _turn_of(name, config, read[SWEEP]) for name in config.rows}
        measured = in_turns(turns | _closed_forms(config.forecasts), config.rounds)
        lines = [{"backbone": name, "round": number} | costs for number, name, costs in measured]
        return {"rows": pd.DataFrame(lines)}


# ------------------------------------------------------------------------------- a training step and a forecast

Turn = Callable[[], dict[str, float]]


def half_curves(count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Epochs (n, T) and values (n, T), and the epochs of the second half, which are forecast."""
    y = prior.test_set(count).noisy
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    return x, y, x[:, SEEN:]


def _turn_of(name: str, config: Config, sweep: pd.DataFrame) -> Turn:
    setting = SETTINGS[_trainings.best(sweep, name)]
    train = _trainings.training(_rows.reader(name, config.parameters), setting, 64_000, 0)
    training, (x, y, later) = Training(train, train.network()), half_curves(config.forecasts)

    def turn() -> dict[str, float]:
        """Always the same batches, with the same cutoffs for all rows."""
        step = core_seconds(lambda: [training.step(i) for i in range(config.steps)]) / config.steps
        net = training.net.eval()
        forecast = core_seconds(lambda: net.density(x[:, :SEEN], y[:, :SEEN], later)) / len(x)
        net.train()
        return {"step": step, "forecast": forecast}

    return turn


def _closed_forms(count: int) -> dict[str, Turn]:
    x, y, later = half_curves(count)

    def turn(forecast: Callable[[Tensor, Tensor, Tensor], object]) -> dict[str, float]:
        seconds = core_seconds(partial(forecast, x[0, :SEEN], y[:, :SEEN], later[0])) / count
        return {"step": float("nan"), "forecast": seconds}

    return {name: partial(turn, forecast) for name, forecast in CLOSED_FORMS.items()}


# ------------------------------------------------------------------------------------------ curves by their length


def by_length(config: Config) -> Iterator[dict[str, object]]:
    """All rows read each length in turns."""
    nets = _networks(config)
    for T in config.points:
        x, bytes_of = torch.arange(1.0, T + 1)[None], {}
        for name, (net, d) in nets.items():  # which warms up
            with _as_told(name):
                bytes_of[name] = kept(net.parameters(), partial(net, torch.randn(1, T, d), x, None))
        for number in range(config.long_rounds):
            for name, (net, d) in nets.items():
                with _as_told(name), torch.no_grad():
                    took = core_seconds(partial(net, torch.randn(1, T, d), x, None))
                costs = {"seconds": took, "kept": bytes_of[name]}
                yield {"backbone": name, "points": T, "round": number} | costs


def _networks(config: Config) -> dict[str, tuple[Any, int]]:
    """By row, each with its width."""
    readers = {name: _rows.reader(FUSED if name == PLAIN else name) for name in config.long_rows}
    return {name: (one.backbone.make(one.width).eval(), one.width) for name, one in readers.items()}


def _as_told(name: str) -> AbstractContextManager[Any]:
    return sdpa_kernel(SDPBackend.MATH) if name == PLAIN else nullcontext()


def kept(weights: Iterable[Tensor], forward: Callable[[], object]) -> int:
    """Bytes that a pass stores for a gradient, without its weights; storage that several tensors share counts once."""
    anyway = {p.untyped_storage().data_ptr() for p in weights}
    held: dict[int, UntypedStorage] = {}  # the storage itself, since the address of a freed one is used again

    def hold(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in anyway:
            held[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(hold, lambda tensor: tensor):
        forward()
    return sum(storage.nbytes() for storage in held.values())


def passes(config: Config) -> dict[str, Callable[[], object]]:
    """By family: reads the longest curve."""
    T = config.points[-1]
    x = torch.arange(1.0, T + 1)[None]
    nets = ((name, *net) for name, net in _networks(config).items() if name in FAMILIES)
    return {name: torch.no_grad()(partial(net, torch.randn(1, T, d), x, None)) for name, net, d in nets}


def estimates(rows: Rows, config: Config) -> Estimates:
    """{(backbone, column): exponent by length, (slow, quick): how many times the step, "alone": the reading of one curve,
    ("lengths", "seconds", backbone, points): of a step at the longest of these}"""
    pairs, columns, ends = (("LSTM", FUSED), ("Mamba", "Mamba-2")), ["seconds", "kept"], config.steep
    times = {pair: ratios(rows["rows"], "backbone", *pair, "step") for pair in pairs}
    alone = ratios(where(rows["lengths"], points=100), "backbone", "Elman", FUSED, "seconds")
    found: dict[Any, Interval | None]
    found = {key: Interval.of_median(one) for key, one in (times | {"alone": alone}).items()}
    near, far = (where(rows["lengths"], points=T).set_index(["backbone", "round"]) for T in ends)
    growth = np.log(far[columns] / near[columns]) / np.log(ends[1] / ends[0])
    for name, own in growth.dropna().groupby("backbone"):
        found[name, "seconds"] = Interval.of_median(own["seconds"])
        found[name, "kept"] = Interval.exactly(own["kept"].iloc[0])  # bytes are the same in every round
    took = by_mean(where(rows["lengths"], points=ends[1]), "backbone", "seconds", Interval.of_median)
    return there(found) | {("lengths", "seconds", name, ends[1]): one for name, one in took.items()}


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    shown = {"speeds": draw_speeds(rows["rows"]), "lengths": draw_lengths(rows["lengths"])}
    return shown if rows["products"].empty else shown | {"products": _products.drawn(rows["products"])}


def draw_speeds(rows: pd.DataFrame) -> Figure:
    """Of networks alone."""
    middle = rows.groupby("backbone")[["step", "forecast"]].median().dropna()
    middle = middle.sort_values("step", ascending=False)
    figure, axes = panels(["", ""], (9, 0.9 + 0.25 * len(middle)), sharey=True)
    labels = {"step": "a training step of 64 curves", "forecast": "a forecast"}
    for axis, (column, label) in zip(axes, labels.items(), strict=True):
        axis.plot(1000 * middle[column], range(len(middle)), "o", color=style.colour("ours"))
        axis.set_xlabel(f"{label},\nmilliseconds of one core (left is better)")
        logarithmic(axis, "x", digits=(1, 2, 5))
    axes[0].set_yticks(range(len(middle)), list(middle.index))
    return figure


def draw_lengths(lengths: pd.DataFrame) -> Figure:
    figure, axes = panels(["", ""], (9.6, 4.4))
    middle = lengths.groupby(["backbone", "points"])[["seconds", "kept"]].median()
    for name in (name for name in DRAWN if name in middle.index):
        mine = middle.loc[name]
        colour = _rows.colour(FUSED if name == PLAIN else name)
        for axis, values in zip(axes, (mine["seconds"], mine["kept"] / 1e6), strict=True):
            label = TITLES.get(name, name)
            axis.plot(mine.index, values, DASHES.get(name, "-"), color=colour, linewidth=1.3, label=label)
    for axis, what in zip(axes, ("seconds of one core", "MB stored for the gradient"), strict=True):
        axis.set(xscale="log", yscale="log", xlabel="points of the curve", ylabel=f"{what} (lower is better)")
    legend(figure, axes[:1], 5, fontsize=8)
    return figure


def tabulate(rows: Rows, found: Estimates, config: Config) -> Rows:
    far = config.steep[1]
    stored = where(rows["lengths"], points=far).groupby("backbone", sort=False)["kept"].first()
    columns = {("lengths", "seconds", ..., far): f"seconds, {far:,} points",
               (..., "seconds"): "exponent of time", (..., "kept"): "exponent of memory"}  # fmt: skip
    names = {name: TITLES.get(str(name), name) for name in stored.index}
    made = table(found, "backbone", names, columns, "{0.value:.2f}".format, missing="")
    made.insert(2, "stored, MB", [f"{kept / 1e6:,.0f}" for kept in stored])
    return {"lengths": made}


def claims(config: Config) -> list[Claim]:
    near, far = config.steep
    slower = (
        ("lstm_takes_longer", "LSTM", FUSED,
         "the LSTM, which goes point by point, take longer than a step of a transformer encoder of the same size"),
        ("mamba_takes_longer", "Mamba", "Mamba-2",
         "Mamba, point by point on a CPU, take longer than a step of Mamba-2, in chunks and of the same size"),
    )  # fmt: skip
    growth = (
        ("attention_time", FUSED, "seconds", "time of fused attention grow about with the square of", Between(1.5, 2.3)),
        ("plain_memory", PLAIN, "kept", "memory of unfused attention grow about with the square of", Between(1.5, 2.3)),
        ("fused_memory", FUSED, "kept", "memory of fused attention grow in proportion to", Between(0.8, 1.2)),
        ("mamba2_time", "Mamba-2", "seconds", "time of Mamba-2, in chunks, grow about in proportion to", Between(0.8, 1.3)),
    )  # fmt: skip
    return [
        Claim("elman_reads_one_longer", "Does Elman’s network take longer than a transformer encoder to read one curve of a "
              "hundred points, alone and without a head?", "alone", Above(1), "×"),
        *(Claim(name, f"Does a training step of {what}?", (slow, quick), Above(1), "×")
          for name, slow, quick, what in slower),
        *(Claim(name, f"Between {near:,} and {far:,} points, does the {what} the length?", (row, column), needs)
          for name, row, column, what, needs in growth),
    ]  # fmt: skip
