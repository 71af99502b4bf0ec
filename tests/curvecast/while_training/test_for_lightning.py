"""Guards curvecast/while_training/for_lightning.py, with the real Trainer."""

import warnings

import pytest
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what Lightning's own imports warn of is not ours
    lightning = pytest.importorskip("lightning.pytorch", reason="needs lightning: make adapters installs it")

from curvecast.ground.errors import UserError
from curvecast.while_training.for_lightning import CurvecastCallback  # needs lightning

pytestmark = pytest.mark.filterwarnings("ignore")  # Lightning advises of loaders and loggers
EPOCHS = 12


class Line(lightning.LightningModule):
    """One step an epoch, and a validation whose value is known beforehand."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch, _):
        return self.layer(batch).square().mean()

    def validation_step(self, batch, _):
        self.log("val_acc", 0.3 * (1 - 0.8 / max(1, self.trainer.global_step)))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def trainer(*callbacks, **how):
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    return lightning.Trainer(
        **{"max_epochs": EPOCHS, "accelerator": "cpu", "callbacks": list(callbacks)} | quiet | how
    )


def fit(made, **how):
    data = torch.utils.data.DataLoader(torch.ones(4, 1), batch_size=4)
    made.fit(Line(), data, data, **how)
    return made


def made(**how):
    lines = []
    return CurvecastCallback("val_acc", best=0.9, tell=lines.append, **how), lines


def test_by_default_it_tells_and_trains_on():
    """The validation that checks the code before the training counts for nothing."""
    callback, lines = made()
    assert fit(trainer(callback)).global_step == EPOCHS
    assert lines[0].startswith("curvecast: step 5: will end at 0.") and lines[0].endswith(": could stop now")
    assert callback.watched.stopper.horizon == EPOCHS and callback.watched.stopper.steps[0] == 1


def test_with_act_a_hopeless_training_ends():
    assert fit(trainer(made(act=True)[0])).global_step == 5


def test_its_state_is_in_the_checkpoint(tmp_path):
    """A training that goes on from there ends when it would have ended."""
    first = trainer(made(least=99)[0], max_steps=3)
    fit(first).save_checkpoint(tmp_path / "last.ckpt")
    callback, _ = made(act=True)
    assert fit(trainer(callback), ckpt_path=tmp_path / "last.ckpt").global_step == 5
    assert callback.watched.stopper.steps == [1, 2, 3, 4, 5]


def test_two_values_may_be_watched_and_a_validation_alone_is_left_alone():
    callback, lines = made()
    other = CurvecastCallback("val_loss", metric="loss", tell=lines.append, came_from=", a variable")
    alone = trainer(callback, other)
    alone.validate(Line(), torch.utils.data.DataLoader(torch.ones(4, 1)), verbose=False)
    assert not lines and not callback.watched.stopper.values
    fit(alone)
    assert any("'val_loss' is not among" in line for line in lines)


def test_a_misspelt_monitor_is_an_error_at_the_first_validation():
    alone = trainer(CurvecastCallback("val_ac"))
    with pytest.raises(UserError, match="'val_ac' is not among"):
        fit(alone)
    assert alone.global_step == 1


def test_a_training_without_a_validation_is_told_once():
    callback, lines = made()
    fit(trainer(callback, limit_val_batches=0))
    assert lines == ["curvecast: this training has no validation: there is nothing to forecast"]
