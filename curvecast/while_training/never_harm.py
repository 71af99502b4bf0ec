"""No fault of ours ends a training: what goes wrong is reported once, and the training goes on without advice."""

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from curvecast.ground.errors import UserError
from curvecast.while_training.telling import Telling


class Tells(Protocol):
    telling: Telling


def never_harm(otherwise: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For methods of whoever tells: an exception becomes a sentence, and the answer `otherwise`.

    Ctrl-C and the end of the process are no faults, and pass.
    """

    def guard(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def guarded(self: Tells, *args: Any, **kwargs: Any) -> Any:
            try:
                return method(self, *args, **kwargs)
            except Exception as error:
                with suppress(Exception):  # standard error may be closed
                    self.telling.once(f"{type(error).__name__} in {method.__name__}", _sentence(error))
                return otherwise

        return guarded

    return guard


def _sentence(error: Exception) -> str:
    if isinstance(error, UserError):
        return f"{error} (the training goes on)"
    return f"a bug in curvecast ({type(error).__name__}: {error}): the training goes on without this advice; please report it"
