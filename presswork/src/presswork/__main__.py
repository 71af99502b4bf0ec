"""The commands: `presswork --help` lists them. Nothing heavy is imported too early."""

import argparse
import errno
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from presswork import commands
from presswork.authoring import commands as authoring
from presswork.ground.blog import BLOG, ROOT, SCALES
from presswork.ground.errors import UserError, known
from presswork.ground.plugin import Paused
from presswork.telling import commands as telling

HERE = Path.cwd()  # where paths on the command line start, wherever the runner works
Argument = tuple[str, dict[str, Any]]

QUESTIONS = ("questions", {"nargs": "*", "metavar": "question", "help": "names from `list`; none means all"})
UNTIL = "stop cleanly after so many minutes; the same command continues later"
MINUTES = ("--minutes", {"type": float, "help": UNTIL})


def text(name: str, help: str) -> Argument:
    return name, {"help": help}


def flag(name: str, help: str) -> Argument:
    return name, {"help": help, "action": "store_true"}


def scale(default: str | None) -> Argument:
    choices = f"{', '.join(SCALES[:-1])} or {SCALES[-1]}"
    return "--scale", {"default": default, "help": f"{choices}; default: {default or 'all that are there'}"}


def file(name: str, **settings: str) -> Argument:
    return name, {"type": lambda path: (HERE / path).resolve(), **settings}


def _name_or_file(name: str) -> str:
    return str((HERE / name).resolve()) if name.endswith(".md") else name


COST = flag("--cost", "print time, memory and disk of what would be done on this machine, and do nothing")
JSON = flag("--json", "for machines")
NAMES = "questions, or files that end with .md; none: all"
RETIRE = "why claims that are no longer asked, or all of a question that is gone, are kept as retired ones"
ONLY = "measure only this part of one question, or these (a,b,c), without drawing"
GO_ON = "leave out what is up to date, as --minutes does; of a costly scale also what is published"
EVERY = "measure also questions of which no claim is settled at the usual scale"


def does(what: str, example: str, *arguments: Argument) -> tuple[str, str, tuple[Argument, ...]]:
    return what, example, arguments


