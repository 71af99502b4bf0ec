"""Lines for a person, by default on standard error; a complaint is told once."""

import sys
from collections.abc import Callable
from typing import Any

from curvecast.ground.errors import printable

LONGEST = 500  # characters of a line
Out = Callable[[str], object]


class Telling:
    """out, trouble: where lines and complaints go instead; every_check: False: of a run, only that it could stop."""

    def __init__(self, out: Out | None = None, every_check: bool = True, trouble: Out | None = None):
        self._out = out or _to_standard_error
        self._trouble = trouble or self._out
        self._every_check = every_check
        self._told: set[str] = set()

    def line(self, text: str, out: Out | None = None) -> None:
        (out or self._out)(printable(f"curvecast: {text}", LONGEST))

    def check(self, run: str, text: str, hopeless: bool) -> None:
        """What a check found; where a trainer logs as well, only the first time that a run is hopeless."""
        if self._every_check:
            self.line(text)
        elif hopeless:
            self.once(f"hopeless {run}", text, self._out)

    def once(self, about: str, text: str, out: Out | None = None) -> None:
        """Of one kind of trouble the first sentence, and no more of that kind."""
        if about not in self._told:
            self._told.add(about)
            self.line(text, out or self._trouble)


def beside_a_log(tell: Out | None, log: Out | None, trouble: Out | None = None) -> Telling:
    """`tell` gets a line of every check; without it the trainer's log gets one line a hopeless run, and of each trouble."""
    return Telling(tell) if tell else Telling(log, False, trouble)


def _to_standard_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# -----------------------------------------------------------------------------------------------------------
# Several processes train one network: the first decides, and all follow, so that none waits for one that has stopped.


def decides(stop: bool, device: Any = None) -> bool:
    """What the first process says. Each process has to ask, each time, whatever it thinks itself."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)  # Keras may train without torch
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return stop
    if distributed.get_world_size() == 1:
        return stop
    told = [stop]
    distributed.broadcast_object_list(told, src=0, device=device)
    return bool(told[0])
