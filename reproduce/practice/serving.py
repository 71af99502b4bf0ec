"""How long does a forecast take, compared with the reference package?"""

import tempfile
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from curvecast.forecasting.api import Unlike, forecast
from curvecast.forecasting.network import Network
from curvecast.ground import weights
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.batches import TrainConfig
from curvecast.training.train import behaviour
from reproduce._press import style
from reproduce._press.claim import AtLeast, AtMost, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import over, where
from reproduce.pictures.rounds import Row, every_round
from reproduce.protocols import timing
from reproduce.protocols.timing import ROUNDS
from reproduce.rival.partner import PYTHON, Rival

ON_REQUEST = "make bench"
TABLES = {"rows": ("size", "program", "task", "round", "seconds", "curves")}
STOPWATCHES = ("rows.seconds",)

PROGRAM = ("-m", "reproduce.rival.forecaster")


@dataclass(frozen=True)
class Config:
    rounds: int = ROUNDS
    threads: int = 2
    seen: int = 10
    one: int = 50  # forecasts of one curve, a turn
    many: int = 1000  # curves in one call
    large: bool = True  # the network of 12 layers and width 512 as well
    large_one: int = 5


SCALES = {"smoke": Config(1, 1, one=2, many=20, large=False), "laptop": Config(), "paper": Config(rounds=15)}


def measure(config: Config, part: str) -> pd.DataFrame:
    """A row for each program, task and round; both programs have warmed up, and take turns on the same cores."""
    with (
        timing.threads(config.threads), tempfile.TemporaryDirectory() as folder, warnings.catch_warnings()
    ):  # fmt: skip
        warnings.simplefilter("ignore", Unlike)
        rows = [_rounds("128 x 3", 128, 3, None, config.one, config, Path(folder))]
        if config.large:
            path = _random_weights(Path(folder))
            rows.append(_rounds("512 x 12", 512, 12, path, config.large_one, config, Path(folder)))
    return pd.concat(rows, ignore_index=True)


def _rounds(
    size: str, width: int, layers: int, path: str | None, one: int, config: Config, folder: Path
) -> pd.DataFrame:
    noisy = prior.test_set(config.many).noisy.clamp(0, 1)  # its call refuses other values
    np.savez(
        folder / "curves.npz", y=noisy.numpy(), borders=torch_network.load(shipped.PATH).model.borders.numpy()
    )
    y = noisy[:, : config.seen].double().numpy()
    ours = {
        "mean": partial(one_by_one, y[:one], path, False, "mean"),
        "three quantiles": partial(one_by_one, y[:one], path, False, "q"),
        CHECKED: partial(one_by_one, y[:one], path, True, "q"),
    }
    ours[PRODUCTS] = partial(products_alone, one, 1, config.seen, path)
    if path is None:
        ours |= {"many": partial(in_one_call, y, path, False), "many, checked": partial(in_one_call, y, path, True),
                 f"many, {PRODUCTS}": partial(products_alone, config.many, 8, config.seen, path)}  # fmt: skip
    rows = []
    with Rival(config.threads, PYTHON, PROGRAM) as rival:
        rival.ask("load", curves=str(folder / "curves.npz"), width=width, layers=layers)
        theirs = {"mean": ("mean", one), "three quantiles": ("quantiles", one)}
        if path is None:
            theirs |= {"many, one by one": ("mean", config.many), "many, batched": ("batched", config.many)}
        for number in range(config.rounds + 1):  # the first warms up
            ours["mean"]()  # the first has the cores to itself: the other's threads wait a while for work
            timed = [("ours", task, turn()) for task, turn in ours.items()]
            rival.ask("mean", seen=config.seen, curves=one)
            timed += [
                ("reference", task, rival.ask(do, seen=config.seen, curves=n)["seconds"])
                for task, (do, n) in theirs.items()
            ]
            if number:
                rows += [{"size": size, "program": p, "task": task, "round": number, "seconds": s,
                          "curves": config.many if task.startswith("many") else one} for p, task, s in timed]  # fmt: skip
    return pd.DataFrame(rows)


def one_by_one(y: np.ndarray, path: str | None, check: bool, what: str) -> float:
    def forecasts() -> None:
        for values in y:
            run = forecast(values, horizon=100, check=check, weights=path)
            _ = run.mean if what == "mean" else (run.median, *run.interval(0.9))

    return timing.seconds(forecasts)


def in_one_call(y: np.ndarray, path: str | None, check: bool) -> float:
    """A thousand curves in one call, and the median and 90 % interval of each."""

    def forecasts() -> None:
        for run in forecast(y, horizon=100, check=check, weights=path):
            _ = run.median, *run.interval(0.9)

    return timing.seconds(forecasts)


def products_alone(curves: int, at_once: int, seen: int, path: str | None) -> float:
    """The network's matrix products alone: no forecast in NumPy is faster."""
    network = shipped.load(path).network
    assert isinstance(network, Network)
    pairs = []
    for i, layer in enumerate(network.layers):
        readers = 100 - seen if i == len(network.layers) - 1 else 100
        pairs += [(readers, linear.weight) for linear in (layer.q, layer.out, layer.wide, layer.narrow)]
        pairs.append((seen, layer.kv.weight))
    pairs += [(100 - seen, network.wide.weight), (100 - seen, network.out.weight)]
    given = [(np.ones((at_once * tokens, len(weight)), np.float32), weight) for tokens, weight in pairs]

    def multiply() -> None:
        for _ in range(0, curves, at_once):
            for tokens, weight in given:
                _ = tokens @ weight

    return timing.seconds(multiply)


