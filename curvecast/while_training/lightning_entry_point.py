"""What Lightning asks of every package with such an entry point, for every Trainer: further callbacks.

None, unless the variable CURVECAST_STOPPER names a value, and perhaps settings of the Stopper:
CURVECAST_STOPPER="val_loss metric=loss best=0.31 act=true"
"""

import os
import shlex
from collections.abc import Callable
from typing import Any

from curvecast.ground.errors import UserError
from curvecast.while_training.telling import Telling


def yes(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0"):
        raise ValueError
    return text.lower() in ("true", "1")


VARIABLE = "CURVECAST_STOPPER"
MAY_SAY: dict[str, Callable[[str], Any]] = {
    "metric": str, "horizon": float, "best": float, "delta": float, "least": int, "every": int,
    "act": yes, "minimise": yes,
}  # fmt: skip


def callbacks() -> list[Any]:
    """Nothing that goes wrong in here may keep a Trainer from being made."""
    told = os.environ.get(VARIABLE, "").strip()
    if not told:
        return []
    try:
        monitor, how = parsed(told)
        from curvecast.while_training.for_lightning import CurvecastCallback

        return [CurvecastCallback(monitor, came_from=f", {VARIABLE}", **how)]
    except Exception as error:
        Telling().line(f"{VARIABLE}={told}: {error} (no callback was added)")
        return []


def parsed(told: str) -> tuple[str, dict[str, Any]]:
    """A name, and words such as best=0.31."""
    monitor, *words = shlex.split(told)
    how = {}
    for word in words:
        name, is_there, text = word.partition("=")
        if not is_there or name not in MAY_SAY:
            raise UserError(f"'{word}' is not understood: write name=value with one of {', '.join(MAY_SAY)}")
        try:
            how[name] = MAY_SAY[name](text)
        except ValueError:
            raise UserError(f"'{word}' is not understood: write a number, or true or false") from None
    return monitor, how
