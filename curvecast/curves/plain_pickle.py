"""Pickles without their danger: containers, numbers and text come in; whatever would call anything is refused."""

import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any, BinaryIO

from curvecast.ground.errors import UserError

ADMITTED = {("collections", "OrderedDict"): OrderedDict}


class Plain(pickle.Unpickler):
    """A pickle asks by name for what it wants to call: there is one harmless name, and no other."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in ADMITTED:
            return ADMITTED[module, name]
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it asks for an object outside the file")


def objects(path: Path) -> list[Any]:
    """All that was pickled into a file, one after the other."""
    with path.open("rb") as file:
        return list_of(file, path)


def list_of(file: BinaryIO, path: Path) -> list[Any]:
    found: list[Any] = []
    while True:
        try:
            found.append(Plain(file).load())
        except EOFError:
            if not found:
                raise UserError(f"{path} is empty: download it again") from None
            return found
        except (pickle.UnpicklingError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise UserError(
                f"{path} is not a pickle of containers and numbers alone ({error}): nothing else is opened"
            ) from error