def _random_weights(folder: Path) -> str:
    """A network as large as the paper's largest, untrained: time does not depend on the weights."""
    config = TrainConfig(ModelConfig(512, 12, 4))
    torch.manual_seed(0)
    net = PFN(config.model, torch_network.load(shipped.PATH).model.borders)
    weights.write(
        folder / "large.safetensors", net.state_dict(), weights.header(config, behaviour(config), [])
    )
    return str(folder / "large.safetensors")


CHECKED = "three quantiles, checked"
PRODUCTS = "the products alone"
TASKS = {  # of the rows, in words
    "mean": "mean of one curve", "three quantiles": "three quantiles of one curve",
    CHECKED: "three quantiles of one curve, with check", PRODUCTS: "matrix products of one curve",
    "many": "a thousand at once", "many, checked": "a thousand at once, with check",
    f"many, {PRODUCTS}": "matrix products of a thousand", "many, one by one": "a thousand, one by one",
    "many, batched": "a thousand, a hundred at once",
}  # fmt: skip
UNCHECKED = "Without the plausibility check,"
THOUSAND = "are a thousand forecasts in one call"
RATIOS = {  # claim: (task of the reference, task of ours, size, question, how many times as fast yes needs)
    "one_mean": (
        "mean", "mean", "128 x 3",
        f"{UNCHECKED} is the mean of one curve much faster than from the reference package?", 2,
    ),
    "one_quantiles": (
        "three quantiles", "three quantiles", "128 x 3",
        f"{UNCHECKED} are three quantiles of one curve much faster than from the reference package?", 2,
    ),
    "one_checked": (
        "three quantiles", CHECKED, "128 x 3",
        "With the plausibility check, are three quantiles of one curve at least as fast as from the reference package?", 1,
    ),
    "many_one_by_one": (
        "many, one by one", "many", "128 x 3",
        f"{UNCHECKED} {THOUSAND} much faster than one by one from the reference package?", 5,
    ),
    "many_checked": (
        "many, one by one", "many, checked", "128 x 3",
        f"With the plausibility check, {THOUSAND} at least as fast as one by one from the reference package?", 1,
    ),
    "many_batched": (
        "many, batched", "many", "128 x 3",
        f"{UNCHECKED} {THOUSAND} much faster than the network of the reference package, called on a hundred at a time?", 2,
    ),
    "large_mean": (
        "mean", "mean", "512 x 12",
        "With 12 layers of width 512, is the mean of one curve at least as fast as from the reference package?", 1,
    ),
}  # fmt: skip
SHARES = {  # claim: (task, its products, question)
    "one_products": (
        "three quantiles", PRODUCTS,
        "Do matrix products take only a small share of the time of a forecast with three quantiles?",
    ),
    "many_products": (
        "many", f"many, {PRODUCTS}",
        "Do matrix products take only a small share of the time of a thousand forecasts in one call?",
    ),
}  # fmt: skip


def _ratios(rows: pd.DataFrame) -> dict[str, list[float]]:
    """Their time over ours, round by round."""
    pairs = {
        name: ((size, "reference", theirs), (size, "ours", mine))
        for name, (theirs, mine, size, *_) in RATIOS.items()
    }
    return timing.ratios(rows, ("size", "program", "task"), "seconds", pairs)


def _named(size: str) -> str:
    """The rows have width x layers, the pages layers × width: "128 x 3" is 3 × 128."""
    width, layers = size.split(" x ")
    return f"{layers} × {width}"


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Milliseconds per curve, every round a dot."""
    lines = [
        Row(f"{program}, {_named(size)}: {TASKS[task]}", 1000 * own["seconds"] / own["curves"],
            style.colour("ours") if program == "ours" else style.ink())
        for (size, task, program), own in rows.groupby(["size", "task", "program"], sort=False)
    ]  # fmt: skip
    return {"times": every_round(lines, "milliseconds per curve (lower is better)", log=True)}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {"times": pd.DataFrame([
        {"network": _named(size), "task": TASKS[task], "program": program,
         "ms per curve": timing.middle((1000 * own["seconds"] / own["curves"]).tolist())}
        for (size, task, program), own in rows.groupby(["size", "task", "program"], sort=False)
    ])}  # fmt: skip


def claims(rows: pd.DataFrame) -> list[Claim]:
    found = _ratios(rows)
    stated = [
        Claim(name, question, Interval.of_median(found.get(name, [])), AtLeast(least), "×")
        for name, (_, _, _, question, least) in RATIOS.items()
    ]
    ours = where(rows, program="ours", size="128 x 3")
    for name, (task, products, question) in SHARES.items():
        share = [100 * one for one in over(ours, "task", products, task, "seconds")]
        stated.append(Claim(name, question, Interval.of_median(share), AtMost(25), "percent"))
    return stated
