"""Pickles without their danger: containers, numbers and text come in; whatever would call anything is refused."""

import pickle
import re
from collections import OrderedDict
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from curvecast.ground.errors import UserError


class File(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...

    def readline(self) -> bytes: ...

    def peek(self, size: int = 0, /) -> bytes: ...


class Kind:
    """In place of a numpy dtype: a plain number of up to eight bytes, and nothing that points anywhere."""

    def __init__(self, name: str, *_: Any):
        if not (isinstance(name, str) and re.fullmatch("[biuf][1248]", name)):
            raise pickle.UnpicklingError(f"it holds numbers of the kind {name!r}")
        self.name, self.order = name, "<"

    def __setstate__(self, state: tuple) -> None:
        self.order = ">" if state[1] == ">" else "<"


def number(kind: Kind, data: bytes) -> float:
    """In place of a numpy scalar."""
    (found,) = np.frombuffer(data, dtype=kind.order + kind.name)
    return found.item()


def latin(text: str, encoding: str) -> bytes:
    """How old pickles keep the bytes of a number."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it holds bytes in {encoding!r}")
    return text.encode("latin1")


ADMITTED: dict[tuple[str, str], Any] = {
    ("_codecs", "encode"): latin,
    ("collections", "OrderedDict"): OrderedDict,
    **{
        (builtin, kind.__name__): kind for builtin in ("__builtin__", "builtins") for kind in (set, frozenset)
    },
    ("numpy", "dtype"): Kind,
    ("numpy.core.multiarray", "scalar"): number,
    ("numpy._core.multiarray", "scalar"): number,
}


class Plain(pickle.Unpickler):
    """A pickle asks by name for what it wants to call: there are a few harmless names, and no others."""

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


def list_of(file: File, path: Path) -> list[Any]:
    found: list[Any] = []
    try:
        while file.peek(1):
            found.append(Plain(file).load())
    except EOFError:
        raise UserError(f"{path} is cut off: download it again") from None
    except (pickle.UnpicklingError, ValueError, LookupError, TypeError, AttributeError) as error:
        if "truncated" in str(error):
            raise UserError(f"{path} is cut off: download it again") from None
        raise UserError(
            f"{path} is not a pickle of containers and numbers alone ({error}): nothing else is opened"
        ) from error
    if not found:
        raise UserError(f"{path} is empty: download it again")
    return found
