"""Trains in no time and leaves a trace of it."""

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from lib.curves import prior

from presswork.ground.config import digest

BEHAVIOUR = 1


@dataclass(frozen=True)
class TrainConfig:
    label: str
    width: int = 8


def name(config):
    return f"{config.label}-{digest(config, prior=prior.BEHAVIOUR, train=BEHAVIOUR)}"


def weights_path(config):
    return Path("weights") / f"{name(config)}.safetensors"


def is_trained(config):
    return weights_path(config).is_file()


def trained(config, minutes=None, progress=True):
    if not is_trained(config):
        with open("trace", "a") as file:
            file.write(f"trained {config.label}\n")
        time.sleep(float(os.environ.get("TOY_SECONDS", 0)))
        weights_path(config).parent.mkdir(exist_ok=True)
        weights_path(config).write_text(json.dumps({"w": prior.slope() * config.width}))
    return json.loads(weights_path(config).read_text())["w"]
