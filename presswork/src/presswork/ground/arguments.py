"""A parser of arguments that complains in one sentence, and says what was probably meant."""

import argparse
import difflib
import re
from collections.abc import Iterable
from typing import Any, NoReturn

NEGATIVE = re.compile(r"-(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$", re.IGNORECASE)  # argparse takes -1e3 for an option


class Parser(argparse.ArgumentParser):
    """Its subparsers are of the same kind."""

    def error(self, message: str) -> NoReturn:
        way_out = "" if message.endswith("?") else f"; see {self.prog} --help"
        self.exit(2, f"{self.prog}: {message}{way_out}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        options, left = super().parse_known_args(args, namespace)
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
