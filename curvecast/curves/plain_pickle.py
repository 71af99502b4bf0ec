"""Safe unpickling: lists, dictionaries, numbers and text are read; a pickle that needs a class or a function is refused.

So are tuples: of tuples within tuples Python computes a hash without a limit of depth or time.
"""

import io
import pickle
import pickletools
from pathlib import Path
from typing import Any

from curvecast.ground.errors import demand, reading

LARGEST = 1_000_000  # bytes, of which each may make an empty set
REFUSED = ("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "EMPTY_TUPLE", "FROZENSET")


class Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def objects(path: Path) -> list[Any]:
    """All objects that were pickled into a file, in order."""
    unpickled: list[Any] = []
    with reading(path, "is not a pickle of containers and numbers alone", "is it cut off?"):
        with path.open("rb") as opened:
            file = io.BytesIO(opened.read(LARGEST + 1))
        size = len(file.getbuffer())
        demand(size <= LARGEST, f"{path} has more than {LARGEST / 1e6:g} MB: this is no log of a training")
        while (begin := file.tell()) < size:
            _check(file)
            file.seek(begin)
            unpickled.append(Plain(file).load())
    demand(unpickled, f"{path} is empty: download it again")
    return unpickled


def _check(file: io.BytesIO) -> None:
    """Before it is done: of numbered objects Python makes room for all up to the largest number."""
    for count, (opcode, argument, _) in enumerate(pickletools.genops(file)):
        if opcode.name in REFUSED:
            raise pickle.UnpicklingError(f"it asks for {opcode.name}")
        if opcode.name.endswith("PUT") and (argument or 0) > count:
            raise pickle.UnpicklingError(f"it asks for object {argument} of {count}")
