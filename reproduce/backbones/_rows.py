"""The rows of the comparison: each backbone below the same head, with the width at which all have as many parameters."""

import sys
from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from typing import Any

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.reader import FAMILIES, ReaderConfig
from curvecast.networks.heads import parameters
from presswork import style

PARAMETERS = 100_600
WIDTHS = range(8, 256, 2)
LEADERS = {"parameters": "encoder–decoder", "time": "CNN, pooled"}  # of `architectures`, by budget
FIRST_FRESH_SEED = 10  # those before chose the leaders
LATER = ("Elman, two layers", "minGRU")  # joined when the others had been compared: state_and_seconds
COMPARED = tuple(name for name in FAMILIES if name not in LATER)
PFN = "transformer, encoder"  # with the attention of the released model
BUDGETS = {"parameters": "equal parameters and curves", "time": "equal parameters and training time"}
KINDS = {  # whose rows have one colour in every figure
    "recurrent": ("Elman", "LSTM", "GRU", "minGRU", "encoder–decoder", "xLSTM"),
    "convolution": ("CNN",),
    "attention": ("transformer", "PaLM block", "LaMDA block", "LLaMA block"),
    "state space": ("S4", "H3", "Mamba", "Mamba-2"),
    "linear attention": ("linear attention", "DeltaNet", "RWKV-7"),
}
TELLING = (  # one of each kind: what is trained at laptop scale
    "Elman", "LSTM", "encoder–decoder, attention", "transformer, encoder", "transformer, decoder", "LLaMA block",
)  # fmt: skip


def reader(name: str, wanted: int = PARAMETERS) -> ReaderConfig:
    return reader_of(FAMILIES[name], wanted)


@cache
def reader_of(backbone: Any, wanted: int = PARAMETERS) -> ReaderConfig:
    return ReaderConfig(backbone, nearest(lambda width: parameters(ReaderConfig(backbone, width)), wanted))


def nearest(counted: Callable[[int], int], wanted: int) -> int:
    """The width whose parameters, which grow with it, come nearest; one that is impossible for the backbone is skipped."""

    @cache
    def possible(width: int) -> tuple[int, int]:
        """Parameters at this width or, if it is impossible, at the next one that is not."""
        try:
            return counted(width), width
        except UserError:
            return possible(width + WIDTHS.step) if width < WIDTHS[-1] else (sys.maxsize, width)

    above = bisect_left(WIDTHS, wanted, key=lambda width: possible(width)[0])
    either = [possible(width) for width in WIDTHS[max(0, above - 1) : above + 1]]
    return min(either, key=lambda one: abs(one[0] - wanted))[1]


def kind(backbone: str) -> str:
    """Of a row: "H3, attention" is a variety of "H3"."""
    family = backbone.split(",")[0]
    return next(kind for kind, families in KINDS.items() if family in families)


def colour(backbone: str) -> str:
    return style.colour(kind(backbone))
