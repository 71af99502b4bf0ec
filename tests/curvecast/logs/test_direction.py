"""Guards curvecast/logs/direction.py: a loss is never taken for an accuracy in silence, and an accuracy never for a loss."""

import pytest

from curvecast.ground.errors import UserError
from curvecast.logs import direction


@pytest.mark.parametrize(
    "name", ["val_loss", "Train/Loss", "eval_error", "logloss", "test MAE", "val_losses", "dev/ppl"]
)
def test_names_of_losses_are_heard(name):
    with pytest.raises(UserError, match="pass --metric loss or --metric error, or --metric accuracy"):
        direction.ask([name, name])


@pytest.mark.parametrize("name", ["accuracy", "glossy", "terror", "run 3", "lossless", "F1"])
def test_other_names_are_let_through(name):
    direction.ask([name])


def test_a_table_of_both_is_told_how_to_take_one():
    """Of held-out data, where there is such a column."""
    with pytest.raises(
        UserError, match=r"'loss' looks like .* 'val_accuracy' does not: .* --value 'val_accuracy'"
    ):
        direction.ask(["accuracy", "loss", "val_accuracy", "val_loss"])
    long = "a very long name of a run as Weights and Biases writes it - val_accuracy"
    with pytest.raises(UserError, match=f"--value '{long}'"):  # to be pasted
        direction.ask(["loss", long])
    with pytest.raises(UserError, match="--value 'top1'"):
        direction.ask(["loss", "top1"])


def test_runs_may_be_named_after_losses():
    """Then no --value would help: what is measured is the same for all."""
    with pytest.raises(
        UserError, match=r"the run 'focal loss' sounds .*: pass --metric accuracy if higher is better"
    ):
        direction.ask(["value"], ["baseline", "focal loss"])
    direction.ask(["value"], ["baseline", "focal"])
