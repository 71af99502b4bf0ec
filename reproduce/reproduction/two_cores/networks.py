"""What is trained, for ten seconds, a minute and up to an hour on two cores, and the printed network it is compared with."""

from dataclasses import replace
from typing import NamedTuple

from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig
from reproduce.trainings import TINY, lent


class Trained(NamedTuple):
    train: TrainConfig
    seeds: int = 1  # trainings that differ by their seed alone
    printed: str = ""  # the paper's network that it is compared with
    near: float = 0.0  # how far below that network still counts as reaching it, in nats
    seconds: int = 0  # the longest that it may take

    @property
    def size(self) -> str:
        return self.train.model.label.replace("x", " × ")


def quick(width: int, layers: int, curves: int, stock: int, lr: float, matrix_lr: float) -> TrainConfig:
    """As `lent`, at higher rates: there is no time to settle."""
    size = ModelConfig(width, layers, width // 32)
    return TrainConfig(
        size, curves=curves, lr=lr, matrix_lr=matrix_lr, draws="number", stock=stock, early=2.0
    )


LONGEST = 1_966_080  # curves
RUNGS = {f"rung{curves // 1024}k": Trained(lent(curves)) for curves in (30_720, 122_880, 491_520)}
NETWORKS = {
    "seconds": Trained(quick(64, 2, 16_384, 2_048, 2e-3, 0.015), 5, "P1", 0.0, 10),
    "minute": Trained(quick(96, 2, 81_920, 8_192, 1.5e-3, 0.012), 5, "P2", 0.0, 60),
    **RUNGS,
    "hour": Trained(lent(LONGEST), 1, "P3", 0.02, 3600),
}
LADDER = (*RUNGS, "hour")  # one recipe and size, ever longer
TINIEST = replace(TINY["1x16"], curves=640, draws="number", stock=256, early=2.0)
TINY_NETWORKS = {
    "seconds": Trained(replace(TINIEST, early=1.0), 2, "P1", 0.0, 10),
    "minute": Trained(replace(TINIEST, lr=2e-3), 1, "P2", 0.0, 60),
    "rung0k": Trained(TINIEST),
    "hour": Trained(replace(TINIEST, curves=1_280), 1, "P3", 0.02, 3600),
}
BEFORE = {  # of exact_bayes: the recipe until then, by curves
    "3x128-12k": 12_288, "3x128-24k": 24_576, "3x128-48k": 49_152, "3x128-96k": 98_304, "3x128": 196_608,
}  # fmt: skip
