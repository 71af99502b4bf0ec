"""Bad input gets one sentence."""

from collections.abc import Callable

import pytest

from curvecast.ground.errors import UserError


def refuses(words: str, call: Callable[..., object], /, *given: object, **named: object) -> str:
    """What is said of what was given: a line in which this pattern is found."""
    with pytest.raises(UserError, match=words) as told:
        call(*given, **named)
    assert "\n" not in str(told.value)
    return str(told.value)
