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
import os
import sys
from pathlib import Path

from curvecast import __version__
from curvecast.command import completion
from curvecast.command.arguments import Parser
from curvecast.command.completion import FILE
from curvecast.command.options import FORECAST, FORECAST_OPTIONS, WATCH, WATCH_OPTIONS
from curvecast.ground.errors import UserError


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        status: int | None = options.do(options)
        sys.stdout.flush()
    except UserError as error:
        print(f"curvecast: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "tqdm"):
            raise
        needs = f"`curvecast {options.command}` needs PyTorch, though forecasts do not"
        print(f"curvecast: {needs}: pip install 'curvecast[train]'", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("curvecast: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `curvecast … | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status or 0


def parser() -> Parser:
    whole, _ = _parsers()
    return whole


def _parsers() -> tuple[Parser, list[Parser]]:
    """The whole, and those of its commands."""
    whole = Parser("curvecast", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    whole.add_argument("--version", action="version", version=f"curvecast {__version__}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="command")
    _forecast(commands)
    _watch(commands)
    _evaluate(commands)
    _sample(commands)
    _convert(commands)
    doctor = commands.add_parser(
        "doctor", help="report what is installed and whether it works",
        description="Report what is installed and whether it works. The exit status is 1 if something is broken.",
    )  # fmt: skip
    doctor.set_defaults(do=run_doctor)
    shell = commands.add_parser(
        "completion", help="print a script that completes commands in your shell",
        formatter_class=argparse.RawDescriptionHelpFormatter, description=COMPLETION,
    )  # fmt: skip
    shell.add_argument("shell", choices=completion.SHELLS, help="the shell to write it for")
    shell.set_defaults(do=run_completion)
    return whole, list(commands.choices.values())


def _forecast(commands: "argparse._SubParsersAction[Parser]") -> None:
    command = commands.add_parser(
        "forecast", help="forecast the runs in one or more files", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=FORECAST,
    )  # fmt: skip
    for flags, how in FORECAST_OPTIONS:
        command.add_argument(*flags.split(), **how)
    command.files = "files"
    command.set_defaults(do=run_forecast)


def _watch(commands: "argparse._SubParsersAction[Parser]") -> None:
    command = commands.add_parser(
        "watch", help="follow a folder of logs: which run will win, which could stop",
        formatter_class=argparse.RawDescriptionHelpFormatter, description=WATCH,
    )  # fmt: skip
    for flags, how in WATCH_OPTIONS:
        command.add_argument(*flags.split(), **how)
    command.set_defaults(do=run_watch)


COMPLETION = """Print a script that completes commands, options and files in your shell.

examples:
  eval "$(curvecast completion bash)"               in ~/.bashrc
  curvecast completion zsh > ~/.zfunc/_curvecast    with ~/.zfunc in fpath
  curvecast completion fish > ~/.config/fish/completions/curvecast.fish
"""


def _evaluate(commands: "argparse._SubParsersAction[Parser]") -> None:
    add = commands.add_parser(
        "evaluate", help="score weights on curves: likelihood, error and coverage at each cutoff"
    ).add_argument
    add("--weights", type=Path, metavar=FILE, required=True, help="a .safetensors file written by curvecast")
    add("--curves", type=Path, metavar=FILE, required=True, help="npz: noisy (n, epochs), clean if known")
    add("--cutoffs", type=cutoffs, default=[5, 10, 20, 40, 70], help="in epochs (default 5,10,20,40,70)")
    add("--json", action="store_true", help="print JSON instead of a table")
    commands.choices["evaluate"].set_defaults(do=run_evaluate)


def _sample(commands: "argparse._SubParsersAction[Parser]") -> None:
    add = commands.add_parser(
        "sample", help="sample curves from the prior of the paper and write them to a file"
    ).add_argument
    add("-n", type=int, default=1000, help="how many curves (default 1000)")
    add("--seed", type=int, default=0, help="the same seed gives the same curves everywhere")
    add("--length", type=int, default=100, help="epochs of a curve (default 100)")
    add("-o", "--output", type=Path, metavar=FILE, default=Path("curves.npz"), help="default curves.npz")
    commands.choices["sample"].set_defaults(do=run_sample)


CONVERT = """Make tables of real curves from the public repositories that publish them.

CLONE is a clone at the commit that --list names. With `all`, it is a folder of clones,
each named after its repository. OUT gets one table per source and an index of all curves;
set CURVECAST_DATA=OUT to use them when results are reproduced. The exit status is 1 if a
table differs from the published one.

examples:
  curvecast convert --list
  curvecast convert pythia clones/pythia curves/
  curvecast convert all clones/ curves/
"""


def _convert(commands: "argparse._SubParsersAction[Parser]") -> None:
    add = commands.add_parser(
        "convert", help="make tables of real curves from clones of public repositories",
        formatter_class=argparse.RawDescriptionHelpFormatter, description=CONVERT,
    ).add_argument  # fmt: skip
    add("source", nargs="?", metavar="SOURCE", help="a name that --list prints, or all")
    add("clone", nargs="?", type=Path, metavar="CLONE", help="the folder of the clone")
    add("out", nargs="?", type=Path, metavar="OUT", help="the folder to write the tables to")
    add("--list", action="store_true", help="what to clone: repository, commit, size, licence, command")
    commands.choices["convert"].set_defaults(do=run_convert)


def cutoffs(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of epochs such as 5,10,20") from None


def run_forecast(options: argparse.Namespace) -> None:
    from curvecast.command import terminal

    terminal.forecast(options)


def run_watch(options: argparse.Namespace) -> None:
    from curvecast.command import watch

    watch.watch(options)


def run_doctor(options: argparse.Namespace) -> int:
    from curvecast.command import doctor

    found = doctor.findings()
    print(doctor.report(found))
    return 0 if all(one.works for one in found) else 1


def run_completion(options: argparse.Namespace) -> None:
    print(completion.script(*_parsers(), options.shell))


def run_convert(options: argparse.Namespace) -> int:
    from curvecast.command import convert

    if options.list:
        print(convert.listed())
        return 0
    if options.out is None:
        raise UserError("convert needs SOURCE, CLONE and OUT, or --list; see curvecast convert --help")
    return convert.run(options.source, options.clone, options.out)


def run_evaluate(options: argparse.Namespace) -> None:
    from curvecast.command import npz

    npz.evaluate_weights(options.weights, options.curves, options.cutoffs, options.json)


def run_sample(options: argparse.Namespace) -> None:
    from curvecast.command import npz

    npz.write(options.n, options.seed, options.length, options.output)


if __name__ == "__main__":
    sys.exit(main())
