"""Lightning: a callback that forecasts one value of the validations. It advises; with act=True it stops.

Trainer(..., callbacks=[CurvecastCallback("val_acc", best=0.78)])

Its state is in the checkpoints of the trainer.
"""

import logging
from typing import Any

from curvecast.while_training.check import never_harm
from curvecast.while_training.watched import Watched, Watching

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    raise ImportError("lightning is not installed: pip install 'curvecast[lightning]'") from None

LOG = logging.getLogger("lightning.pytorch.curvecast")


class CurvecastCallback(Watching, Callback):
    """monitor: the value, such as "val_acc"; all else as in `Stopper`. Steps and horizon are the trainer's own.

    A run that could stop is one line in Lightning's log; with `tell`, that gets a line of every check.
    """

    def __init__(self, monitor: str, **how: Any):
        super().__init__()
        self.watched = Watched(monitor, how, LOG.info, LOG.warning)

    @property
    def state_key(self) -> str:
        """Two callbacks may watch two values."""
        return f"CurvecastCallback({self.watched.monitor})"

    @never_harm(otherwise=None)
    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        if trainer.is_global_zero and not trainer.enable_validation:
            self.telling.once("validation", "this training has no validation: there is nothing to forecast")

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if trainer.sanity_checking or trainer.state.fn != "fit":
            return
        # what is logged of the training comes after the first validation
        complete = trainer.current_epoch > 0 or "train" not in self.watched.monitor
        self.watched.refuse(trainer.callback_metrics, complete)
        stop = trainer.is_global_zero and self.watched.decide(
            lambda: trainer.global_step, lambda: trainer.estimated_stepping_batches, trainer.callback_metrics
        )
        if self.watched.act and trainer.strategy.broadcast(bool(stop), src=0):
            trainer.should_stop = True

    def state_dict(self) -> dict[str, Any]:
        return self.watched.stopper.state_dict()

    @never_harm(otherwise=None)
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.watched.stopper.load_state_dict(state_dict)
