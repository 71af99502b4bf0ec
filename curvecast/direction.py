"""Is more better, or less? A loss that is read as an accuracy is forecast upside down, so whoever means it says so."""

import re

from curvecast.errors import UserError
from curvecast.points import printable

LOSSES = {
    "err",
    "error",
    "nll",
    "perplexity",
    "mse",
    "mae",
}  # words of a column or tag; and all that end in "loss"
HELD_OUT = re.compile("val|test", re.IGNORECASE)  # eval too


def ask(names: list[str]) -> None:
    """Complain where nothing was said of the metric and a name sounds as if less were better."""
    losses = [name for name in names if less_is_better(name)]
    if not losses:
        return
    looks = f"'{printable(losses[0])}' looks like something of which less is better"
    others = [name for name in names if name not in losses]
    if not others:
        raise UserError(
            f"{looks}: say --metric loss or --metric error, or --metric accuracy if more is better"
        )
    other = printable(next((name for name in others if HELD_OUT.search(name)), others[0]))
    raise UserError(
        f"{looks}, and '{other}' does not: take one of them, such as --value '{other}', or say --metric for all"
    )


def less_is_better(name: str) -> bool:
    words = re.split(r"[^a-z]+", name.lower())
    return any(word in LOSSES or word.endswith("loss") for word in words)
