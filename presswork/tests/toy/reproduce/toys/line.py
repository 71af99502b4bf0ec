"""How steep is the line?"""

import os
import time
from dataclasses import dataclass

import pandas as pd
from lib.scores.metrics import score
from lib.training import train
from lib.training.train import TrainConfig

from presswork import style
from presswork.claim import AtLeast, Claim
from presswork.intervals import Interval

TABLES = {"rows": ("x", "y")}


@dataclass(frozen=True)
class Config:
    points: int = 3
    model: TrainConfig = TrainConfig("small")


SCALES = {"smoke": Config(2), "laptop": Config(3), "paper": Config(9)}


def measure(config, part):
    with open("trace", "a") as file:
        file.write("measured line\n")
    time.sleep(float(os.environ.get("TOY_SECONDS", 0)))
    slope = train.trained(config.model)
    return pd.DataFrame(
        {"x": range(config.points), "y": [score(slope * x / 7) for x in range(config.points)]}
    )


def draw(rows):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.plot(rows["x"], rows["y"], **style.line("first"))
    return {"line": figure}


def tabulate(rows):
    return {"ends": pd.DataFrame({"end": ["last"], "value": [f"{rows['y'].iloc[-1]:.2f} ± 0.10"]})}


def claims(rows):
    last = float(rows["y"].iloc[-1])
    asks = "Does the line end at two or above?"
    return [Claim("steep", asks, Interval.around(last, 0.1, (("curves", 7),)), AtLeast(2), printed=5.0)]
