"""The trainings that several questions share, so that each is paid for once."""

from curvecast.bars import BarsConfig
from curvecast.model import ModelConfig
from curvecast.train import TrainConfig

# size: layers x width. Curves are chosen for about 1, 2 and 8 minutes on the two cores they were first trained on.
SMALL = {
    "1x64": TrainConfig(ModelConfig(64, 1, 2), curves=60_032),
    "2x96": TrainConfig(ModelConfig(96, 2, 3), curves=60_032),
    "3x128": TrainConfig(ModelConfig(128, 3, 4), curves=131_072),
}
TINY = {  # seconds: the chain is tried, not the result
    "1x16": TrainConfig(
        ModelConfig(16, 1, 2, components=4), bars=BarsConfig(buckets=100, curves=500), curves=3200
    ),
}
