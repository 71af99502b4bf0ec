"""Files from outside: whatever goes wrong while one is read becomes one sentence that names the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curvecast.ground.errors import UserError

LONGEST_WHY = 120  # characters of what a library said


@contextmanager
def reading(where: Path | str, wrong: str, advice: str) -> Iterator[None]:
    """A damaged file makes all kinds of errors, those of lookups, of memory and of recursion among them.

    wrong   what is then said of the file, as in "cannot be read"
    """
    try:
        yield
    except (UserError, ModuleNotFoundError):  # a package that is missing is not the fault of the file
        raise
    except FileNotFoundError:
        raise UserError(f"there is no file {where}: check the name") from None
    except Exception as error:
        raise UserError(f"{where} {wrong} ({_why(error)}): {advice}") from error


def _why(error: Exception) -> str:
    said = (error.strerror if isinstance(error, OSError) else None) or str(error).strip() or "no reason given"
    told = isinstance(error, (OSError, ValueError))  # of the others the kind says more than the words
    return (said if told else f"{type(error).__name__}: {said}")[:LONGEST_WHY]
