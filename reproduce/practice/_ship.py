"""The released model: trained on runs with holes, rounded to half precision.

With it are written the files of the live figure, and forecasts of twenty runs in PyTorch and float64, with which tests
compare NumPy and the page.
"""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from curvecast.curves.prior import PriorConfig, test_set
from curvecast.forecasting import onnx_file, shipped, track_record
from curvecast.forecasting.doubts import Table, oddness
from curvecast.forecasting.torch_network import TorchNetwork
from curvecast.ground import weights, whole_file
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training import batches
from curvecast.training.batches import TrainConfig
from curvecast.training.runs import RunTraining
from curvecast.training.scaling_curves import ScalingTraining
from curvecast.training.train import Forecaster, behaviour, trained
from presswork import store, where
from presswork.contract import ROOT, load

DESIGN = ModelConfig(128, 3, 4, features="spread")
TRAIN = TrainConfig(DESIGN, PriorConfig(real=0.5), BarsConfig(buckets=2000), curves=786_432)
SCALING = ScalingTraining()
PLANNED = RunTraining()
CALIBRATION = 4000  # curves of the prior whose oddness is the measure for others'
SEEN = (2, 3, 5, 10, 20, 50, 100)  # points of a run
SEED = 20261122  # of the curves of another prior than the paper's
LEVELS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
LIVE = ROOT / "docs" / "assets" / "live"
EXAMPLES = LIVE / "real_runs.json"
REFERENCE = ROOT / "tests" / "questions" / "reference_forecasts.json"
ASKED = (0.001, 0.05, 0.5, 0.95, 0.999)  # levels
GIVEN = (1, 2, 3, 5, 10, 20, 40, 80)  # epochs
AHEAD = 6  # later epochs that are asked for
ODD = ([0.5] * 12, [0.9 - 0.05 * i for i in range(12)], [0.999, 1.0, 0.9995, 1.0], [0.0, 0.0, 1e-4, 0.9, 0.1])
SHAPES = {"constant": "at a constant rate", "cosine": "with a cosine", "linear": "with a rate that falls to nothing",
          "drops": "with drops of the rate"}  # fmt: skip


def ship(minutes: float | None) -> list[Path]:
    """Train it, or take it from the cache, and write all files that are made of it. The same weights, the same bytes."""
    forecaster = onnx_file.rounded(replace(trained(batches.with_holes(TRAIN), minutes), config=TRAIN))
    table = calibrate(forecaster, CALIBRATION, TRAIN.prior)._asdict()
    header = weights.header(TRAIN, behaviour(TRAIN), forecaster.history) | {"in_prior": json.dumps(table)}
    header["gaps"] = json.dumps({"share": batches.WITH_GAPS, "behaviour": batches.GAPS})
    weights.write(shipped.PATH, in_half_precision(forecaster), header)
    about = {"curves": TRAIN.curves, "model": asdict(TRAIN.model)}
    onnx_file.write_live(forecaster, LIVE, table, about)
    told = reference_forecasts(forecaster.model.double())
    whole_file.write(REFERENCE, (json.dumps(told) + "\n").encode())
    written = [shipped.PATH, LIVE / "model.onnx", LIVE / "meta.json", REFERENCE]
    return [*written, write_test_curves(), write_examples(), ship_scaling(minutes), ship_planned(minutes)]


def write_test_curves() -> Path:
    """Those of THE test set that `shipped` scores, for readers who score them in the page: epoch by epoch, curve by curve."""
    path = LIVE / "test_curves.f32"
    whole_file.write(path, test_set(500).noisy.numpy().astype("<f4").tobytes())
    return path


def write_examples() -> Path:
    """The menu of the live figure, [{kind, name, about, metric, points: [[epoch, value], …]}, …]: curves of the paper's
    prior, then held-out accuracy and loss of our own runs, three networks for each schedule of the rate."""
    noisy = test_set().noisy
    inside = noisy[((noisy >= 0) & (noisy <= 1)).all(1)][:4].tolist()
    about = "a curve of the prior, which the network has not seen"
    runs = [_example("prior", f"prior {i}", about, "accuracy", y) for i, y in enumerate(inside, 1)]
    own, _ = store.read(ROOT / "figures" / "own_curves" / "laptop", load("own_curves").parts("laptop"))
    assert isinstance(own, dict)
    points = own["rows"][own["rows"]["step"].between(1, 100)]
    networks = where(own["runs"], learner="networks").drop_duplicates("group")  # never two seeds of a setting
    networks = networks.assign(shape=[json.loads(text)["schedule"]["shape"] for text in networks["settings"]])
    for run in networks.drop_duplicates(["shape", "task"]).groupby("shape").head(3).to_dict("records"):
        name = f"{run['task']}, {run['run'].removeprefix('networks-')}"
        mine = where(points, run=run["run"]).sort_values("step")
        about = settings_in_words(run["task"], json.loads(run["settings"]))
        for metric in ("accuracy", "loss"):
            runs.append(_example("real", f"{name}, {metric}", about, metric, mine[metric].tolist()))
    whole_file.write(EXAMPLES, json.dumps(runs, separators=(",", ":"), ensure_ascii=False).encode())
    return EXAMPLES


