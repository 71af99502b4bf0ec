"""A training of a second."""

from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import TrainConfig

SMALL = TrainConfig(
    ModelConfig(16, 2, 2, components=3), PriorConfig(length=20), BarsConfig(buckets=30, curves=300),
    curves=320, batch=16, cutoffs=4, queries=5,
)  # fmt: skip
