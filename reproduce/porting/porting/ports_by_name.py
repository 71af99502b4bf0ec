"""The blog's ports by name: which faults each keeps. Four are in its table, the others switch single faults on or off.

"small-free" keeps its faults, "small-free-mended" has none. "only-axis" is "small-mended" with that one fault;
"down-axis" has it and all that come before it on the way to the last column of the table.
"""

from dataclasses import dataclass, replace

from curvecast.ground.errors import UserError
from reproduce.porting.porting.old_port import OldPort
from reproduce.porting.porting.old_training import Course


@dataclass(frozen=True)
class Length:
    """How long the old ports are trained. A batch of forecasts by themselves takes as long as many forced ones."""

    curves: int = 480  # where the same ones come again and again
    batch: int = 8
    forced: int = 250
    through: int = 10  # batches with a gradient through the roll-out, after the forced ones
    each: int = 24  # batches with an update after each epoch: 99 updates for each, as in the blog


KEPT = OldPort()
MENDED = OldPort(dropout=0.0, axis="epochs", place="epochs")
TABLE = ("large", "small", "small-free", "small-free-euclidean")
DOWN = ("only-data", "down-dropout", "down-axis")
ONLY = ("only-dropout", "only-axis", "only-place", "only-euclidean", "only-detached")
SHAPES = ("one-shot", "encoder-decoder")
ALL = (*(f"{model}{mended}" for model in TABLE for mended in ("", "-mended")), *DOWN, *ONLY, *SHAPES)
LATER = ("only-dropout", "only-euclidean", "only-detached", "encoder-decoder")  # not at laptop scale
LAPTOP = tuple(model for model in ALL if model not in LATER)


def course(model: str, length: Length) -> Course:
    """The training of a model by its name."""
    forced = Course(MENDED, "decoder", 0, length.batch, length.forced, free=0, through=True, each=False)
    free = replace(forced, free=length.through)
    few = replace(forced, curves=length.curves)
    short = max(1, length.each // 19)  # of a hundred passes, the blog forced five
    kept = replace(few, port=KEPT, forced=short, free=length.each, through=False, each=True)
    known = {
        "large": replace(few, port=_large(KEPT)),
        "large-mended": replace(forced, port=_large(MENDED)),
        "small": replace(few, port=KEPT),
        "small-mended": forced,
        "small-free": kept,
        "small-free-mended": free,
        "small-free-euclidean": replace(kept, port=replace(KEPT, code="euclidean")),
        "small-free-euclidean-mended": replace(free, port=replace(MENDED, code="euclidean")),
        "only-data": few,
        "down-dropout": replace(few, port=replace(MENDED, dropout=KEPT.dropout)),
        "down-axis": replace(few, port=replace(KEPT, place="epochs")),
        "only-dropout": replace(forced, port=replace(MENDED, dropout=KEPT.dropout)),
        "only-axis": replace(forced, port=replace(MENDED, axis="curves")),
        "only-place": replace(forced, port=replace(MENDED, place="curves")),
        "only-euclidean": replace(forced, port=replace(MENDED, code="euclidean")),
        "only-detached": replace(free, through=False),
        "one-shot": replace(forced, shape="encoder"),
        "encoder-decoder": replace(forced, shape="encoder-decoder"),
    }
    if model not in known:
        raise UserError(f"there is no old port {model!r}; take one of {', '.join(known)}")
    return known[model]


def _large(port: OldPort) -> OldPort:
    return replace(port, width=128, expand=4)
