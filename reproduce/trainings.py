"""The trainings that several questions share, so that each is paid for once."""

from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig

# layers x width. The largest takes 4 to 8 minutes on two cores (measured: accuracy's table of settings).
SMALL = {
    "1x64": TrainConfig(ModelConfig(64, 1, 2), curves=60_032),
    "2x96": TrainConfig(ModelConfig(96, 2, 3), curves=60_032),
    "3x128": TrainConfig(ModelConfig(128, 3, 4), curves=196_608),
}


def lent(curves: int) -> TrainConfig:
    """3 x 128 with endings that curves lend one another, and short beginnings more often; curves by their number."""
    return TrainConfig(
        ModelConfig(128, 3, 4), curves=curves, lr=5e-4, matrix_lr=0.006, draws="number", stock=32_768, early=2.0
    )  # fmt: skip


TINY_BARS = BarsConfig(buckets=100, curves=500)
LARGE = {  # for a GPU, in the order in which minutes are best spent
    "P1": TrainConfig.paper(128, 3, 10_000_000),
    "P2": TrainConfig.paper(256, 3, 10_000_000),
    "ours": TrainConfig(ModelConfig(256, 6, 4), curves=10_000_000, batch=250, cutoffs=250, precision="bf16"),
    "P3": TrainConfig.paper(512, 12, 10_000_000),
}
# seconds: the chain is tried, not the result
TINY = {"1x16": TrainConfig(ModelConfig(16, 1, 2, components=4), bars=TINY_BARS, curves=3200)}
# where many of them are trained
TINIEST = {"1x8": TrainConfig(ModelConfig(8, 1, 2, components=4), bars=TINY_BARS, curves=256)}
TINY_PAPER = TrainConfig(  # the paper's recipe in a second
    ModelConfig.paper(16, 1), bars=BarsConfig(100, tails="paper", curves=500), curves=3200, batch=100,
    cutoffs=1, queries=0, optimiser="adam", schedule="epoch",
)  # fmt: skip
