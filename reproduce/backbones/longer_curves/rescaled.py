"""A training on curves of any length, with epochs that are divided so that they end at 100.

It reads as many points as one of 100 epochs does, in as many steps: a batch has fewer curves where these are longer, and so
fewer forecast targets. Its rates are those that suit the larger batches.
"""

from collections.abc import Iterator
from dataclasses import replace

from curvecast.curves.prior import PriorConfig
from curvecast.training.batches import Batch, TrainConfig

TRAINED = 100  # epochs of a curve in most trainings
LONGER = (400, 1_600)  # in the others


class RescaledConfig(TrainConfig):
    def batches(self, step: int, device: str) -> Iterator[Batch]:
        share = TRAINED / self.prior.length
        for group in super().batches(step, device):
            yield group._replace(x=group.x * share, x_query=group.x_query * share)


def on_curves_of(length: int, training: TrainConfig) -> RescaledConfig:
    batch = training.batch * TRAINED // length
    longer = replace(
        training, prior=PriorConfig(length=length), batch=batch, cutoffs=min(training.cutoffs, batch)
    )
    return RescaledConfig(**vars(replace(longer, curves=training.curves * batch // training.batch)))
