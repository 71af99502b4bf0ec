"""Keras: a callback that forecasts one value of the epochs. It advises; with act=True it stops.

model.fit(..., callbacks=[CurvecastCallback("val_accuracy", best=0.78, keep="run.json")])

Keras keeps no state of callbacks: with `keep` the values are in a file, and a training that begins at a later epoch reads it.
"""

from pathlib import Path
from typing import Any

from curvecast.while_training.check import decides, never_harm
from curvecast.while_training.watched import Kept, Watched, Watching

try:
    from keras.callbacks import Callback
except ImportError:
    raise ImportError("Keras is not installed: pip install 'curvecast[keras]'") from None


class CurvecastCallback(Watching, Callback):
    """monitor: the value, such as "val_accuracy"; all else as in `Stopper`. The horizon is the number of epochs.

    A run that could stop is one line on standard error; with `tell`, that gets a line of every check.
    keep    a file for the observed values, so that a training can be resumed
    """

    def __init__(self, monitor: str, *, keep: str | Path | None = None, **how: Any):
        super().__init__()
        self.watched = Watched(monitor, how)
        self._kept = Kept(keep)
        self._fresh = True

    @never_harm(otherwise=None)
    def on_train_begin(self, logs: Any = None) -> None:
        """What was kept is read when the first epoch says whether the run goes on."""
        self.watched.begin()
        self._fresh = True

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._resume(epoch)
        logs = logs or {}
        validated = any(name.startswith("val_") for name in logs)  # not in every epoch, perhaps
        self.watched.refuse(logs, validated or not self.watched.monitor.startswith("val_"))
        stop = self.watched.decide(lambda: epoch + 1, lambda: self.params.get("epochs"), logs)
        self._keep()
        if self.watched.act and decides(stop):
            self.model.stop_training = True

    @never_harm(otherwise=None)
    def _resume(self, epoch: int) -> None:
        fresh, self._fresh = self._fresh, False
        state = self._kept.read().get(self.watched.monitor) if fresh and epoch > 0 else None
        if state is not None:
            self.watched.stopper.load_state_dict(state)

    @never_harm(otherwise=None)
    def _keep(self) -> None:
        """Beside what other callbacks keep in the same file."""
        self._kept.write(self._kept.read() | {self.watched.monitor: self.watched.stopper.state_dict()})
