"""Guards curvecast/while_training/for_hugging_face.py, with the real Trainer."""

import pytest
import torch

from curvecast.ground.errors import UserError

transformers = pytest.importorskip("transformers", reason="needs transformers: make adapters installs it")
pytest.importorskip("accelerate", reason="the Trainer needs accelerate: make adapters installs it")

from curvecast.while_training.for_hugging_face import CurvecastCallback  # noqa: E402  # needs transformers

STEPS = 12
LOW = [0.3 * (1 - 0.8 / step) for step in range(1, STEPS + 1)]


class Line(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))

    def forward(self, x, labels):
        loss = (self.weight * x - labels).square().mean()
        return {"loss": loss, "logits": self.weight * x}


def trainer(folder, callback, **how):
    """A training of twelve steps with an evaluation after each; what the evaluations say is known beforehand."""
    settings = transformers.TrainingArguments(
        str(folder), max_steps=STEPS, eval_strategy="steps", eval_steps=1, report_to="none", disable_tqdm=True,
        use_cpu=True, logging_strategy="no", **{"save_strategy": "no"} | how,
    )  # fmt: skip
    data = [{"x": torch.ones(1), "labels": torch.ones(1)}] * 4
    made = transformers.Trainer(Line(), settings, train_dataset=data, eval_dataset=data, callbacks=[callback])
    made.compute_metrics = lambda _: {"acc": LOW[made.state.global_step - 1]}
    made.remove_callback(transformers.PrinterCallback)
    return made


def made(monitor="eval_acc", **how):
    lines = []
    return CurvecastCallback(monitor, best=0.9, tell=lines.append, **how), lines


@pytest.mark.parametrize("monitor", ["eval_acc", "acc"])
def test_by_default_it_tells_and_trains_on(tmp_path, monitor):
    callback, lines = made(monitor)
    assert trainer(tmp_path, callback).train().global_step == STEPS
    assert lines[0].startswith("curvecast: step 5: will end at 0.") and lines[0].endswith(": could stop now")
    assert callback.watched.stopper.horizon == STEPS


def test_with_act_a_hopeless_training_ends(tmp_path):
    assert trainer(tmp_path, made(act=True)[0]).train().global_step == 5


def test_a_training_that_is_resumed_knows_what_was(tmp_path):
    """From the trainer's own log."""
    first, _ = made(least=99)
    trainer(tmp_path, first, save_strategy="steps", save_steps=3).train()
    callback, _ = made(act=True)
    resumed = trainer(tmp_path, callback).train(resume_from_checkpoint=str(tmp_path / "checkpoint-3"))
    assert resumed.global_step == 5 and callback.watched.stopper.steps == [1, 2, 3, 4, 5]


def test_an_evaluation_outside_of_a_training_is_none_of_its_business(tmp_path):
    callback, lines = made()
    trainer(tmp_path, callback).evaluate()
    assert not lines and not callback.watched.stopper.values


@pytest.mark.parametrize(
    ("monitor", "greater", "minimise"),
    [("eval_loss", None, True), ("acc", False, True), ("acc", True, False)],
)
def test_the_trainer_or_the_name_says_whether_lower_is_better(tmp_path, monitor, greater, minimise):
    callback, _ = made(monitor)
    trainer(tmp_path, callback, metric_for_best_model=monitor, greater_is_better=greater).train()
    assert callback.watched.stopper.minimise is minimise and len(callback.watched.stopper.values) == STEPS


@pytest.mark.parametrize(
    ("monitor", "how", "greater", "sentence"),
    [
        ("acc", {"metric": "accuracy"}, False, "higher eval_acc is better for the callback, lower for the trainer"),
        ("loss", {}, True, "lower eval_loss is better for the callback"), ("ac", {}, True, "'eval_ac' is not among"),
        ("acc", {"bounds": (0.5, 1)}, True, "the first value is 0.06, outside 0.5 to 1"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_an_error(tmp_path, monitor, how, greater, sentence):
    direction = {"metric_for_best_model": monitor, "greater_is_better": greater}
    with pytest.raises(UserError, match=sentence):
        trainer(tmp_path, made(monitor, **how)[0], **direction).train()


def test_a_checkpoint_restores_its_settings(tmp_path):
    trainer(tmp_path, made(least=99)[0], save_strategy="steps", save_steps=3).train()
    again = trainer(tmp_path, CurvecastCallback("acc"), restore_callback_states_from_checkpoint=True)
    again.train(resume_from_checkpoint=str(tmp_path / "checkpoint-3"))
    (callback,) = (one for one in again.callback_handler.callbacks if isinstance(one, CurvecastCallback))
    assert (callback.watched.stopper.least, callback.watched.stopper.best) == (99, 0.9)
