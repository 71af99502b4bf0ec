"""Guards curvecast/while_training/for_keras.py, with Keras itself, on torch."""

import os

import numpy as np
import pytest

from curvecast.ground.errors import UserError

os.environ.setdefault("KERAS_BACKEND", "torch")
keras = pytest.importorskip("keras", reason="needs keras: make adapters installs it")

from curvecast.while_training.for_keras import CurvecastCallback  # noqa: E402  # needs keras

EPOCHS = 12
LOW = [0.3 * (1 - 0.8 / epoch) for epoch in range(1, EPOCHS + 1)]


class Scripted(keras.callbacks.Callback):
    """Logs a value that is known beforehand, in place of what was measured."""

    def on_epoch_end(self, epoch, logs=None):
        logs["val_acc"] = LOW[epoch]


def trained(callback, initial_epoch=0, epochs=EPOCHS) -> int:
    """Real epochs of a small network; how many."""
    model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
    model.compile(loss="mse", optimizer="sgd")
    data = np.zeros((4, 2), np.float32), np.zeros((4, 1), np.float32)
    callbacks = [Scripted(), callback]
    return len(
        model.fit(*data, epochs=epochs, initial_epoch=initial_epoch, verbose=0, callbacks=callbacks).epoch
    )


def made(**how):
    lines = []
    return CurvecastCallback("val_acc", best=0.9, tell=lines.append, **how), lines


def test_by_default_it_tells_and_trains_on():
    callback, lines = made()
    assert trained(callback) == EPOCHS
    assert lines[0].startswith("curvecast: step 5: will end at 0.") and lines[0].endswith(": could stop now")


def test_with_act_a_hopeless_training_ends():
    callback, _ = made(act=True)
    assert trained(callback) == 5
    assert trained(callback) == 5, "a second training begins anew"


def test_a_training_that_is_resumed_knows_what_was(tmp_path):
    """It reads what was kept where it begins at a later epoch."""
    keep = tmp_path / "run.json"
    assert trained(made(act=True, keep=keep)[0], epochs=3) == 3
    callback, _ = made(act=True, keep=keep)
    assert trained(callback, initial_epoch=3) == 2
    assert callback.watched.stopper.steps == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("monitor", ["val_ac", "acc"])
def test_a_misspelt_monitor_is_an_error_at_the_first_epoch(monitor):
    with pytest.raises(UserError, match=f"'{monitor}' is not among"):
        trained(CurvecastCallback(monitor))


def test_an_epoch_without_a_validation_is_no_misspelling():
    callback, _ = made(horizon=EPOCHS)
    for epoch, logs in enumerate(({"loss": 1.0}, {"loss": 1.0, "val_acc": 0.5})):
        callback.on_epoch_end(epoch, logs)
    assert callback.watched.stopper.steps == [2]


def test_a_file_that_cannot_be_read_or_written_ends_nothing(tmp_path):
    callback, lines = made(keep=tmp_path / "no" / "run.json")
    assert trained(callback) == EPOCHS
    assert sum("cannot write" in line for line in lines) == 1
