"""Files from outside: whatever goes wrong while one is read becomes one sentence that names the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curvecast.ground.errors import UserError, printable


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
