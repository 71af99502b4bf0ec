"""The old ports by name: which faults each keeps. Four stand in the blog's table, the others switch one fault.

A name says what it is: "small-free" is kept with its faults, "small-free-mended" has none, and
"only-axis" is the mended one with that fault alone; "down-…" keeps all faults up to that one.
"""

from dataclasses import dataclass, replace

from curvecast.errors import UserError
from reproduce._old_port import OldPort
from reproduce._old_training import Course


@dataclass(frozen=True)
class Length:
    """How long the old ports are trained; a batch of forecasts by themselves costs many batches of forced ones."""

    curves: int = 640  # where the same ones come again and again
    batch: int = 16
    forced: int = 240
    through: int = 24  # batches with a gradient through the roll-out, after the forced ones
    each: int = 24  # batches with an update after each epoch: 99 updates for each, as in the blog


KEPT = OldPort()
MENDED = OldPort(axis="epochs", place="epochs")
TABLE = ("large", "small", "small-free", "small-free-euclidean")
DOWN = ("down-start", "down-data", "down-detached", "down-axis", "down-place", "small-free", "small-free-euclidean")
ONLY = ("only-data", "only-detached", "only-axis", "only-place", "only-euclidean")
SHAPES = ("one-shot", "encoder-decoder")
SMOKE = ("small", "small-mended", "small-free", "small-free-mended", "one-shot")
LAPTOP = (
    *(f"{model}{mended}" for model in TABLE for mended in ("", "-mended")),
    "only-data", "only-detached", "only-axis", "only-place", "down-detached", "down-axis", "down-place", *SHAPES,
)  # fmt: skip
ALL = (*LAPTOP, "large-free-mended")


def course(model: str, length: Length) -> Course:
    """The training of a model by its name."""
    free = Course(MENDED, "decoder", 0, length.batch, length.forced, length.through, through=True, each=False)
    forced = replace(free, free=0)
    kept = replace(free, port=KEPT, curves=length.curves, through=False)
    blog = replace(kept, forced=max(1, length.each // 19), free=length.each, each=True)  # 5 of 100 forced
    known = {
        "large": replace(forced, port=_large(KEPT), curves=length.curves),
        "large-mended": replace(forced, port=_large(MENDED)),
        "small": replace(forced, port=KEPT, curves=length.curves),
        "small-mended": forced,
        "small-free": blog,
        "small-free-mended": free,
        "small-free-euclidean": replace(blog, port=replace(KEPT, code="euclidean")),
        "small-free-euclidean-mended": replace(free, port=replace(MENDED, code="euclidean")),
        "large-free-mended": replace(free, port=_large(MENDED)),
        "only-data": replace(free, curves=length.curves),
        "only-detached": replace(free, through=False),
        "only-axis": replace(free, port=replace(MENDED, axis="curves")),
        "only-place": replace(free, port=replace(MENDED, place="curves")),
        "down-detached": replace(kept, port=MENDED),
        "down-axis": replace(kept, port=replace(MENDED, axis="curves")),
        "down-place": kept,
        "one-shot": replace(forced, shape="encoder"),
        "encoder-decoder": replace(forced, shape="encoder-decoder"),
    }
    if model not in known:
        raise UserError(f"there is no old port {model!r}; take one of {', '.join(known)}")
    return known[model]


def _large(port: OldPort) -> OldPort:
    return replace(port, width=128, expand=4)
