"""The error that a user can act on, and text from outside as it may go to a terminal."""

from collections.abc import Iterator
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


# -----------------------------------------------------------------------------------------------------------
# Files from outside: whatever goes wrong while one is read becomes one sentence that names the file.


@contextmanager
def reading(where: Path | str, wrong: str, advice: str) -> Iterator[None]:
    """Of a damaged file it is said what is `wrong`, as in "cannot be read"."""
    try:
        yield
    except (UserError, ModuleNotFoundError):  # a package that is missing is not the fault of the file
        raise
    except FileNotFoundError:
        raise UserError(f"there is no file {where}: check the name") from None
    except Exception as error:  # of lookups, of memory, of recursion, and whatever else libraries make of it
        said = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        raise UserError(f"{where} {wrong} ({printable(said, 120)}): {advice}") from error