def _example(kind: str, name: str, about: str, metric: str, values: list[float]) -> dict[str, Any]:
    points = [[epoch, float(f"{round(value, 5):.4g}")] for epoch, value in enumerate(values, 1)]
    return {"kind": kind, "name": name, "about": about, "metric": metric, "points": points}


def settings_in_words(task: str, settings: dict[str, Any]) -> str:
    hidden = " and ".join(map(str, settings["hidden"]))
    dropout = f", dropout {settings['dropout']:.1f}" if settings["dropout"] else ""
    rate = f"{SHAPES[settings['schedule']['shape']]} of at most {settings['rate']:.2g}{dropout}"
    return f"a network with {hidden} hidden units on {task}, {rate}, on held-out rows"


def ship_scaling(minutes: float | None) -> Path:
    """The network of scale="log"."""
    forecaster = trained(SCALING, minutes)
    header = weights.header(SCALING, behaviour(SCALING), forecaster.history[-1:])
    weights.write(shipped.SCALING, in_half_precision(forecaster), header)
    return shipped.SCALING


def ship_planned(minutes: float | None) -> Path:
    """The network that is told a schedule."""
    forecaster = onnx_file.rounded(trained(PLANNED, minutes))
    header = weights.header(PLANNED, behaviour(PLANNED), forecaster.history[-1:])
    whole_runs = replace(PLANNED.prior, shares=replace(PLANNED.prior.shares, short=0.0))
    table = calibrate(forecaster, CALIBRATION, whole_runs)._asdict()
    weights.write(shipped.PLANNED, in_half_precision(forecaster), header | {"in_prior": json.dumps(table)})
    return shipped.PLANNED


def in_half_precision(forecaster: Forecaster) -> dict[str, torch.Tensor]:
    state = forecaster.model.state_dict()
    return {key: value if key == "borders" else value.half() for key, value in state.items()}


def calibrate(forecaster: Forecaster, n: int, own: Any) -> Table:
    """How odd n curves of its own prior look to it, with which each run is compared; of the paper's, THE test set's last."""
    noisy = own.sample(n, np.random.default_rng(SEED)).noisy.float() if own.real else test_set().noisy[-n:]
    curves, network = noisy.numpy(), TorchNetwork(forecaster.model)
    scores = []
    for seen in SEEN:
        x = np.arange(1.0, seen + 1)
        odd = oddness(track_record.scores(network, [(x, y[:seen]) for y in curves]))
        scores.append(np.quantile(odd, LEVELS).tolist())
    return Table(list(SEEN), list(LEVELS), scores)


def runs() -> list[tuple[list[float], list[float]]]:
    """Epochs and values: curves of the paper's prior, every second of them with holes, and four odd runs."""
    pairs = [(list(range(1, len(y) + 1)), y) for y in ODD]
    curves = test_set(2 * len(GIVEN)).noisy.clamp(0, 1).tolist()
    for i, curve in enumerate(curves):
        epochs = [k for k in range(1, GIVEN[i // 2] + 1) if i % 2 or k % 3 != 2]
        pairs.append((epochs, [curve[k - 1] for k in epochs]))
    return [(list(map(float, x)), y) for x, y in pairs]


@torch.no_grad()
def reference_forecasts(model: PFN) -> list[dict[str, Any]]:
    """A network in float64. Everything that a forecast is made of, for each run."""
    told = []
    for x, y in runs():
        context = [torch.tensor([part], dtype=torch.float64) for part in (x, y)]
        later = torch.linspace(x[-1] + 1, 100, AHEAD).round().double()
        density = model.density(context[0], context[1], later[None])
        at = density.quantile(0.3)  # where there is mass
        told.append(
            {
                "x": x, "y": y, "x_query": later.tolist(), "levels": ASKED,
                "quantiles": [density.quantile(level)[0].tolist() for level in ASKED],
                "at": at[0].tolist(),
                "exceeds": density.exceeds(at)[0].tolist(),
                "log_density": density.log_density(at)[0].tolist(),
            }
        )  # fmt: skip
    return told
