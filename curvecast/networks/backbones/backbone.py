"""What a backbone is: it reads the observed beginning of a curve, and passes on one summary or a state for each point.

Shapes: B = curves, T = observed points, S = states, d = width.
"""

from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor


class States(NamedTuple):
    states: Tensor  # (B, S, d)
    known: Tensor | None = None  # (B, S) true for states that exist; None: all


class BackboneConfig(Protocol):
    """A frozen dataclass of one family."""

    @property
    def label(self) -> str:
        """For the name of the weights: "lstm-2"."""

    causal: bool
    hands: str  # "all": a state for each point; "last", "pooled": a summary

    def state_size(self, width: int, length: int) -> int:
        """Numbers that it keeps of a curve of this many points, to answer queries and, if causal, to read the next point."""

    def make(self, width: int) -> Any:
        """The backbone, for tokens of this width: an nn.Module from tokens (B, T, d) at epochs x (B, T) to States.

        seen    (B, T) true for observed points, which come first; None: all
        """


def handed(hands: str, width: int, length: int) -> int:
    """Numbers that the head reads: a state for each point, or one."""
    return width * (length if hands == "all" else 1)


def last(states: Tensor, seen: Tensor | None) -> Tensor:
    """The state after the last observed point: (B, T, d) -> (B, 1, d)"""
    if seen is None:
        return states[:, -1:]
    end = seen.sum(1) - 1  # (B,)
    return states[torch.arange(len(states)), end][:, None]