COMMANDS = {
    "demo": does("make a small report and break it twice: a number that moved, an answer that turned (15 s)", "demo"),
    "new": does("begin a blog: three files in a new folder", "new my-blog", file("folder")),
    "list": does("name the questions and say whether their answers are up to date", "list --json", JSON),
    "status": does("as list, by the questions as they are now; and what is to be done", "status", JSON),
    "run": does(
        "train, measure and draw questions", f"run QUESTION --scale {BLOG.smoke}",
        QUESTIONS, scale(BLOG.usual), text("--part", ONLY), flag("--go-on", GO_ON), MINUTES, COST,
    ),
    "train": does(
        "train one model, or all that a scale needs", "train --minutes 150",
        ("name", {"nargs": "?", "help": "its name; none means all"}), scale(None), MINUTES, COST,
    ),
    "draw": does(
        "make figures, tables and claims again from the rows on disk", "draw QUESTION", QUESTIONS, scale(None),
    ),
    "smoke": does(
        "run questions at the scale of tests and say which of their golden numbers moved", "smoke QUESTION --keep",
        QUESTIONS, flag("--keep", "write the lines that moved to figures/<question>/golden.csv"),
    ),
    "check": does(
        "say which golden numbers have moved and which sentences turned; or which numbers in Markdown files are stale",
        "check README.md --write", ("names", {"nargs": "*", "type": _name_or_file, "help": NAMES}),
        flag("--write", "keep the golden numbers, or put the numbers of the files right"),
    ),
    "why": does(
        "say where a number comes from: question, answer, receipt, and the lines of pages that name it",
        "why QUESTION/CLAIM --json", text("name", "a question, or question/claim, question/table, question/figure"), JSON,
    ),
    "export": does(
        "print a notebook page as Markdown, for generators that cannot read notebooks",
        "export docs/page.ipynb --output page.md", file("notebook", metavar="PAGE.ipynb"),
        file("--output", metavar="FILE", help="write it there instead"),
    ),
    "build": does(
        "build the site from the answers that lie here", "build --zip",
        flag("--zip", "instead: the site in one file that opens from disk"), flag("--pdf", "instead: all pages as one PDF"),
    ),
    "serve": does("show the site, and each change of a page", "serve", text("--address", "instead of localhost:8000")),
    "verify": does(
        "say how the claims are answered here: yes, no, unclear or not tested", f"verify --scale {BLOG.usual} --json",
        scale(BLOG.usual), JSON, flag("--time", "instead: what the last run and tests took, beside the last quiet ones"),
        flag("--write", "with --time: these are quiet ones"),
    ),
    "ledger": does(
        "show ledgers of reproductions side by side: these files, or those in ledger/",
        f"ledger runs/{BLOG.usual}/ledger.json", file("files", nargs="*", metavar="FILE"),
        file("--write", metavar="FILE", help="write the ledger of the answers here first"), scale(BLOG.usual),
    ),
    "publish": does(
        "publish the answers that were made here, or draw the published ones again",
        f"publish QUESTION --scale {BLOG.usual}",
        QUESTIONS, scale(None), ("--retire", {"metavar": "WHY", "default": "", "help": RETIRE}),
    ),
    "bundle": does(
        "pack answers, and what was made before where it is small, into one checked tar",
        f"bundle answers.tar QUESTION --scale {BLOG.best_first[0]}", file("out", metavar="OUT.tar"), QUESTIONS,
        scale(BLOG.best_first[0]), text("--commit", "the commit of this code, on a machine without git"),
    ),
    "unbundle": does(
        "check such a tar and put its files in their places", "unbundle answers.tar", file("tar", metavar="IN.tar"),
    ),
    "blog": does(
        "the whole blog: train, measure, draw, build the site, answer the claims", "blog --page PAGE",
        text("--page", "only the questions of this page, by its slug"), scale(BLOG.usual), flag("--every", EVERY),
        flag("--all", "end with every claim, not only with those that differ from the published ones"),
        flag("--again", "measure also what is up to date"),
        ("--profile", {"default": "local", "help": "where jobs run: local or slurm; default: local"}), COST,
    ),
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """It complains in one sentence, and says what was probably meant. Its subparsers are of the same kind."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{self.prog}: {message}; see {self.prog} --help")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        options, left = super().parse_known_args(args, namespace)
        if left and left[0].startswith("-") and left[0] != "-":
            known("option", left[0].split("=")[0], self._option_string_actions)
        if left:
            self.error(f"{left[0]!r} is an unexpected argument")
        return options, []

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Of commands, and of options with choices."""
        if action.choices is not None:
            known(str(action.metavar or action.dest), value, action.choices)


def parser() -> argparse.ArgumentParser:
    top = Parser(prog=BLOG.command, description="Remake the answers of the blog.")
    top.add_argument("--version", action="version", version=f"presswork {BLOG.version('presswork')}")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="command")
    more = {name: told[:3] for name, told in BLOG.plugin.commands().items()}
    for name, (purpose, example, arguments) in (COMMANDS | more).items():
        sentence, epilog = f"{purpose[0].upper()}{purpose[1:]}.", f"example: {BLOG.command} {example}"
        command = subparsers.add_parser(name, help=purpose, description=sentence, epilog=epilog)
        for argument, settings in arguments:
            command.add_argument(argument, **settings)
    return top


def main(arguments: list[str] | None = None) -> int:
    try:
        args = parser().parse_args(arguments)
    except UserError as error:  # of the command line, or of the blog's plugin
        print(error, file=sys.stderr)
        return 2
    name = "list_" if args.command == "list" else args.command
    own = BLOG.plugin.commands()
    ours = vars(authoring) | vars(telling) | vars(commands)
    call = own[name][3] if name in own else ours[name]
    with suppress(ValueError):  # not where another thread calls us
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # of `timeout` or a batch system: as Ctrl-C
    try:
        if args.command not in ("new", "demo"):
            BLOG.demand()
        if getattr(args, "scale", None):
            known("scale", args.scale, SCALES)
        status = int(call(args))
        sys.stdout.flush()
        return status
    except BLOG.errors as error:
        print(error, file=sys.stderr)
        return 2
    except Paused as paused:
        print(paused, file=sys.stderr)
        return commands.PAUSED
    except KeyboardInterrupt:
        continues = f"{BLOG.command} run --go-on, train and {BLOG.whole} continue there"
        print(f"\nStopped. What was finished is kept: {continues}.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `… list | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        if not full and not isinstance(error, PermissionError | NotADirectoryError | FileExistsError):
            raise
        wrong = "The disk is full" if full else error.strerror
        print(f"{wrong}: {error.filename or 'the file'} stays as it was.", file=sys.stderr)
        return 2


def start() -> NoReturn:
    os.chdir(ROOT)  # where what is made before and runs/ lie
    sys.exit(main())


if __name__ == "__main__":
    start()
