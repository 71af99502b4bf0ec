"""The runner: `python -m reproduce --help` lists its commands. Nothing heavy is imported too early."""

import argparse
import errno
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from curvecast.command.arguments import Parser
from curvecast.ground.errors import UserError
from reproduce._press import commands, store
from reproduce._press.contract import ROOT, SCALES
from reproduce._press.questions import known

HERE = Path.cwd()  # where paths on the command line start, wherever the runner works
Argument = tuple[str, dict[str, Any]]

QUESTIONS = ("questions", {"nargs": "*", "metavar": "question", "help": "names from `list`; none means all"})
MINUTES = (
    "--minutes",
    {"type": float, "help": "stop cleanly after so many minutes; the same command continues later"},
)


def text(name: str, help: str) -> Argument:
    return name, {"help": help}


def flag(name: str, help: str) -> Argument:
    return name, {"help": help, "action": "store_true"}


def scale(default: str | None) -> Argument:
    choices = "smoke (seconds), laptop (minutes) or paper (GPU)"
    return "--scale", {"default": default, "help": f"{choices}; default: {default or 'all that are there'}"}


def file(name: str, **settings: str) -> Argument:
    return name, {"type": lambda path: (HERE / path).resolve(), **settings}


RETIRE = "why claims that are no longer asked, or all of a question that is gone, are kept as retired ones"
COST = flag("--cost", "print time, memory and disk of what would be done on this machine, and do nothing")
OUT = file("--out", help="another folder for answers than runs/here")

# command: (what it does, an example, its arguments)
COMMANDS: dict[str, tuple[str, str, list[Argument]]] = {
    "list": ("name the questions and say whether their answers are up to date", "list", []),
    "run": (
        "train, measure and draw questions",
        "run accuracy --scale smoke",
        [
            QUESTIONS,
            scale("laptop"),
            text("--part", "measure only this part of one question, or these (a,b,c), without drawing"),
            flag("--go-on", "skip parts that are up to date"),
            MINUTES,
            OUT,
            COST,
        ],
    ),
    "train": (
        "train one model, all that a scale needs, or beside other work all of a question (paper scale)",
        "train --queue paper_grid --minutes 150",
        [
            ("name", {"nargs": "?", "help": "its name, or how it begins"}),
            scale(None),
            (
                "--queue",
                {
                    "metavar": "QUESTION",
                    "help": "train and score its networks, a process a core, at lowest priority",
                },
            ),
            MINUTES,
            COST,
        ],
    ),
    "draw": (
        "make figures, tables and claims again from the rows on disk",
        "draw accuracy",
        [QUESTIONS, scale(None), OUT],
    ),
    "todo": (
        "list what is missing at a scale, with its cost in GPU minutes",
        "todo --scale paper --minutes 30 --run",
        [
            QUESTIONS,
            scale("paper"),
            ("--minutes", {"type": float, "help": "what fits into so many"}),
            flag(
                "--run", "do it in this order; a training that was stopped continues from its last checkpoint"
            ),
        ],
    ),
    "smoke": (
        "run questions at smoke scale and say which of their golden numbers moved",
        "smoke accuracy --keep",
        [QUESTIONS, flag("--keep", "write the lines that moved to figures/<question>/golden.csv")],
    ),
    "verify": (
        "say how the claims are answered here: yes, no, unclear or not tested",
        "verify --scale laptop --json",
        [
            scale("laptop"),
            flag("--json", "for machines"),
            flag("--time", "instead: what the last run and the last tests took, beside the last quiet ones"),
            flag("--write", "with --time: these are quiet ones"),
            OUT,
        ],
    ),
    "ledger": (
        "show ledgers of reproductions side by side: these files, or those in ledger/",
        "ledger runs/laptop/ledger.json",
        [
            file("files", nargs="*", metavar="FILE"),
            file("--write", metavar="FILE", help="write the ledger of the answers here first"),
            scale("laptop"),
            OUT,
        ],
    ),
    "publish": (
        "publish the answers that were made here, or draw the published ones again",
        "publish accuracy --scale laptop",
        [QUESTIONS, scale(None), ("--retire", {"metavar": "WHY", "default": "", "help": RETIRE})],
    ),
    "ship": (
        "train the released model and write it for PyTorch, for the page, and its model card (20 min)",
        "ship",
        [MINUTES],
    ),
    "card": ("write the model card of the released model from its answers", "card", []),
    "bundle": (
        "pack answers and small weights into one checked tar",
        "bundle answers.tar accuracy --scale paper",
        [
            file("out", metavar="OUT.tar"),
            QUESTIONS,
            scale("paper"),
            text("--commit", "the commit of this code, on a machine without git"),
        ],
    ),
    "unbundle": (
        "check such a tar and put its files in their places",
        "unbundle answers.tar",
        [file("tar", metavar="IN.tar")],
    ),
    "blog": (
        "the whole blog: train, measure, draw, build the site, answer the claims",
        "blog --page reproduction",
        [
            text("--page", "only the questions of this page, by its slug"),
            scale("laptop"),
            flag("--every", "measure also questions of which no claim is settled at laptop scale"),
            flag("--all", "end with every claim, not only with those that differ from the published ones"),
            flag("--again", "measure also what is up to date"),
            ("--profile", {"default": "local", "help": "where jobs run: local or slurm; default: local"}),
            COST,
        ],
    ),
}
# for jobs, for the released model, and between machines; each has its --help all the same
UNLISTED = ("train", "card", "bundle", "unbundle")


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="python -m reproduce", description="Remake the answers of the blog.")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="command")
    for name, (purpose, example, arguments) in COMMANDS.items():
        sentence, epilog = f"{purpose[0].upper()}{purpose[1:]}.", f"example: python -m reproduce {example}"
        listed: dict[str, Any] = {} if name in UNLISTED else {"help": purpose}
        command = subparsers.add_parser(name, description=sentence, epilog=epilog, **listed)
        for argument, settings in arguments:
            command.add_argument(argument, **settings)
    return top


def ship(args: argparse.Namespace) -> int:
    from reproduce.practice import _ship as ship

    for path in ship.ship(args.minutes):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.2f} MB")
    card(args)
    commands.smoke(argparse.Namespace(questions=[], keep=True))  # which numbers does the new network move?
    stale = commands.stale()
    advice = f"{', '.join(stale)}; run and publish them, then `card` again" if stale else "nothing"
    print(f"out of date now: {advice}")
    return 0


def card(args: argparse.Namespace) -> int:
    from reproduce.practice import _card as card

    store.write(card.PATH, card.card().encode())
    print(card.PATH.relative_to(ROOT))
    return 0


def main(arguments: list[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    name = "list_" if args.command == "list" else args.command
    call = {"ship": ship, "card": card}.get(name) or getattr(commands, name)
    with suppress(ValueError):  # not where another thread calls us
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # of `timeout` or a batch system: as Ctrl-C
    try:
        if getattr(args, "scale", None):
            known("scale", args.scale, SCALES)
        status = int(call(args))
        sys.stdout.flush()
        return status
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "\nStopped. What was finished is kept; run the same command again to continue.", file=sys.stderr
        )
        return 130
    except BrokenPipeError:  # `python -m reproduce list | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        path = error.filename or "a file"
        print(
            f"The disk is full: could not write {path}; its old content is kept. Make room.", file=sys.stderr
        )
        return 2
    except Exception as error:
        if type(error).__name__ != "Paused":  # train's, not imported just to name it
            raise
        print(error, file=sys.stderr)
        return commands.PAUSED


if __name__ == "__main__":
    os.chdir(ROOT)  # holds weights/ and runs/
    sys.exit(main())
