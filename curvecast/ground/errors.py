"""The error that a user can act on, and text from outside as it may go to a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_NAME = 40  # of a name as it is printed
LONGEST = 4_000  # of a whole complaint


class UserError(ValueError):
    """One printable sentence: what is wrong, where, and what to do. Command lines print it and exit with 2."""

    def __init__(self, text: str):
        super().__init__("\n".join(printable(line, LONGEST) for line in text.split("\n")))


def demand(fulfilled: object, otherwise: str) -> None:
    """Else it is said what is wrong, where, and what to do."""
    if not fulfilled:
        raise UserError(otherwise)


@contextmanager
def installed(otherwise: str) -> Iterator[None]:
    """Around the import of a package that may be missing: then it is said what to install."""
    try:
        yield
    except ImportError:
        raise UserError(otherwise) from None


# The package holds what a forecast, the command, readers of logs and callbacks need, and does without torch.
FROM_THE_CLONE = "comes with the repository and not with the package: clone it and run `make setup`"


def missing_here(error: ModuleNotFoundError) -> bool:
    """Is it a module that the package leaves out, or what only such modules need?"""
    name = error.name or ""
    return name in ("torch", "tqdm") or name.startswith("curvecast.")


def printable(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as it may go to a terminal: no control characters, and not too long."""
    return visible(name if len(name) <= longest else name[: longest - 1] + "…")


def visible(text: str) -> str:
    """Without control characters: what a file contains may be meant to command the terminal."""
    return "".join(c if c.isprintable() or c == "\u00a0" else "?" for c in text)
