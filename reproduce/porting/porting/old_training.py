"""How the blog's ports were trained, and how they are repaired: what a network reads, and where the gradient goes.

By name: "small-free" keeps its faults, "small-free-mended" has none. "only-axis" is "small-mended" with that one fault;
"down-axis" has it and all that come before it on the way to the last column of the blog's table.

Shapes: B = curves of a batch, T = epochs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from curvecast.curves.prior import PriorConfig, sample
from curvecast.ground.errors import UserError
from curvecast.training.batches import seed_of
from reproduce.porting.porting.old_port import Network, OldPort
from reproduce.porting.porting.other_shapes import EncoderDecoder, OneShot

Forecasting = Network | OneShot | EncoderDecoder


@dataclass(frozen=True)
class Course:
    """The defaults are those of the old port that is trained on its own predictions, at a fraction of the length."""

    port: OldPort = OldPort()
    shape: str = "decoder"  # what the old ports are; "encoder" forecasts in one shot; "encoder-decoder"
    curves: int = 640  # the same ones again and again; 0: each batch is fresh
    batch: int = 16
    forced: int = 20  # batches where each next value is forecast from true ones
    free: int = 20  # then batches where its own forecasts are read after the cutoff
    through: bool = False  # the gradient flows through its own forecasts
    each: bool = True  # an update after each epoch, instead of one for the whole curve
    cutoff: int = 15
    lr: float = 2e-3  # at its highest
    seed: int = 0


def train(course: Course) -> Forecasting:
    torch.manual_seed(course.seed)
    net = network(course).train()
    optimiser = torch.optim.Adam(net.parameters(), lr=course.lr)
    for number, y in enumerate(batches(course)):
        optimiser.param_groups[0]["lr"] = course.lr * share(number / (course.forced + course.free))
        for loss in losses(net, y, course, free=number >= course.forced):
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return net.eval()


def share(done: float) -> float:
    """Of the highest rate: it rises over the first fifth, or wide networks stay where they are, and falls to zero."""
    return min(1.0, 5 * done + 0.01, 1.25 * (1 - done))


def network(course: Course) -> Forecasting:
    if course.shape == "decoder":
        return Network(course.port)
    return (OneShot if course.shape == "encoder" else EncoderDecoder)(course.port)


def batches(course: Course) -> Iterator[Tensor]:
    """Noisy curves (B, T), all fresh or in passes over the same ones."""
    steps = course.forced + course.free
    generator = torch.Generator().manual_seed(seed_of(course.seed, "old port", 0))
    pool = sample(PriorConfig(), course.curves or steps * course.batch, generator).noisy
    passes = -(-steps * course.batch // len(pool))
    order = torch.cat([torch.randperm(len(pool), generator=generator) for _ in range(passes)])
    return (pool[order[i * course.batch : (i + 1) * course.batch]] for i in range(steps))


def losses(net: Forecasting, y: Tensor, course: Course, free: bool) -> Iterator[Tensor]:
    """One loss for each update. A later one is asked for only when the update has been made."""
    T, c = y.shape[1], course.cutoff
    if course.shape != "decoder":  # these are asked for what follows the cutoff
        yield squared(net(y, c), y[:, c:])
    elif not free:  # teacher forcing
        yield squared(net(y[:, :-1]), y[:, 1:])
    elif course.through:
        yield squared(net.roll(y[:, :c], c, T), y[:, 1:])
    elif course.each:
        told = y[:, :1]
        for t in range(T - 1):
            told = net(y[:, t : t + 1] if t < c else told.detach(), t)
            yield squared(told, y[:, t + 1 : t + 2])
    else:  # its own forecasts are read as if they were data
        with torch.no_grad():
            told = net.roll(y[:, :c], c, T)
        yield squared(net(torch.cat([y[:, :c], told[:, c - 1 : -1]], 1)), y[:, 1:])


def squared(told: Tensor, y: Tensor) -> Tensor:
    """Mean over curves, sum over epochs, as the old ports."""
    return (told - y).square().mean(0).sum()


@torch.no_grad()
def forecast(net: Forecasting, y: Tensor, course: Course, group: int) -> Tensor:
    """What the network says of all later epochs: (n, cutoff) -> (n, T - cutoff); groups of curves go in together."""
    c, length = y.shape[1], PriorConfig().length
    told = []
    for some in y.split(50 * group):
        told.append(net.roll(some, c, length, group)[:, -(length - c) :])
    return torch.cat(told)


# --------------------------------------------------------------------------------------------------- by their names


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
        "large": replace(few, port=replace(KEPT, width=128, expand=4)),
        "large-mended": replace(forced, port=replace(MENDED, width=128, expand=4)),
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
