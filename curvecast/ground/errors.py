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


def printable(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as it may go to a terminal: no control characters, and not too long."""
    return visible(name if len(name) <= longest else name[: longest - 1] + "…")


def visible(text: str) -> str:
    """Without control characters: what a file contains may be meant to command the terminal."""
    return "".join(c if c.isprintable() or c == "\u00a0" else "?" for c in text)
