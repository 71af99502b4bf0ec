"""Questions about what positional encodings do. What was not trained has no answer."""

from functools import partial

from reproduce._press.claim import Above, Below, Between, Claim
from reproduce._press.where import Rows
from reproduce.encoding._cell_differences import RAW, gap
from reproduce.encoding._cell_names import CELLS

ALIKE, HARDLY_WORSE = Between(-0.05, 0.05), Above(-0.05)  # nats per point
CHOSEN = ("sincos", "rope", "learned", "alibi")
NOTHING = ("none", False)  # neither the epoch nor an encoding
_asks = partial(Claim, unit="nats per point")


def claims(rows: Rows, cutoffs: tuple[int, ...]) -> list[Claim]:
    usual = [f"at{cutoff}" for cutoff in cutoffs]
    order = "Does a network that is given neither the epoch nor an encoding score lower than one that is given the epoch?"
    return [
        _asks("order_matters", order, gap(rows, RAW, NOTHING, usual), Above(0.1)),
        *_beside_the_epoch(rows, usual),
        *_instead_of_the_epoch(rows, usual),
        *_elsewhere(rows),
        *_odd_ones(rows, usual),
    ]


def _beside_the_epoch(rows: Rows, usual: list[str]) -> list[Claim]:
    stated = []
    for name in CHOSEN:
        question = f"Does the {CELLS[name].title} encoding, added to the epoch, leave the score as it is?"
        stated.append(_asks(f"{name}_adds", question, gap(rows, (name, True), RAW, usual), ALIKE))
    return stated


def _instead_of_the_epoch(rows: Rows, usual: list[str]) -> list[Claim]:
    stated = []
    for name in CHOSEN:
        question = f"Can the {CELLS[name].title} encoding replace the epoch with hardly any loss of score?"
        stated.append(_asks(f"{name}_replaces", question, gap(rows, (name, False), RAW, usual), HARDLY_WORSE))
    question = "Do ln x and 1/x, in place of the epoch x, score higher than the epoch?"
    stated.append(_asks("log_replaces", question, gap(rows, ("log", False), RAW, usual), Above(0)))
    return stated


def _elsewhere(rows: Rows) -> list[Claim]:
    stated = []
    for name in ("sincos", "rope"):
        alone, without_epoch = f"the {CELLS[name].title} encoding in its place", (name, False)
        question = f"Beyond the epochs of the training, does the epoch as a number score higher than {alone}?"
        stated.append(_asks(f"{name}_beyond", question, gap(rows, RAW, without_epoch, ["beyond"]), Above(0)))
        for grid, where in (
            ("irregular", "Where epochs are missing at random"),
            ("geometric", "Where the gaps between epochs grow"),
        ):
            found = gap(rows, without_epoch, without_epoch, [f"{grid}_epoch"], [f"{grid}_index"])
            question = (
                f"{where}, does the {CELLS[name].title} encoding, in place of the epoch, score higher "
                "if it counts epochs and not points?"
            )
            stated.append(_asks(f"{name}_{grid}", question, found, Above(0.1)))
    return stated


def _odd_ones(rows: Rows, usual: list[str]) -> list[Claim]:
    """Of the encodings that the earlier blog describes or invents."""
    order = "Without the epoch, is a table that is shuffled in each pass hardly better than no encoding?"
    noise = "Can a table that is shuffled in each pass be added to the epoch with hardly any loss of score?"
    distance = (
        "Without the epoch, does the Euclidean encoding (the distance from the start, in all columns) score the same as no "
        "encoding?"
    )
    base = "In place of the epoch, does sin–cos with base 4 score the same as with base 10,000?"
    shuffled = "scrambled-coded"
    return [
        _asks("scrambled_is_no_order", order, gap(rows, (shuffled, False), NOTHING, usual), Below(0.05)),
        _asks("scrambled_does_no_harm", noise, gap(rows, (shuffled, True), RAW, usual), HARDLY_WORSE),
        _asks("euclidean_is_nothing", distance, gap(rows, ("euclidean", False), NOTHING, usual), ALIKE),
        _asks("base_matters_little", base, gap(rows, ("sincos-4", False), ("sincos", False), usual), ALIKE),
    ]
