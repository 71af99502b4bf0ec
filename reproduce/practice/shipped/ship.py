"""The released model: trained on runs with holes, rounded to half precision."""

import json
from dataclasses import asdict, replace
from pathlib import Path

from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import onnx_file, shipped
from curvecast.ground import weights, whole_file
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training import gaps
from curvecast.training.batches import TrainConfig
from curvecast.training.train import behaviour, trained
from reproduce._press.contract import ROOT
from reproduce.practice.shipped import reference_forecasts
from reproduce.practice.shipped.scores_of_the_prior import calibrate

TRAIN = TrainConfig(
    ModelConfig(128, 3, 4, features="spread"), PriorConfig(real=0.5), BarsConfig(buckets=2000), curves=786_432
)
CALIBRATION = 4000  # curves of the prior whose oddness is the measure for others'
LIVE = ROOT / "docs" / "assets" / "live"


def ship(minutes: float | None) -> list[Path]:
    """Train it, or take it from the cache, and write all files that are made of it. The same weights, the same bytes."""
    forecaster = onnx_file.rounded(replace(trained(gaps.with_holes(TRAIN), minutes), config=TRAIN))
    table = calibrate(forecaster, CALIBRATION)._asdict()
    state = {
        key: value.half() if key != "borders" else value
        for key, value in forecaster.model.state_dict().items()
    }
    header = weights.header(TRAIN, behaviour(TRAIN), forecaster.history) | {"in_prior": json.dumps(table)}
    weights.write(
        shipped.PATH, state, header | {"gaps": json.dumps({"share": gaps.SHARE, "behaviour": gaps.BEHAVIOUR})}
    )
    about = {"curves": TRAIN.curves, "model": asdict(TRAIN.model)}
    onnx_file.write_live(forecaster, LIVE, table, about)
    told = reference_forecasts.reference_forecasts(forecaster.model.double())
    whole_file.write(reference_forecasts.PATH, (json.dumps(told) + "\n").encode())
    return [shipped.PATH, LIVE / "model.onnx", LIVE / "meta.json", reference_forecasts.PATH]
