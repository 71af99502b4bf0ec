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
import importlib
import os
import sys

from curvecast import __version__
from curvecast.command.arguments import NEGATIVE, Parser
from curvecast.command.options import COMMANDS
from curvecast.ground.errors import FROM_THE_CLONE, UserError, missing_here, printable


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
