"""Guards curvecast/direction.py: a loss is never taken for an accuracy in silence, and an accuracy never for a loss."""

import pytest

from curvecast import direction
from curvecast.errors import UserError


@pytest.mark.parametrize(
    "name", ["loss", "val_loss", "Train/Loss", "mse", "eval_error", "logloss", "test MAE"]
)
def test_names_of_losses_are_heard(name):
    with pytest.raises(UserError, match="say --metric loss or --metric error, or --metric accuracy"):
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
    with pytest.raises(UserError, match="--value 'top1'"):
        direction.ask(["loss", "top1"])
