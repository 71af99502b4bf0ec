"""Guards the callbacks for Keras, Hugging Face and Lightning, with the real trainers: rules of all, and those of each."""

import os
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tests.curvecast.refusals import refuses

# what Lightning advises of loaders and loggers is not ours
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
os.environ.setdefault("KERAS_BACKEND", "torch")
STEPS = 12
LOW = [0.3 * (1 - 0.8 / step) for step in range(1, STEPS + 1)]  # what a validation says is known beforehand


class Keras:
    """A small network, and in its logs these values in place of what was measured."""

    def __init__(self, folder):
        self.keras = pytest.importorskip("keras", reason="needs keras: make adapters installs it")
        from curvecast.while_training.for_keras import CurvecastCallback

        self.callback, self.keep = CurvecastCallback, folder / "run.json"

        class Scripted(self.keras.callbacks.Callback):
            def on_epoch_end(self, epoch, logs=None):
                logs["val_acc"] = LOW[epoch]

        self.scripted = Scripted()

    def trained(self, callback, begin=0, end=STEPS) -> int:
        """The last step."""
        layers = self.keras.layers
        model = self.keras.Sequential([layers.Input((2,)), layers.Dense(1)])
        model.compile(loss="mse", optimizer="sgd")
        data = np.zeros((4, 2), np.float32), np.zeros((4, 1), np.float32)
        how = {"epochs": end, "initial_epoch": begin, "verbose": 0, "callbacks": [self.scripted, callback]}
        return begin + len(model.fit(*data, **how).epoch)

    def resumed(self, **how) -> tuple[object, int]:
        """After three steps; the second callback, and the last step. Keras keeps no state, so that a file does."""
        self.trained(self.callback("val_acc", keep=self.keep, best=0.9), end=3)
        again = self.callback("val_acc", keep=self.keep, **how)
        return again, self.trained(again, begin=3)


class HuggingFace:
    """A line, and an evaluation after each step."""

    def __init__(self, folder):
        reason = "needs {}: make adapters installs it"
        for package in ("transformers", "accelerate"):
            pytest.importorskip(package, reason=reason.format(package))
        from curvecast.while_training.for_hugging_face import CurvecastCallback

        self.callback, self.folder = CurvecastCallback, folder

    def trainer(self, callback, **how):
        import transformers

        class Line(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.zeros(1))

            def forward(self, x, labels):
                return {"loss": (self.weight * x - labels).square().mean(), "logits": self.weight * x}

        settings = transformers.TrainingArguments(
            str(self.folder), max_steps=STEPS, eval_strategy="steps", eval_steps=1, report_to="none",
            disable_tqdm=True, use_cpu=True, logging_strategy="no", **{"save_strategy": "no"} | how,
        )  # fmt: skip
        data = [{"x": torch.ones(1), "labels": torch.ones(1)}] * 4
        both = {"train_dataset": data, "eval_dataset": data}
        made = transformers.Trainer(Line(), settings, callbacks=[callback], **both)
        made.compute_metrics = lambda _: {"acc": LOW[made.state.global_step - 1]}
        made.remove_callback(transformers.PrinterCallback)
        return made

    def trained(self, callback) -> int:
        return self.trainer(callback).train().global_step

    def resumed(self, **how) -> tuple[object, int]:
        """From the trainer's own log."""
        first = self.callback("eval_acc", least=99, best=0.9)
        self.trainer(first, save_strategy="steps", save_steps=3).train()
        again = self.callback("acc", **how)
        last = self.trainer(again).train(resume_from_checkpoint=str(self.folder / "checkpoint-3"))
        return again, last.global_step


