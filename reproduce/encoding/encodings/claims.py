"""What positional encodings do, as sentences that can fail. What was not measured has no verdict."""

from reproduce._press.contract import Claim, claim
from reproduce._press.where import Rows
from reproduce.encoding._cell_differences import RAW, gap
from reproduce.encoding._cell_names import CELLS

ALIKE = "between -0.05 and 0.05"  # nats a point
CHOSEN = ("sincos", "rope", "learned", "alibi")


def claims(rows: Rows, cutoffs: tuple[int, ...]) -> list[Claim]:
    usual = [f"at{cutoff}" for cutoff in cutoffs]
    order = (
        "Told neither the epoch nor a place, the network loses more than {least} nats a point: {value:.2f}."
    )
    return [
        claim("order_matters", order, gap(rows, RAW, ("none", False), usual), "> 0.1"),
        *_beside_the_epoch(rows, usual),
        *_instead_of_the_epoch(rows, usual),
        *_elsewhere(rows),
        *_odd_ones(rows, usual),
    ]


def _beside_the_epoch(rows: Rows, usual: list[str]) -> list[Claim]:
    stated = []
    for name in CHOSEN:
        title = CELLS[name].title
        sentence = f"Where the epoch is fed, {title} on top changes the score by less than 0.05 nats: {{value:+.3f}}."
        stated.append(claim(f"{name}_adds", sentence, gap(rows, (name, True), RAW, usual), ALIKE))
    return stated


def _instead_of_the_epoch(rows: Rows, usual: list[str]) -> list[Claim]:
    stated = []
    for name in CHOSEN:
        where = f"In place of the epoch, {CELLS[name].title} loses less than 0.05 nats a point: "
        sentence = where + "it changes the score by {value:+.3f}."
        stated.append(claim(f"{name}_replaces", sentence, gap(rows, (name, False), RAW, usual), "> -0.05"))
    sentence = "In place of the epoch, ln x and 1/x are better: {value:+.3f} nats a point."
    stated.append(claim("log_replaces", sentence, gap(rows, ("log", False), RAW, usual), "> 0"))
    return stated


def _elsewhere(rows: Rows) -> list[Claim]:
    stated = []
    for name in ("sincos", "rope"):
        title, unfed = CELLS[name].title, (name, False)
        further = (
            f"Asked beyond epoch 100, the epoch as a number is above {title} in its place, by {{value:.2f}} nats a "
            "point."
        )
        stated.append(claim(f"{name}_beyond", further, gap(rows, RAW, unfed, ["beyond"]), "> 0"))
        for grid, begin in (
            ("irregular", "where epochs are missing at random"),
            ("geometric", "on epochs that grow apart"),
        ):
            found = gap(rows, unfed, unfed, [f"{grid}_epoch"], [f"{grid}_index"])
            sentence = (
                f"In place of the epoch, {begin}, {title} loses more than 0.1 nats a point by counting points and not "
                "epochs: a loss of {value:+.2f}."
            )
            stated.append(claim(f"{name}_{grid}", sentence, found, "> 0.1"))
    return stated


def _odd_ones(rows: Rows, usual: list[str]) -> list[Claim]:
    """Of the encodings that the earlier blog describes or invents."""
    nothing = ("none", False)
    dealt = (
        "A table that is dealt anew in each pass says nothing of order: alone it is worth less than {most} nats a "
        "point: {value:+.3f}."
    )
    noise = "Where the epoch is fed, the dealt table costs less than 0.05 nats a point: it changes the score by {value:+.3f}."
    distance = "The Euclidean encoding as it was written is as good as none, to within {most} nats a point: {value:+.3f}."
    base = (
        "Base 4 instead of 10,000 changes the score of sin–cos by less than 0.05 nats a point: {value:+.3f}."
    )
    return [
        claim(
            "scrambled_is_no_order", dealt, gap(rows, ("scrambled-coded", False), nothing, usual), "< 0.05"
        ),
        claim("scrambled_does_no_harm", noise, gap(rows, ("scrambled-coded", True), RAW, usual), "> -0.05"),
        claim("euclidean_is_nothing", distance, gap(rows, ("euclidean", False), nothing, usual), ALIKE),
        claim("base_matters_little", base, gap(rows, ("sincos-4", False), ("sincos", False), usual), ALIKE),
    ]
