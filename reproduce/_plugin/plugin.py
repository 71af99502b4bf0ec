"""All that this blog adds to presswork, in one class."""

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from curvecast.ground.errors import UserError
from reproduce._plugin import palette
from reproduce._plugin.networks import Networks

MINUTES = (
    "--minutes",
    {"type": float, "help": "stop cleanly after so many minutes; the same command continues"},
)


class CurvecastBlog(Networks):
    errors = (UserError,)
    methods = palette.METHODS
    heads = ("block", "family", "name", "prior", "step of the ladder")

    def paces(self, root: Path) -> dict[str, float]:
        from reproduce._plugin import speed

        return speed.paces(root)

    def stand_in(self) -> AbstractContextManager[object]:
        from reproduce._plugin import made_up_curves

        return made_up_curves.named()

    def commands(self) -> dict[str, Any]:
        trains = (
            "train the released model and write it for PyTorch, for the page, and its model card (20 min)"
        )
        writes = "write the model card of the released model from its answers"
        own = {"ship": (trains, "ship", [MINUTES], ship), "card": (writes, "card", [], card)}
        return own | {"train": train_or_queue()}

    def macros(self) -> tuple[type, ...]:
        from reproduce._plugin.guess import Guess
        from reproduce._plugin.headlines import Headlines
        from reproduce._plugin.idea import Idea
        from reproduce._plugin.live import Live
        from reproduce._plugin.paper import Paper

        return Guess, Idea, Live, Paper, Headlines

    def carried(self, name: str, data: bytes, site: Path) -> dict[str, bytes]:
        from reproduce._plugin import carried

        return carried.of_file(name, data, site)

    def carried_besides(self) -> dict[str, bytes]:
        from reproduce._plugin import carried

        return {f"{carried.LIVE}/from_disk.js": (Path(__file__).parent / "from_disk.js").read_bytes()}

    def notes(self, root: Path) -> list[str]:
        from reproduce._plugin import live

        missing = live.absent(root / "docs" / live.FOLDER)
        return [f"the zip has no live model, since {missing} is not there: make runtime"] if missing else []


def train_or_queue() -> tuple[str, str, list[Any], Callable[[argparse.Namespace], int]]:
    """The tool's `train`, and beside other work all networks of a question."""
    from presswork import commands, contract
    from presswork.__main__ import COMMANDS
    from presswork.ground.errors import demand

    def train(args: argparse.Namespace) -> int:
        if not args.queue:
            return commands.train(args)
        from reproduce._plugin import queue

        demand(not args.name, f"--queue trains all of a question: leave {args.name!r} out.")
        done = queue.start(contract.load(args.queue), args.scale or "paper", args.minutes, args.cost)
        return 0 if done else commands.PAUSED

    told = "train and score its networks, a process a core, at lowest priority; default scale: paper"
    arguments = [*COMMANDS["train"][2], ("--queue", {"metavar": "QUESTION", "help": told})]
    does = "train one model, all that a scale needs, or beside other work all of a question"
    return does, "train --queue QUESTION --minutes 150", arguments, train


def ship(args: argparse.Namespace) -> int:
    from presswork import commands, contract
    from presswork.answers.freshness import MISSING, UP_TO_DATE, freshness
    from reproduce.practice import _ship as ship

    for path in ship.ship(args.minutes):
        print(f"{path.relative_to(contract.ROOT)}: {path.stat().st_size / 1e6:.2f} MB")
    card(args)
    commands.smoke(argparse.Namespace(questions=[], keep=True))  # which numbers does the new network move?
    answers = [(name, scale) for name in contract.names() for scale in contract.SCALES[1:]]
    states = {f"{name}/{scale}": freshness(name, scale, contract.ROOT).state for name, scale in answers}
    stale = [name for name, state in states.items() if state not in (UP_TO_DATE, MISSING)]
    advice = f"{', '.join(stale)}; run and publish them, then `card` again" if stale else "nothing"
    print(f"out of date now: {advice}")
    return 0


def card(args: argparse.Namespace) -> int:
    from presswork import store
    from presswork.contract import ROOT
    from reproduce.practice import _card as card

    store.write(card.PATH, card.card().encode())
    print(card.PATH.relative_to(ROOT))
    return 0
