"""Safe unpickling: containers, numbers and text are read; a pickle that needs a class or a function is refused."""

import pickle
from pathlib import Path
from typing import Any

from curvecast.ground.errors import UserError


class Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def objects(path: Path) -> list[Any]:
    """All objects that were pickled into a file, in order."""
    unpickled: list[Any] = []
    try:
        with path.open("rb") as file:
            while file.peek(1):
                unpickled.append(Plain(file).load())
    except EOFError:
        raise UserError(f"{path} is cut off: download it again") from None
    except (pickle.UnpicklingError, ValueError, LookupError, TypeError, AttributeError) as error:
        if "truncated" in str(error):
            raise UserError(f"{path} is cut off: download it again") from None
        raise UserError(
            f"{path} is not a pickle of containers and numbers alone ({error}): nothing else is opened"
        ) from error
    if not unpickled:
        raise UserError(f"{path} is empty: download it again")
    return unpickled