class Lightning:
    """One step an epoch, and a validation."""

    def __init__(self, folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reason = "needs lightning: make adapters installs it"
            self.lightning = pytest.importorskip("lightning.pytorch", reason=reason)
        from curvecast.while_training.for_lightning import CurvecastCallback

        self.callback, self.saved = CurvecastCallback, folder / "last.ckpt"

    def line(self):
        class Line(self.lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(1, 1)

            def training_step(self, batch, _):
                return self.layer(batch).square().mean()

            def validation_step(self, batch, _):
                self.log("val_acc", LOW[max(1, self.trainer.global_step) - 1])

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), 0.1)

        return Line()

    def trainer(self, *callbacks, **how):
        loud = ("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary")
        settings = {"max_epochs": STEPS, "accelerator": "cpu", "callbacks": [*callbacks]}
        return self.lightning.Trainer(**settings | dict.fromkeys(loud, False) | how)

    def fit(self, trainer, **how) -> int:
        data = torch.utils.data.DataLoader(torch.ones(4, 1), batch_size=4)
        trainer.fit(self.line(), data, data, **how)
        return trainer.global_step

    def trained(self, callback) -> int:
        return self.fit(self.trainer(callback))

    def resumed(self, **how) -> tuple[object, int]:
        """Its state is in the checkpoint."""
        first = self.trainer(self.callback("val_acc", least=99, best=0.9), max_steps=3)
        self.fit(first)
        first.save_checkpoint(self.saved)
        again = self.callback("val_acc", **how)
        return again, self.fit(self.trainer(again), ckpt_path=self.saved)


keras, hugging_face, lightning = (
    pytest.fixture(name=name)(lambda tmp_path, kind=kind: kind(tmp_path))
    for name, kind in {"keras": Keras, "hugging_face": HuggingFace, "lightning": Lightning}.items()
)


@pytest.fixture(params=[Keras, HuggingFace, Lightning])
def adapter(request, tmp_path):
    return request.param(tmp_path)


def made(adapter, monitor="", **how):
    lines = []
    name = monitor or ("acc" if isinstance(adapter, HuggingFace) else "val_acc")
    return adapter.callback(name, tell=lines.append, **{"best": 0.9} | how), lines


def test_by_default_it_tells_and_trains_on(adapter):
    callback, lines = made(adapter)
    assert adapter.trained(callback) == STEPS
    assert lines[0].startswith("curvecast: step 5: will end at 0.") and lines[0].endswith(": could stop now")
    stopper = callback.watched.stopper
    assert stopper.horizon == STEPS and stopper.steps[0] == 1 and stopper.values == pytest.approx(LOW)


def test_with_act_a_hopeless_training_ends_and_a_second_one_begins_anew(adapter):
    callback, _ = made(adapter, act=True)
    assert adapter.trained(callback) == 5
    assert isinstance(adapter, Lightning) or adapter.trained(callback) == 5


def test_a_training_that_is_resumed_knows_what_was(adapter):
    callback, last = adapter.resumed(act=True, best=0.9, tell=lambda _: None)
    assert last == 5 and callback.watched.stopper.steps == [1, 2, 3, 4, 5]


def test_a_misspelt_monitor_is_an_error_at_the_first_validation(adapter):
    refuses("ac' is not among", lambda: adapter.trained(made(adapter, "val_ac")[0]))


def test_keras_may_not_validate_each_epoch_and_a_file_that_cannot_be_written_ends_nothing(keras, tmp_path):
    callback, _ = made(keras, horizon=STEPS)
    for epoch, logs in enumerate(({"loss": 1.0}, {"loss": 1.0, "val_acc": 0.5})):
        callback.on_epoch_end(epoch, logs)
    assert callback.watched.stopper.steps == [2]
    callback, lines = made(keras, keep=tmp_path / "no" / "run.json")
    assert keras.trained(callback) == STEPS and sum("cannot write" in line for line in lines) == 1


def test_a_first_epoch_of_keras_reads_nothing_that_was_kept(keras):
    keras.trained(made(keras, keep=keras.keep)[0], end=3)
    callback, _ = made(keras, keep=keras.keep)
    keras.trained(callback, end=1)
    assert callback.watched.stopper.steps == [1]


def test_two_callbacks_of_keras_may_keep_their_values_in_one_file(keras):
    for epochs in (range(3), range(3, 5)):
        how = {"horizon": STEPS, "keep": keras.keep}
        both = [made(keras, **how)[0], made(keras, "val_loss", metric="loss", **how)[0]]
        for epoch in epochs:
            for callback in both:
                callback.on_epoch_end(epoch, {"val_acc": 0.5, "val_loss": 0.5})
    assert [callback.watched.stopper.steps for callback in both] == [[1, 2, 3, 4, 5]] * 2


