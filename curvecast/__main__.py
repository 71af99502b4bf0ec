"""curvecast: forecast learning curves, from a file of runs or while they grow.

examples:
  curvecast forecast runs.csv              a table with the forecast of each run
  curvecast forecast runs.csv --best       the likely best run first
  curvecast forecast a.csv b.csv           the runs of several files side by side
  curvecast forecast log.tsv --metric loss --horizon 50000 -o forecast.svg
  python train.py | curvecast forecast --json
  curvecast forecast log.csv --watch       forecast again whenever the file grows
  curvecast watch runs/                    a folder of logs: which runs could stop
  curvecast convert --list                 public learning curves, and what to clone
  curvecast doctor                         what is installed, and whether it works
"""

import argparse
import contextlib
import difflib
import importlib
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from curvecast import __version__
from curvecast.command.options import COMMANDS
from curvecast.ground.errors import FROM_THE_CLONE, UserError, missing_here, printable

NEGATIVE = re.compile(r"-(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$", re.IGNORECASE)  # argparse takes -1e3 for an option


class Parser(argparse.ArgumentParser):
    """Its subparsers are of the same kind.

    files   the argument that also takes what comes after options, as in `a.csv --best b.csv`
    """

    files: str | None = None

    def error(self, message: str) -> NoReturn:
        way_out = "" if message.endswith("?") else f"; see {self.prog} --help"
        self.exit(2, f"{self.prog}: {message}{way_out}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        options, left = super().parse_known_args(args, namespace)
        if self.files:
            more = [word for word in left if not _is_option(word)]
            setattr(options, self.files, [*getattr(options, self.files), *more])
            left = [word for word in left if _is_option(word)]
        if left:
            self.error(self._unknown(left[0]))
        return options, []

    def _unknown(self, word: str) -> str:
        if not _is_option(word):
            return f"{word!r} is an unexpected argument"
        option = word.split("=")[0]
        return f"there is no option {option!r}{_meant(option, self._option_string_actions)}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Of commands, and of options with choices."""
        if action.choices is not None and value not in action.choices:
            kind = action.metavar or "/".join(action.option_strings) or action.dest
            raise argparse.ArgumentError(None, f"there is no {kind} {value!r}{_meant(value, action.choices)}")


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _meant(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f": did you mean {close[0]!r}?" if close else ""


# -----------------------------------------------------------------------------------------------------------
# The command.


def main(arguments: list[str] | None = None) -> int:
    if sys.stdout is None:  # >&-
        print("curvecast: standard output is closed: leave >&- away, or write to /dev/null", file=sys.stderr)
        return 2
    if not (sys.argv[1:] if arguments is None else arguments):
        parser().print_help()
        return 2
    options = parser().parse_args(arguments)
    try:
        status = run(options)
        sys.stdout.flush()
    except UserError as error:
        print(f"curvecast: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if not missing_here(error):
            raise
        print(f"curvecast: `curvecast {options.command}` {FROM_THE_CLONE}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("curvecast: stopped", file=sys.stderr)
        return 130
    except OSError as error:  # such as a full disk below standard output
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # `curvecast … | head` has read enough
            return 141
        where = f"{error.filename or 'standard output'}: {error.strerror}"
        print(f"curvecast: {printable(where, 300)}; make room, or name another place", file=sys.stderr)
        return 2
    return status or 0


def parser() -> Parser:
    whole = Parser("curvecast", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    whole.add_argument("--version", action="version", version=f"curvecast {__version__}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="command")
    for name, (_, help, description, arguments) in COMMANDS.items():
        form = argparse.RawDescriptionHelpFormatter if "\n" in description else argparse.HelpFormatter
        command = commands.add_parser(name, help=help, description=description, formatter_class=form)
        command._negative_number_matcher = NEGATIVE
        for flags, how in arguments:
            command.add_argument(*flags.split(), **how)
    commands.choices["forecast"].files = "files"
    return whole


def run(options: argparse.Namespace) -> int | None:
    """Only now is imported what the command needs."""
    module = importlib.import_module(f"curvecast.command.{COMMANDS[options.command].module}")
    status: int | None = getattr(module, options.command)(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
