"""Guards curvecast/while_training/never_harm.py: what goes wrong in here ends no training."""

import pytest

from curvecast.ground.errors import UserError
from curvecast.while_training.never_harm import never_harm
from curvecast.while_training.telling import Telling


class Callback:
    def __init__(self, error, out):
        self.error, self.telling = error, Telling(out)

    @never_harm(otherwise=False)
    def decide(self):
        raise self.error


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            ZeroDivisionError("x"),
            "a bug in curvecast (ZeroDivisionError: x): the training goes on without this advice",
        ),
        (UserError("the horizon is 3: take more"), "the horizon is 3: take more (the training goes on)"),
    ],
)
def test_an_exception_is_a_sentence_told_once(error, sentence):
    """And the answer is the one that changes nothing."""
    lines = []
    callback = Callback(error, lines.append)
    assert [callback.decide() for _ in range(3)] == [False, False, False]
    assert len(lines) == 1 and sentence in lines[0]


def test_not_even_a_closed_standard_error_ends_a_training():
    def closed(_):
        raise ValueError("I/O operation on closed file")

    assert Callback(ZeroDivisionError(), closed).decide() is False


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_whoever_ends_the_program_ends_it(error):
    with pytest.raises(error):
        Callback(error, print).decide()
