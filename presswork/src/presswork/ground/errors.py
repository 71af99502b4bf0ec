"""The error that a user can act on, and text from outside as it may go to a terminal."""

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

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


def known(kind: str, name: str, choices: Iterable[str]) -> str:
    """The name itself if it is among the choices, else a complaint with the nearest one."""
    choices = list(choices)
    if name in choices:
        return name
    near = difflib.get_close_matches(name, choices, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(choices) or 'none'}."
    raise UserError(f"There is no {kind} {name!r}; {hint}")


def printable(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as it may go to a terminal: not too long, and without control characters that may command it."""
    short = name if len(name) <= longest else name[: longest - 1] + "…"
    return "".join(c if c.isprintable() or c == "\u00a0" else "?" for c in short)


@contextmanager
def reading(where: Path | str, wrong: str, advice: str) -> Iterator[None]:
    """Whatever goes wrong while a file from outside is read, it is said what is `wrong`, as in "cannot be read"."""
    try:
        yield
    except (UserError, ModuleNotFoundError):  # a package that is missing is not the fault of the file
        raise
    except FileNotFoundError:
        raise UserError(f"there is no file {where}: check the name") from None
    except Exception as error:  # of lookups, of memory, of recursion, and whatever else libraries make of it
        said = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        raise UserError(f"{where} {wrong} ({printable(said, 120)}): {advice}") from error