def test_an_evaluation_outside_of_a_training_is_none_of_its_business(hugging_face):
    callback, lines = made(hugging_face, "eval_acc")
    hugging_face.trainer(callback).evaluate()
    assert not lines and not callback.watched.stopper.values


@pytest.mark.parametrize(("monitor", "how", "greater", "found"), [
    ("eval_loss", {}, None, True), ("acc", {}, False, True), ("acc", {}, True, False),
    ("acc", {"metric": "accuracy"}, False, "higher eval_acc is better for the callback, lower for the trainer"),
    ("loss", {}, True, "lower eval_loss is better for the callback"),
    ("acc", {"bounds": (0.5, 1)}, True, "the first value is 0.06, outside 0.5 to 1"),
])  # fmt: skip
def test_the_trainer_or_the_name_says_whether_lower_is_better_and_what_contradicts_is_an_error(
    hugging_face, monitor, how, greater, found
):
    callback, _ = made(hugging_face, monitor, **how)
    direction = {"metric_for_best_model": monitor, "greater_is_better": greater}
    training = hugging_face.trainer(callback, **direction)
    if isinstance(found, str):
        refuses(found, training.train)
        return
    training.train()
    assert callback.watched.stopper.minimise is found and len(callback.watched.stopper.values) == STEPS


def test_the_trainer_of_hugging_face_tells_its_rates_and_a_checkpoint_its_settings(hugging_face, tmp_path):
    callback, _ = made(hugging_face, schedule="trainer", least=99)
    hugging_face.trainer(callback, save_strategy="steps", save_steps=3).train()
    rates = callback.watched.stopper.schedule.function
    assert [rates(step) for step in (0, STEPS)] == [1.0, 0.0] and 0 < rates(STEPS - 1) < 0.5
    assert callback.watched.stopper.forecast() is None or callback.state()["args"]["schedule"] == "trainer"
    again = hugging_face.trainer(hugging_face.callback("acc"), restore_callback_states_from_checkpoint=True)
    again.train(resume_from_checkpoint=str(tmp_path / "checkpoint-3"))
    (restored,) = (one for one in again.callback_handler.callbacks if isinstance(one, hugging_face.callback))
    stopper = restored.watched.stopper
    assert (stopper.least, stopper.best, stopper.schedule.function(STEPS)) == (99, 0.9, 0)
    # as accelerate does
    wrapped = SimpleNamespace(scheduler=SimpleNamespace(lr_lambdas=[lambda step: step / 2]))
    settings, state = SimpleNamespace(metric_for_best_model=None), SimpleNamespace(log_history=[])
    callback.on_train_begin(settings, state, None, wrapped)
    assert callback.watched.stopper.schedule.function(3) == 1.5
    settings = {"lr_scheduler_type": "reduce_lr_on_plateau", "metric_for_best_model": "acc"}
    unknowing = hugging_face.trainer(made(hugging_face, schedule="trainer")[0], **settings)
    refuses("ReduceLROnPlateau, does not know its rates ahead", unknowing.train)


def test_a_checkpoint_of_hugging_face_keeps_a_plan_that_json_can_hold(hugging_face):
    for plan in ("cosine", [(1, 0.1), (4, 0.01)], np.full(STEPS, 0.1)):
        first = made(hugging_face, schedule=plan, target=0.8)[0]
        again = hugging_face.callback(**first.state()["args"])
        assert again.watched.stopper.target == 0.8
        assert again.watched.stopper.schedule == first.watched.stopper.schedule is not None


def test_lightning_may_watch_two_values_and_a_validation_alone_is_left_alone(lightning):
    callback, lines = made(lightning)
    other = lightning.callback("val_loss", metric="loss", tell=lines.append)
    alone = lightning.trainer(callback, other)
    alone.validate(lightning.line(), torch.utils.data.DataLoader(torch.ones(4, 1)), verbose=False)
    assert not lines and not callback.watched.stopper.values
    refuses("'val_loss' is not among", lightning.fit, alone)


def test_a_training_without_a_validation_is_told_once(lightning):
    callback, lines = made(lightning)
    lightning.fit(lightning.trainer(callback, limit_val_batches=0))
    assert lines == ["curvecast: this training has no validation: there is nothing to forecast"]
