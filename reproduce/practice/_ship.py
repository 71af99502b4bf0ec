"""The released model: trained on runs with holes, rounded to half precision."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from curvecast.curves.prior import PriorConfig, test_set
from curvecast.forecasting import onnx_file, shipped
from curvecast.forecasting.belief import Table, oddness
from curvecast.forecasting.torch_network import TorchNetwork
from curvecast.ground import weights, whole_file
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training import gaps
from curvecast.training.batches import TrainConfig
from curvecast.training.runs import RunTraining
from curvecast.training.scaling_curves import ScalingTraining
from curvecast.training.train import Forecaster, behaviour, trained
from reproduce._press.contract import ROOT
from reproduce.practice import _reference_forecasts as reference_forecasts

TRAIN = TrainConfig(
    ModelConfig(128, 3, 4, features="spread"), PriorConfig(real=0.5), BarsConfig(buckets=2000), curves=786_432
)
SCALING = ScalingTraining()
PLANNED = RunTraining()
CALIBRATION = 4000  # curves of the prior whose oddness is the measure for others'
SEEN = (2, 3, 5, 10, 20, 50, 100)  # points of a run
SEED = 20261122  # of the curves of another prior than the paper's
LEVELS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
LIVE = ROOT / "docs" / "assets" / "live"


def ship(minutes: float | None) -> list[Path]:
    """Train it, or take it from the cache, and write all files that are made of it. The same weights, the same bytes."""
    forecaster = onnx_file.rounded(replace(trained(gaps.with_holes(TRAIN), minutes), config=TRAIN))
    table = calibrate(forecaster, CALIBRATION, TRAIN.prior)._asdict()
    state = in_half_precision(forecaster)
    header = weights.header(TRAIN, behaviour(TRAIN), forecaster.history) | {"in_prior": json.dumps(table)}
    weights.write(
        shipped.PATH, state, header | {"gaps": json.dumps({"share": gaps.SHARE, "behaviour": gaps.BEHAVIOUR})}
    )
    about = {"curves": TRAIN.curves, "model": asdict(TRAIN.model)}
    onnx_file.write_live(forecaster, LIVE, table, about)
    told = reference_forecasts.reference_forecasts(forecaster.model.double())
    whole_file.write(reference_forecasts.PATH, (json.dumps(told) + "\n").encode())
    return [
        shipped.PATH,
        LIVE / "model.onnx",
        LIVE / "meta.json",
        reference_forecasts.PATH,
        write_test_curves(),
        ship_scaling(minutes),
        ship_planned(minutes),
    ]


def write_test_curves() -> Path:
    """Those of THE test set that `shipped` scores, for readers who score them in the page: epoch by epoch, curve by curve."""
    path = LIVE / "test_curves.f32"
    whole_file.write(path, test_set(500).noisy.numpy().astype("<f4").tobytes())
    return path


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
        odd = oddness(network, [(x, y[:seen]) for y in curves])
        scores.append(np.quantile(odd, LEVELS).tolist())
    return Table(list(SEEN), list(LEVELS), scores)
